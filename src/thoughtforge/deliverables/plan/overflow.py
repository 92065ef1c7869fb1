"""What a section's writer is shown: everything, or when that is too much the part that matters most."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from thoughtforge.deliverables.plan.render import render, render_section
from thoughtforge.deliverables.plan.template import Section, Template

CUT = "\n… (the rest does not fit)\n"
LEFT_OUT = "the plan so far does not fit; shown are the slots, their part of the specification and the section before"
WORD = re.compile(r"\w{4,}")
PARAGRAPH = re.compile(r"\n\s*\n")


class SectionContext(NamedTuple):
    """The text for one section and, when something was left out, a sentence saying so."""

    text: str
    warning: str


def section_context(
    template: Template,
    section: Section,
    *,
    filled: Mapping[str, str],
    spec: str,
    title: str,
    fits: Callable[[str], bool],
) -> SectionContext:
    """The specification and the plan so far if they fit; else the slots, their part of it and the section before."""
    asked = slots_asked(section)
    whole = f"{asked}\n{spec.strip()}\n\n{render(template, filled, title=title)}"
    if fits(whole):
        return SectionContext(whole, "")
    before = _before(template, section, filled=filled)
    part = spec_part(spec, section)
    warning = f"{section.heading}: {LEFT_OUT}"
    text = f"{asked}\n{part}\n\n{before}"
    if fits(text):
        return SectionContext(text, warning)
    return SectionContext(_shortened(asked, part, fits=fits), f"{warning}, cut to size")


def slots_asked(section: Section) -> str:
    """What a section is and which slots it has."""
    return f"Section: {section.heading}\nPurpose: {section.purpose}\nSlots: {', '.join(section.slots)}\n"


def spec_part(spec: str, section: Section) -> str:
    """The paragraphs of a specification that share a word with the section; its beginning when none does."""
    wanted = {word.casefold() for word in WORD.findall(f"{section.heading} {section.purpose}")}
    paragraphs = [part.strip() for part in PARAGRAPH.split(spec) if part.strip()]
    near = [part for part in paragraphs if wanted & {word.casefold() for word in WORD.findall(part)}]
    return "\n\n".join(near or paragraphs[:2])


def _before(template: Template, section: Section, *, filled: Mapping[str, str]) -> str:
    place = [each.name for each in template.sections].index(section.name)
    return render_section(template, template.sections[place - 1], filled=filled) if place else ""


def _shortened(asked: str, part: str, *, fits: Callable[[str], bool]) -> str:
    """As much of the specification's part as fits; the slots are always there."""
    low, high = 0, len(part)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(f"{asked}\n{part[:middle]}{CUT}"):
            low = middle
        else:
            high = middle - 1
    return f"{asked}\n{part[:low]}{CUT}" if low else asked
