"""The text of one collected test and of nothing beside it: as its language reads it, by indentation elsewhere."""

from __future__ import annotations

import re

from thoughtforge.suites.language import language_of

OPENING, CLOSING = "{", ")]}"


def body(test: str, text: str) -> str:
    """What stands in a test, its decorators included; empty when its name leads nowhere in its file."""
    path, _, rest = test.partition("::")
    names = rest.partition("[")[0].split("::")
    language = language_of(path)
    if language is not None and language.test_body is not None:
        return language.test_body(names, text)
    return _indented(names[-1].rpartition(" > ")[2].strip(), text)


def _indented(name: str, text: str) -> str:
    """From the line that names the test to the line that closes it, or to the next that is indented no deeper."""
    lines = text.splitlines()
    word = re.escape(name)
    here = re.compile(rf"(?<!\w){word}\s*\(|([\"'`]){word}\1")
    start = next((at for at, line in enumerate(lines) if here.search(line)), None) if name else None
    if start is None:
        return ""
    kept = [lines[start]]
    for line in lines[start + 1 :]:
        if line.strip() and _indent(line) <= _indent(lines[start]) and not line.lstrip().startswith(OPENING):
            return "\n".join([*kept, line] if line.lstrip()[0] in CLOSING else kept)
        kept.append(line)
    return "\n".join(kept)


def _indent(line: str) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())
