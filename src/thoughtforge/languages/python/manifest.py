"""How the dependencies of a Python project are installed: into a virtual environment, by uv or pip."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from thoughtforge.kernel.errors import UserError
from thoughtforge.languages.python.proofs import only_pip
from thoughtforge.languages.python.requirements import needs
from thoughtforge.testing.imports import table_in, versions_in
from thoughtforge.testing.install import ASKED, FOLDER, InstallPlan, InstallStep, ToInstall, venv_step
from thoughtforge.testing.language import Declaring, Requirement

PIP = ("-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--progress-bar", "off")


def install(asked: ToInstall) -> InstallPlan:
    """A virtual environment, also for a project that needs nothing: the engine's own witnesses run in it."""
    found = needs(asked.paths, asked.read)
    if found.refused:
        raise UserError(
            "the repository's requirements install the repository itself, which would hide the code under test",
            do="Remove these lines, or set your own command as `setup.command`.",
            details=found.refused,
        )
    lines = [*found.lines, *asked.extra]
    if not lines:
        return InstallPlan((venv_step(asked.interpreter, pip=False),), notes=found.notes)
    files = {f"{ASKED}/requirements.txt": "".join(f"{line}\n" for line in lines)}
    named = ["-r", f"{FOLDER}/{ASKED}/requirements.txt"]
    if found.constraints:
        files[f"{ASKED}/constraints.txt"] = "".join(f"{line}\n" for line in found.constraints)
        named += ["-c", f"{FOLDER}/{ASKED}/constraints.txt"]
    uv = None if only_pip(asked.variables) else asked.which("uv")
    if uv:
        command = (uv, "pip", "install", "--no-cache", "--python", f"{FOLDER}/bin/python", *named)
    else:
        command = (f"{FOLDER}/bin/python", "-I", *PIP, *named)
    steps = (venv_step(asked.interpreter, pip=not uv), InstallStep(command))
    return InstallPlan(steps, files, notes=found.notes)


REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(.*)")


def in_pyproject(text: str) -> Iterator[Requirement]:
    """Plain, optional and grouped dependencies, and poetry's."""
    data = tomllib.loads(text)
    project = table_in(data, "project")
    yield from _parsed(_texts(project.get("dependencies")))
    groups = [*table_in(project, "optional-dependencies").values(), *table_in(data, "dependency-groups").values()]
    for group in groups:
        yield from _parsed(_texts(group))
    poetry = table_in(data, "tool", "poetry")
    for place in (poetry, *table_in(poetry, "group").values()):
        # poetry lists the interpreter among the dependencies
        yield from (pair for pair in versions_in(table_in(place, "dependencies")) if pair[0] != "python")


def in_requirements(text: str) -> Iterator[Requirement]:
    """The lines that name a package; options and addresses name none."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.replace("\\\n", " ").splitlines())
    yield from _parsed(line for line in lines if not line.startswith("-") and "://" not in line.partition("@")[0])


def in_setup_cfg(text: str) -> Iterator[Requirement]:
    """What the package needs, and its extras."""
    config = configparser.ConfigParser(interpolation=None)
    config.read_string(text)
    blocks = [config.get("options", "install_requires", fallback="")]
    if config.has_section("options.extras_require"):
        blocks += [value for _, value in config.items("options.extras_require")]
    for block in blocks:
        yield from in_requirements(block)


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def _parsed(lines: Iterable[str]) -> Iterator[Requirement]:
    """Name and the rest of lines such as `click>=8.1; python_version > "3"`."""
    for line in lines:
        if found := REQUIREMENT.fullmatch(line):
            yield found[1], found[2]


DECLARES = {"pyproject.toml": in_pyproject, "requirements*.txt": in_requirements, "setup.cfg": in_setup_cfg}
"""Pattern of a file's name → how what it declares is read."""


PYPROJECT = "pyproject.toml"
REQUIREMENTS = "requirements.txt"
MANIFESTS = (PYPROJECT, REQUIREMENTS)
HEADER = re.compile(r"^\[project\][ \t]*(?:#.*)?\r?\n", re.M)
NEXT = re.compile(r"^\[", re.M)
KEY = re.compile(r"^dependencies\s*=\s*\[", re.M)
TOKEN = re.compile(r"#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|(?P<open>\[)|(?P<close>\])")


def with_lines(texts: Mapping[str, str], lines: Sequence[str]) -> Declaring:
    """The file that declares the dependencies, with these requirements added; `texts` are the project's files."""
    text = texts.get(PYPROJECT, "")
    project = _project(text)
    if project is not None and "dependencies" not in project.get("dynamic", []):
        return Declaring(PYPROJECT, _checked(text, _in_pyproject(text, lines), lines))
    known = texts.get(REQUIREMENTS, "")
    end = "" if not known or known.endswith("\n") else "\n"
    return Declaring(REQUIREMENTS, known + end + "".join(f"{line}\n" for line in lines))


def _project(text: str) -> dict[str, Any] | None:
    try:
        found = tomllib.loads(text).get("project")
    except tomllib.TOMLDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _in_pyproject(text: str, lines: Sequence[str]) -> str:
    header = HEADER.search(text)
    if header is None:
        return text
    following = NEXT.search(text, header.end())
    end = following.start() if following else len(text)
    key = KEY.search(text, header.end(), end)
    if key is None:
        return f"{text[: header.end()]}dependencies = {json.dumps(list(lines))}\n{text[header.end() :]}"
    close = _closing(text, key.end())
    inside = text[key.end() : close]
    return f"{text[: key.end()]}{_longer(inside, lines)}{text[close:]}"


def _closing(text: str, start: int) -> int:
    """Where the list that begins before `start` ends; brackets in texts and comments do not count."""
    depth = 1
    for found in TOKEN.finditer(text, start):
        depth += bool(found["open"]) - bool(found["close"])
        if depth == 0:
            return found.start()
    return start


def _longer(inside: str, lines: Sequence[str]) -> str:
    """The inside of a list with further members, laid out like those it has."""
    written = [json.dumps(line) for line in lines]
    if "\n" not in inside:
        before = inside.rstrip().rstrip(",")
        return f"{before}{', ' if before.strip() else ''}{', '.join(written)}"
    body = inside.rstrip()
    indent = re.match(r"[ \t]*", body.rpartition("\n")[2])
    space = indent[0] if indent and indent[0] else "    "
    last = re.sub(r"#[^\n]*$", "", body.rpartition("\n")[2]).rstrip()
    if last and not last.endswith(","):
        at = len(body) - len(body.rpartition("\n")[2]) + len(last)
        body = f"{body[:at]},{body[at:]}"
    return body + "".join(f"\n{space}{one}," for one in written) + "\n"


def _checked(before: str, after: str, lines: Sequence[str]) -> str:
    """Nothing is written whose only difference is not the one that was wanted."""
    try:
        old, new = tomllib.loads(before), tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        old, new = {}, {}
    wanted = [*old.get("project", {}).get("dependencies", []), *lines]
    if not new or new["project"].pop("dependencies", None) != wanted:
        raise UserError(
            f"{PYPROJECT} could not be extended with {', '.join(lines)}", do="Declare it there and commit the file."
        )
    old["project"].pop("dependencies", None)
    if old != new:
        raise UserError(
            f"{PYPROJECT} could not be extended with {', '.join(lines)}", do="Declare it there and commit the file."
        )
    return after
