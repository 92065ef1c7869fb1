"""What the writer of a section is shown: its slots and what they are for, the specification, and the plan so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from thoughtforge.deliverables.plan.slots import CELL, TASKS, render, render_section
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


CELLS = ("what this section is to achieve", "how, in short", "how one will know that it was achieved")
"""What the three cells of the frame are for."""
FIGURES = "This section holds figures: put them into a table with a row that begins with Total; the engine adds it up."


def slots_asked(section: Section) -> str:
    """What a section is, which slots it has and what each is for."""
    cells = [
        f"- {slot}: {told}; a sentence or two, at most {CELL} characters"
        for slot, told in zip(section.cells, CELLS, strict=True)
    ]
    tasks = f"This section has actions: {section.body} holds a table | {' | '.join(TASKS)} |, a row for each."
    due = [told for name, told in (("actions", tasks), ("figures", FIGURES)) if name in section.holds]
    below = f"- {section.body}: the content itself, below the frame: paragraphs, lists and tables in Markdown"
    about = [f"Section: {section.heading}", f"Purpose: {section.purpose}", "Slots:"]
    return "\n".join([*about, *cells, below, *due, ""])


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
