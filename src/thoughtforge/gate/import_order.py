"""Imports that an edit leaves out of order are put in order before it is written: nobody need send it again for that.

Only where the check for it is on and the edit is to blame: what an import stands among was in order before, or was
added as well. All other imports stay as they are, and the check says what it has against them.
"""

from __future__ import annotations

import re

from thoughtforge.gate.context import Broken
from thoughtforge.gate.files import changed_lines
from thoughtforge.gate.run import Gate, fitting

CODE = "I001"
IMPORT = re.compile(r"\s*(?:import|from)\s")


async def in_order(gate: Gate, path: str, text: str) -> str:
    """The text with its new imports in order; the text itself when there is nothing to do."""
    checks = [each for each in gate.checks if CODE in each.check.RUFF]
    base = gate.before.texts.get(path) if gate.before else None
    added = changed_lines(base, text)
    lines = text.split("\n")
    if not any(IMPORT.match(lines[number - 1]) for number in added):
        return text
    if not any(fitting(each, [path], is_test=gate.config.is_test) for each in checks):
        return text
    try:
        async with gate.lock:
            return await _put_in_order(gate, path, lines, base or "", added)
    except Broken:
        return text


async def _put_in_order(gate: Gate, path: str, lines: list[str], base: str, added: frozenset[int]) -> str:
    ruff = gate.files.ruff
    kept = lines[:]
    for fix in sorted(await ruff.fixes(path, "\n".join(lines), code=CODE), reverse=True):
        block = {number for number in range(fix.first + 1, fix.last + 1) if lines[number - 1].strip()}
        whole = block <= added
        if whole or (block & added and not await ruff.fixes(path, base, code=CODE)):
            kept[fix.first : fix.last] = fix.text.split("\n")[:-1]
    return "\n".join(kept)
