"""Comments that silence a tool. Those the base commit has are a person's and count; one that came later does not."""

from __future__ import annotations

import re
from collections import Counter

DIRECTIVE = re.compile(
    r"noqa|nosec|///\s*script|type\s*:\s*ignore|(?:ruff|ty|flake8|isort|pyright|mypy|pylint|fmt|yapf)\s*:",
    re.IGNORECASE,
)
COMMENT = re.compile(r"#[^\n]*")
DEAF = "x"
"""What the first letter of a directive becomes, so that no tool knows it and no column moves."""


def without_new(text: str, base: str | None) -> str:
    """The text with every suppression made deaf whose line the base text does not have, as often as it has it.

    It goes by lines, not by tokens: a text that only looks like a comment is changed too, which no tool minds, while
    nothing that a tool would take for a comment is missed in a file that does not parse.
    """
    starts = [found.start() for found in COMMENT.finditer(text) if DIRECTIVE.search(found[0])]
    if not starts:
        return text
    # only \n ends a line here: what else Unicode calls a line break does not end a comment for a tool
    known = Counter(line.strip() for line in (base or "").split("\n") if "#" in line)
    lines = text.split("\n")
    for start in starts:
        number = text.count("\n", 0, start)
        lines[number] = _deaf(lines[number], known)
    return "\n".join(lines)


def _deaf(line: str, known: Counter[str]) -> str:
    key = line.strip()
    if known[key] > 0:
        known[key] -= 1
        return line
    code, mark, comment = line.partition("#")
    return code + mark + DIRECTIVE.sub(lambda found: DEAF + found[0][1:], comment)
