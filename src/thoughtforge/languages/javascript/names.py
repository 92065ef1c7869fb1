"""The names of the tests in a JavaScript or TypeScript file that cannot be run yet, read from its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
