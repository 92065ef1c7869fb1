"""What JavaScript projects declare and install, and what their tools obey."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from thoughtforge.testing.imports import table_in, versions_in
from thoughtforge.testing.install import FOLDER, InstallPlan, InstallStep, LockPlan, ToInstall
from thoughtforge.testing.language import Dependencies, PlainNeeds, Requirement, Tools

TOOL_FILES = (
    *(
        r"\.eslintrc.*",
        r"eslint\.config\..*",
        r"\.eslintignore",
        r"biome\.jsonc?",
        r"\.prettierrc.*",
        r"\.oxlintrc\.json",
    ),
    *(r"[tj]sconfig.*\.json", r"jest\.config\..*", r"vitest\.(?:config|workspace)\..*", r"vite\.config\..*"),
    *(r"\.mocharc.*", r"\.nycrc.*", r"babel\.config\..*", r"\.babelrc.*", r"\.npmrc"),
)
PACKAGE_KEYS = ("ava", "babel", "c8", "eslintConfig", "jest", "mocha", "nyc", "prettier", "stylelint", "vitest", "xo")


def tool_in_package(text: str) -> dict[str, Any]:
    """The keys of package.json that configure tools, and the scripts that test and lint."""
    read = json.loads(text or "{}")
    if not isinstance(read, dict):
        return {"(unreadable)": text}
    scripts = read.get("scripts", {})
    tests = {f"scripts.{key}": value for key, value in scripts.items() if re.match(r"(?:pre|post)?(?:test|lint)", key)}
    return tests | {key: read[key] for key in PACKAGE_KEYS if key in read}


TOOLS = Tools(
    silencing={
        "eslint-disable": r"eslint-disable|(?:biome|oxlint|tslint|jshint|stylelint)[- :]*(?:ignore|disable)",
        "ts-ignore": r"@ts-(?:ignore|nocheck|expect-error)",
        "no coverage": r"(?:istanbul|v8|c8)\s+ignore|coverage:\s*ignore",
    },
    files=TOOL_FILES,
    settings={"package.json": tool_in_package},
)


TEXT = r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`"
TOKEN = re.compile(
    rf"""//[^\n]* | /\*.*?\*/
    | (?<![\w$.]) (?P<kind>describe|suite|context|test|it) (?:\.\w+)* \s*\(\s* (?P<name>{TEXT})
    | {TEXT} | (?P<open>[(\[{{]) | (?P<close>[)\]}}])""",
    re.S | re.X,
)
GROUPS = ("describe", "suite", "context")


def names_in(path: str, text: str) -> tuple[str, ...]:
    """Ids as the runners give them; a test whose name is computed cannot be known from the text and is left out."""
    return tuple(f"{path}::{name}" for name in _names(text))


def _names(text: str) -> Iterator[str]:
    groups: list[tuple[int, str]] = []
    depth = 0
    for found in TOKEN.finditer(text):
        if found["kind"]:
            name = re.sub(r"\\(.)", r"\1", found["name"][1:-1])
            if found["kind"] in GROUPS:
                groups.append((depth, name))
            elif "${" not in name:
                yield " > ".join([*(group for _, group in groups), name])
            depth += 1  # its own bracket
        elif found["open"]:
            depth += 1
        elif found["close"]:
            depth -= 1
            while groups and groups[-1][0] >= depth:
                groups.pop()


LOCKS = ("package-lock.json", "npm-shrinkwrap.json")
"""Locks npm installs from."""
FILES = ("package.json", *LOCKS, ".npmrc")
KINDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def in_package(text: str) -> Iterator[Requirement]:
    """Every kind of dependency that package.json knows."""
    data = json.loads(text)
    for kind in KINDS:
        yield from versions_in(table_in(data, kind))


VERSIONS = re.compile(r"[\w.*^~<>=| +-]*")
"""A range of versions, or a tag; an address, an alias or a path has other characters in it."""
ELSEWHERE = ("overrides", "workspaces", "bundleDependencies", "bundledDependencies")


def plain(paths: Collection[str], read: Callable[[str], str]) -> PlainNeeds:
    """The packages of package.json, and everything there that is more than a name and a version."""
    refused = [f"{name}: it says where packages come from" for name in (".npmrc",) if name in paths]
    try:
        data = json.loads(read("package.json")) if "package.json" in paths else {}
    except ValueError as error:
        return PlainNeeds(refused=(*refused, f"package.json cannot be read: {error}"))
    found = [(name, text) for kind in KINDS for name, text in table_in(data, kind).items()]
    strange = [f"{name} {text}" for name, text in found if not isinstance(text, str) or not VERSIONS.fullmatch(text)]
    strange += [key for key in ELSEWHERE if isinstance(data, dict) and key in data]
    refused += [f"package.json: {text}: only names and versions of packages are installed" for text in strange]
    return PlainNeeds(tuple(name for name, _ in found), tuple(refused))


def _declared(data: object) -> dict[str, Any]:
    """The dependencies of a package or of a lock's own entry, by kind."""
    return {kind: dict(table_in(data, kind)) for kind in KINDS if table_in(data, kind)}


def lock(paths: Collection[str], read: Callable[[str], str]) -> LockPlan | None:
    """What package.json asks for, resolved by npm, when there is no lock or one of other declarations."""
    if "package.json" not in paths or "npm-shrinkwrap.json" in paths:
        return None
    known = read(LOCKS[0]) if LOCKS[0] in paths else ""
    try:
        wanted, held = json.loads(read("package.json")), json.loads(known or "{}")
    except ValueError:
        return None  # whoever wrote it is told when it is used
    if not _declared(wanted) or (known and _declared(wanted) == _declared(table_in(held, "packages", ""))):
        return None
    files = {"node/package.json": read("package.json")} | ({f"node/{LOCKS[0]}": known} if known else {})
    argv = (
        *("npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"),
        "--omit-lockfile-registry-resolved",  # the lock is for every machine, whatever registry this one asks
        *("--prefix", f"{FOLDER}/node"),
    )
    step = InstallStep(argv, env={"npm_config_cache": f"{FOLDER}/.tmp/npm"}, starts=("node",))
    return LockPlan(step, files, writes={LOCKS[0]: f"node/{LOCKS[0]}"}, program="npm")


def install(asked: ToInstall) -> InstallPlan | None:
    """What the lock names, by npm; without a lock nothing."""
    if not any(lock in asked.paths for lock in LOCKS):
        return None
    files = {f"node/{name}": asked.read(name) for name in FILES if name in asked.paths}
    # Scripts of packages would run with the network open; what needs them asks for a command of its own.
    argv = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", f"{FOLDER}/node")
    step = InstallStep(argv, env={"npm_config_cache": f"{FOLDER}/.tmp/npm"}, starts=("node",))
    return InstallPlan(
        (step,),
        files,
        links={"node_modules": "node/node_modules"},
        programs=("npm",),
        bins=("node/node_modules/.bin",),
    )


DEPENDENCIES = Dependencies(
    declares={"package.json": in_package},
    install=install,
    plain=plain,
    locks=(*LOCKS, "yarn.lock", "pnpm-lock.yaml"),
    lock=lock,
    variables=(r"NPM_CONFIG_\w+", "NODE_EXTRA_CA_CERTS"),
)
