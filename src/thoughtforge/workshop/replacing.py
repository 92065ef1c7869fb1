"""One piece of text replaced by another, exactly; where it does not occur, the nearest lines are shown."""

from __future__ import annotations

import difflib
import re

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workshop.patch import numbered, split_lines

PLACES = 10
LOOKED_AT = 4000
"""Lines compared in search of the nearest; comparing is slow."""
ALIKE = 0.6


def replace(text: str, old: str, *, new: str, path: str, every: bool = False) -> str:
    """The text with old replaced: at its one place, or at every place."""
    old, new = (_plain(part, text) for part in (old, new))
    if old == new:
        raise Mistake("old and new are the same; nothing would change", do="Give the text as it should become in new.")
    count = text.count(old)
    if count == 1 or (every and count):
        return text.replace(old, new)
    if count:
        raise Mistake(
            f"the text occurs {count} times in {path}, at lines {_lines_of(text, old)}",
            do="Take more lines around the place into old, or replace all of them with all: true.",
        )
    raise _missing(text, old, path)


def _plain(part: str, text: str) -> str:
    """Line ends as the text has them."""
    return part if "\r" in text else part.replace("\r\n", "\n")


def _lines_of(text: str, old: str) -> str:
    starts = [found.start() for found in re.finditer(re.escape(old), text)]
    told = ", ".join(str(text.count("\n", 0, at) + 1) for at in starts[:PLACES])
    return told + (" …" if len(starts) > PLACES else "")


def _missing(text: str, old: str, path: str) -> Mistake:
    lines, wanted = split_lines(text), split_lines(old)
    if not lines:
        return Mistake(f"{path} is empty", do="Give its whole content as a patch: @@ -0,0 +1,COUNT @@.")
    if "\r" in text:
        return Mistake(
            f"the text does not occur in {path}, which mixes line ends (\\r\\n and \\n)",
            do="Replace within one line at a time.",
        )
    at = _nearest(lines, wanted)
    if at is None:
        return Mistake(f"the text does not occur in {path}", do="Read the file and copy the text from it exactly.")
    spaces = ["".join(line.split()) for line in lines[at : at + len(wanted)]]
    blank = " Only spaces or line breaks differ." if spaces == ["".join(line.split()) for line in wanted] else ""
    return Mistake(
        f"the text does not occur in {path}; the nearest lines begin at line {at + 1}.{blank}",
        do="Copy the text exactly as it is in the file; nothing was changed.",
        details=(numbered(lines, at + 1, at + max(len(wanted), 3)),),
    )


def _nearest(lines: list[str], wanted: list[str]) -> int | None:
    """Where the first line with content of what was wanted has its best counterpart, moved back to the beginning."""
    offset = next((at for at, line in enumerate(wanted) if line.strip()), None)
    if offset is None:
        return None
    matcher = difflib.SequenceMatcher(None, "", wanted[offset].strip(), autojunk=False)
    best, found = ALIKE, None
    for at, line in enumerate(lines[:LOOKED_AT]):
        matcher.set_seq1(line.strip()[:300])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, found = ratio, max(at - offset, 0)
    return found
