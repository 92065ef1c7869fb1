"""Numbers, ids and file names of change plans."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

PLAN = re.compile(r"plan-(\d{3,9})(?:-[^/]*)?", re.IGNORECASE)
REFERENCE = re.compile(r"(?:plan-)?0*(\d{1,9})(?:-[\w-]*)?(?:\.md)?", re.IGNORECASE)
SLUG = 48
"""The longest slug."""
VIEW = "phases"
"""The last word of the name of a view; no file of a plan ends with it."""


def plan_id(number: int) -> str:
    """`plan-017`; from 1000 on it has more digits."""
    return f"plan-{number:03}"


def next_number(used: Iterable[str]) -> int:
    """One more than the highest number in these ids and file names, also of plans that are gone."""
    return 1 + max((int(found[1]) for name in used if (found := PLAN.match(name.rpartition("/")[2]))), default=0)


def file_name(number: int, title: str) -> str:
    """`plan-017-retry-webhooks.md`."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = "-".join(re.findall(r"[a-z0-9]+", plain))[:SLUG].strip("-") or "change"
    if slug.rpartition("-")[2] == VIEW:  # the file of its phases has that name
        slug = f"{slug}-plan"
    return f"{plan_id(number)}-{slug}.md"


def phases_name(id: str) -> str:
    """The name of the view of a plan's phases."""
    return f"{id}-{VIEW}.md"


def id_of(name: str) -> str:
    """The id a file name or path begins with; empty when it is no plan file. Views of phases are none."""
    last = name.rpartition("/")[2]
    found = PLAN.match(last)
    if not found or not last.endswith(".md") or last.endswith(f"-{VIEW}.md"):
        return ""
    return plan_id(int(found[1]))


def referred(word: str) -> str:
    """The id a person means by `plan-17`, `017`, `17` or a file name; empty when it is none."""
    found = REFERENCE.fullmatch(word.strip())
    return plan_id(int(found[1])) if found else ""
