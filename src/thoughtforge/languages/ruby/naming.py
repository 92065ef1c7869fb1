"""Which Ruby files are tests, and which tests a file shows by its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

FOLDERS = {"test", "tests", "spec"}
VENDORED = {"vendor", "node_modules", ".bundle"}
NAMED = re.compile(r"test_.+\.rb|.+_test\.rb|.+_spec\.rb")
SCOPE = re.compile(r"\s*(?:class|module)\s+(?P<name>[A-Z][\w:]*+)(?!.*\bend\s*$)")
TEXT = r"(?P<quote>[\"'])(?:\\.|(?!(?P=quote)).)*(?P=quote)"
GROUP = re.compile(rf"\s*(?:RSpec\.)?(?:describe|context|feature)\s*\(?\s*(?P<name>{TEXT}|[A-Z][\w:]*)")
METHOD = re.compile(r"\s*def\s+(?P<name>test_\w+[?!]?)")
EXAMPLE = re.compile(rf"\s*(?P<kind>it|specify|example|scenario|test)\s*\(?\s*(?P<name>{TEXT})")


class Scope(NamedTuple):
    """A class, module or group of examples, and how far its line is indented."""

    indent: int
    name: str
    is_group: bool


class Shown(NamedTuple):
    """One test of a text: a method of a class, or an example of a group."""

    scopes: tuple[Scope, ...]
    name: str
    is_example: bool


def is_ruby_test(path: str) -> bool:
    """Tests and specs by name, and everything in a folder of tests."""
    at = PurePosixPath(path)
    return bool(FOLDERS & set(at.parts[:-1])) or bool(NAMED.fullmatch(at.name))


def files_with_tests(paths: Iterable[str], pattern: str) -> list[str]:
    """Files a runner looks for tests in, those of other people's packages left out."""
    named = re.compile(pattern)
    pure = map(PurePosixPath, sorted(paths))
    return [str(at) for at in pure if named.fullmatch(at.name) and not VENDORED & set(at.parts[:-1])]


def minitest_names(path: str, text: str) -> tuple[str, ...]:
    """Ids as minitest's reporter gives them: `Class::test_name`, or `group > name` for specs."""
    found = []
    for test in _tests(text):
        outer = "::".join(scope.name for scope in test.scopes if scope.is_group == test.is_example)
        found.append(f"{path}::{outer}{' > ' if test.is_example else '::'}{test.name}")
    return tuple(found)


def rspec_names(path: str, text: str) -> tuple[str, ...]:
    """Ids as RSpec's reporter gives them: groups and example with ` > ` between them."""
    examples = (test for test in _tests(text) if test.is_example)
    groups = ([scope.name for scope in test.scopes if scope.is_group] + [test.name] for test in examples)
    return tuple(f"{path}::{' > '.join(names)}" for names in groups)


def _tests(text: str) -> Iterator[Shown]:
    """The tests a text shows, with the scopes that its indentation puts around them."""
    scopes: list[Scope] = []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        scopes = [scope for scope in scopes if scope.indent < indent]
        if group := GROUP.match(line):
            scopes.append(Scope(indent, _plain(group["name"]), is_group=True))
        elif scope := SCOPE.match(line):
            scopes.append(Scope(indent, scope["name"], is_group=False))
        elif scopes and (test := _test(line, scopes)):
            yield test


def _test(line: str, scopes: Sequence[Scope]) -> Shown | None:
    if method := METHOD.match(line):
        return Shown(tuple(scopes), method["name"], is_example=False)
    found = EXAMPLE.match(line)
    if found is None or "#{" in found["name"]:
        return None  # a name that is computed cannot be known from the text
    name = _plain(found["name"])
    if found["kind"] == "test" and not any(scope.is_group for scope in scopes):
        return Shown(tuple(scopes), "test_" + re.sub(r"\s+", "_", name), is_example=False)
    return Shown(tuple(scopes), name, is_example=True)


def _plain(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name[:1] in "\"'" else name


def body(names: Sequence[str], text: str) -> str:
    """One test from the line that names it to the `end` that is indented like it; empty when there is none."""
    own = names[-1].rpartition(" > ")[2].strip()
    spoken = re.escape(own.removeprefix("test_")).replace("_", "[ _]")
    told = rf"([\"'])(?:{re.escape(own)}|{spoken})\1"
    begins = re.compile(rf"\s*def\s+{re.escape(own)}\b|\s*(?:it|specify|example|scenario|test)\s*\(?\s*{told}")
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if own and begins.match(line)), None)
    if start is None:
        return ""
    indent = len(lines[start]) - len(lines[start].lstrip())
    for at in range(start + 1, len(lines)):
        if lines[at].strip() and len(lines[at]) - len(lines[at].lstrip()) <= indent:
            closing = lines[at].strip().startswith(("end", "}"))
            return "\n".join(lines[start : at + 1 if closing else at])
    return "\n".join(lines[start:])
