"""Requirements as Poetry and Pipenv write them, in the words every installer knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any


def poetry_requirements(poetry: Mapping[str, Any], wanted: Callable[[str], object]) -> Iterator[str]:
    """The dependencies of a `[tool.poetry]` table and of its groups with a wanted name."""
    yield from _lines(poetry.get("dependencies"))
    yield from _lines(poetry.get("dev-dependencies"))
    groups = poetry.get("group")
    for name, group in groups.items() if isinstance(groups, Mapping) else ():
        if wanted(name) and isinstance(group, Mapping):
            yield from _lines(group.get("dependencies"))


def pipfile_requirements(data: Mapping[str, Any]) -> Iterator[str]:
    """The packages of a Pipfile, those for development too."""
    yield from _lines(data.get("packages"))
    yield from _lines(data.get("dev-packages"))


def _lines(table: Any) -> Iterator[str]:
    for name, value in table.items() if isinstance(table, Mapping) else ():
        if name.lower() == "python":
            continue  # Poetry lists the interpreter among the dependencies
        for choice in value if isinstance(value, list) else [value]:
            yield _line(name, choice)


def _line(name: str, value: Any) -> str:
    if isinstance(value, str):
        return f"{name}{specifier(value)}"
    if not isinstance(value, Mapping):
        return name
    extras = f"[{','.join(map(str, value['extras']))}]" if value.get("extras") else ""
    marker = f"; {value['markers']}" if value.get("markers") else ""
    for key, prefix in (("git", "git+"), ("url", ""), ("path", "file://"), ("file", "file://")):
        if key in value:
            at = next((f"@{value[part]}" for part in ("rev", "tag", "branch", "ref") if part in value), "")
            return f"{name}{extras} @ {prefix}{value[key]}{at}"
    return f"{name}{extras}{specifier(str(value.get('version', '*')))}{marker}"


def specifier(version: str) -> str:
    """A version as asked for: `^1.2` and `~1.2` written out, `*` as nothing, a bare one as equal."""
    parts = [part.strip() for part in version.split(",")]
    return ",".join(filter(None, map(_one, parts)))


def _one(part: str) -> str:
    if part in ("*", ""):
        return ""
    if part[0] == "^" or (part[0] == "~" and part[1:2] != "="):
        return _range(part[1:].strip(), caret=part[0] == "^")
    if part[0].isdigit():
        return f"=={part}"
    return part.replace(" ", "")


def _range(version: str, *, caret: bool) -> str:
    """From a version up to the next that may break: the first number that is not zero, or the second for `~`."""
    numbers = [int(number) for number in re.findall(r"\d+", version)[:3]]
    if not numbers:
        return ""
    place = (
        next((place for place, number in enumerate(numbers) if number), len(numbers) - 1)
        if caret
        else min(1, len(numbers) - 1)
    )
    above = [*numbers[:place], numbers[place] + 1]
    return f">={version},<{'.'.join(map(str, above))}"
