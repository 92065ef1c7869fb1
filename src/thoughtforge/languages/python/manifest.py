"""Declares further dependencies of a Python project in the file it already uses for that, and changes nothing else."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from thoughtforge.kernel.errors import Mistake
from thoughtforge.suites.language import Declaring

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
        raise Mistake(
            f"{PYPROJECT} could not be extended by {', '.join(lines)}", do="Declare it there and commit that."
        )
    old["project"].pop("dependencies", None)
    if old != new:
        raise Mistake(
            f"{PYPROJECT} could not be extended by {', '.join(lines)}", do="Declare it there and commit that."
        )
    return after
