"""What a change plan means: what an approval is bound to, and what phases are made from."""

from __future__ import annotations

import hashlib
import json

from thoughtforge.forge.layout import MANIFEST, REQUIRED, before_separation
from thoughtforge.forge.plan_file import header_of
from thoughtforge.forge.structure import key_of, sections_of

DIGITS = 16


def meaning_hash(text: str) -> str:
    """16 hex digits of title, required sections and manifest; line ends and trailing blanks do not matter."""
    found = sections_of(text)
    told = [header_of(text).title]
    for name in (*REQUIRED, MANIFEST):
        same = [one.text for one in found if one.key == key_of(name)]
        told.append("\n## \n".join(map(plain, same)))
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:DIGITS]


def plain(text: str) -> str:
    """A section without what changes no meaning: line ends, trailing blanks, the rule before the next one."""
    lines = (line.rstrip() for line in text.replace("\r\n", "\n").split("\n"))
    joined = "\n".join(lines).strip("\n")
    return joined[: before_separation(joined, 0, len(joined))].rstrip("\n")
