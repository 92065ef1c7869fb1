"""Where a call leaves the record: the nearest recorded call, the part that differs first, and its line in both."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thoughtforge.providers.recorded.record import Recording

_STAGE = re.compile(r"^stage: (.+)$", re.MULTILINE)
_SHOWN = 120
_BEFORE = 40
"""Characters of a long line shown before the place where it differs."""


def difference(recording: Recording, text: str) -> str:
    """How the call with this text differs from the recorded call that agrees with it longest."""
    found = _STAGE.search(text.partition("\0")[2])
    stage = found[1] if found else ""
    same_stage = [call for call in recording.calls if call.stage == stage]
    if stage and not same_stage:
        return f"task {recording.task_id} has no finished call at stage {stage}"
    new = _lines(text)
    call = max(same_stage or recording.calls, key=lambda each: _agreement(_lines(each.text), new))
    old = _lines(call.text)
    place = _agreement(old, new)
    return (
        f"step {call.step} of task {recording.task_id} ({call.stage}, {call.role}) differs in "
        f"{_part(new[:place], call.parts)}: {_both(old[place : place + 1], new[place : place + 1])}"
    )


def _lines(text: str) -> list[str]:
    return text.replace("\0", "\n").split("\n")


def _agreement(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines, or characters of a line, are the same from the beginning."""
    pairs = zip(old, new, strict=False)
    return next((at for at, (was, now) in enumerate(pairs) if was != now), min(len(old), len(new)))


def _part(before: Sequence[str], parts: Sequence[str]) -> str:
    """The part, and within it the block, that the line after these belongs to."""
    headings = {f"## {name}": name for name in parts}
    part = block = ""
    for line in before:
        if line in headings:
            part, block = headings[line], ""
        elif part and line.startswith("### "):
            block = f" (“{line.removeprefix('### ')}”)"
    return f"{part or 'system'}{block}"


def _both(old: Sequence[str], new: Sequence[str]) -> str:
    was, now = old[0] if old else None, new[0] if new else None
    start = max(0, _agreement(was or "", now or "") - _BEFORE)
    return f"recorded {_shown(was, start)}, now {_shown(now, start)}"


def _shown(line: str | None, start: int) -> str:
    if line is None:
        return "nothing more"
    start = start if len(line) > _SHOWN else 0
    cut = line[start : start + _SHOWN]
    return f"“{'…' * (start > 0)}{cut}{'…' * (start + _SHOWN < len(line))}”"
