"""What may go into a slot: content for slots that exist, and no placeholder in its stead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from thoughtforge.deliverables.plan.placeholders import placeholder
from thoughtforge.deliverables.plan.template import Section, Template


class Filling(NamedTuple):
    """What a section got."""

    content: dict[str, str]
    """Slot → text, only slots of the section that hold content."""
    warnings: tuple[str, ...]
    """What was dropped, in sentences."""
    missing: tuple[str, ...]
    """Slots that are empty or hold a placeholder, in sentences."""


def accept(section: Section, content: Mapping[str, str], *, allowed: str = "") -> Filling:
    """What of an answer counts; `allowed` is the phrase a provider that only quotes leaves for what nobody said."""
    kept: dict[str, str] = {}
    missing = []
    for slot in section.slots:
        what = _lacking(content.get(slot, ""), allowed)
        if what:
            missing.append(f"{section.heading}: {slot} {what}")
        else:
            kept[slot] = content[slot]
    strangers = [name for name in content if name not in section.slots]
    warnings = tuple(
        f"{section.heading}: there is no slot {name[:60]!r}; its content was dropped" for name in strangers
    )
    return Filling(kept, warnings, tuple(missing))


def unfinished(template: Template, filled: Mapping[str, str], *, allowed: str = "") -> tuple[Section, ...]:
    """The sections that still lack something, in order: a build goes on at the first."""
    return tuple(section for section in template.sections if accept(section, filled, allowed=allowed).missing)


def _lacking(text: str, allowed: str) -> str:
    if not text.strip():
        return "is empty"
    # Who may leave that phrase only quotes a person, and what they wrote themselves is never refused.
    found = "" if allowed else placeholder(text)
    return f"holds a placeholder ({found[:40]})" if found else ""
