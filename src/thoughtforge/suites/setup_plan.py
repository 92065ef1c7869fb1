"""How a repository's environment is made, decided from its files: by the person's command, or by convention."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.settings.config import Setup
from thoughtforge.suites.interpreter import Interpreter
from thoughtforge.suites.requirements import needs
from thoughtforge.workspaces.globs import any_matches

FOLDER = "{folder}"
"""Stands for the environment's folder in commands."""
ASKED = "asked"
"""Where the files a command reads are put, inside the folder."""
PIP = ("-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--progress-bar", "off")
OUTSIDE = ("npm", "go", "cargo")
NODE_FILES = ("package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc")


class Step(NamedTuple):
    """One command of a set-up."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    network: bool = True


class Plan(NamedTuple):
    """Everything that decides what an environment becomes."""

    steps: tuple[Step, ...]
    files: Mapping[str, str] = {}
    """What the commands read: path below the folder → text."""
    notes: tuple[str, ...] = ()
    links: Mapping[str, str] = {}
    """What a checkout is given as a link: path in the checkout → path below the folder."""
    needs_root: bool = False
    """Whether the commands read the checkout itself."""


def plan(
    paths: Collection[str],
    read: Callable[[str], str],
    *,
    setup: Setup,
    extra: Sequence[str],
    interpreter: Interpreter,
    uv: str | None,
) -> Plan:
    """What to do for a repository with these files. Without a word about dependencies nothing is fetched."""
    if setup.command:
        return _commanded(paths, read, setup=setup, interpreter=interpreter)
    made = [_python(paths, read, extra=extra, interpreter=interpreter, uv=uv)]
    made += [_node(paths, read)] if "package-lock.json" in paths or "npm-shrinkwrap.json" in paths else []
    made += [_go(paths, read)] if "go.mod" in paths else []
    made += [_cargo(paths, read)] if "Cargo.toml" in paths else []
    return Plan(
        steps=tuple(step for each in made for step in each.steps),
        files={path: text for each in made for path, text in each.files.items()},
        notes=tuple(note for each in made for note in each.notes),
        links={path: place for each in made for path, place in each.links.items()},
    )


def check_programs(plan: Plan, search_path: str) -> None:
    """Every program a plan needs of this machine must be there."""
    needed = dict.fromkeys(step.argv[0] for step in plan.steps if step.argv[0] in OUTSIDE)
    missing = [name for name in needed if not shutil.which(name, path=search_path)]
    if missing:
        raise Mistake(
            f"not found, but needed to install the repository's dependencies: {', '.join(missing)}",
            do=f"Install {' and '.join(missing)}, or give a command of your own in `setup.command`.",
        )


def venv_step(interpreter: Interpreter, *, pip: bool) -> Step:
    """An empty virtual environment; it needs no network."""
    return Step(
        (str(interpreter.python), "-I", "-m", "venv", *(() if pip else ("--without-pip",)), FOLDER), network=False
    )


def _commanded(paths: Collection[str], read: Callable[[str], str], *, setup: Setup, interpreter: Interpreter) -> Plan:
    read_files = {path: read(path) for path in sorted(paths) if any_matches(path, setup.reads)}
    notes = () if read_files else ("setup.reads names no file of the repository: the environment is never made anew",)
    return Plan(
        steps=(venv_step(interpreter, pip=True), Step(tuple(setup.command))),
        files={f"{ASKED}/{path}": text for path, text in read_files.items()},
        notes=notes,
        needs_root=True,
    )


def _python(
    paths: Collection[str],
    read: Callable[[str], str],
    *,
    extra: Sequence[str],
    interpreter: Interpreter,
    uv: str | None,
) -> Plan:
    found = needs(paths, read)
    if found.refused:
        raise Mistake(
            "the repository's requirements install from the tree itself, which would hide the tree under test",
            do="Leave these lines out, or give a command of your own in `setup.command`.",
            details=found.refused,
        )
    lines = [*found.lines, *extra]
    if not lines:
        return Plan((venv_step(interpreter, pip=False),), notes=found.notes)
    files = {f"{ASKED}/requirements.txt": "".join(f"{line}\n" for line in lines)}
    asked = ["-r", f"{FOLDER}/{ASKED}/requirements.txt"]
    if found.constraints:
        files[f"{ASKED}/constraints.txt"] = "".join(f"{line}\n" for line in found.constraints)
        asked += ["-c", f"{FOLDER}/{ASKED}/constraints.txt"]
    if uv:
        install = (uv, "pip", "install", "--no-cache", "--python", f"{FOLDER}/bin/python", *asked)
    else:
        install = (f"{FOLDER}/bin/python", "-I", *PIP, *asked)
    return Plan((venv_step(interpreter, pip=not uv), Step(install)), files, notes=found.notes)


def _node(paths: Collection[str], read: Callable[[str], str]) -> Plan:
    files = {f"node/{name}": read(name) for name in NODE_FILES if name in paths}
    # Scripts of packages would run with the network open; what needs them asks for a command of its own.
    argv = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", f"{FOLDER}/node")
    return Plan(
        (Step(argv, env={"npm_config_cache": f"{FOLDER}/.tmp/npm"}),),
        files,
        links={"node_modules": "node/node_modules"},
    )


def _go(paths: Collection[str], read: Callable[[str], str]) -> Plan:
    files = {f"go/{name}": read(name) for name in ("go.mod", "go.sum") if name in paths}
    env = {"GOMODCACHE": f"{FOLDER}/go/modules", "GOPATH": f"{FOLDER}/go/path", "GOFLAGS": "-modcacherw"}
    return Plan((Step(("go", "mod", "download", "-C", f"{FOLDER}/go"), env=env),), files)


def _cargo(paths: Collection[str], read: Callable[[str], str]) -> Plan:
    files = {f"cargo/{name}": read(name) for name in ("Cargo.toml", "Cargo.lock") if name in paths}
    # cargo wants the crate whose dependencies it fetches to have a source
    files |= {"cargo/src/lib.rs": "", "cargo/src/main.rs": "fn main() {}\n"}
    argv = ("cargo", "fetch", "--manifest-path", f"{FOLDER}/cargo/Cargo.toml")
    return Plan((Step(argv, env={"CARGO_HOME": f"{FOLDER}/cargo/home"}),), files)
