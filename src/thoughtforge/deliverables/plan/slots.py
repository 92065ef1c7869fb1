"""The slots of a plan: filled, checked for words that only hold a place, rendered, and kept as a draft.

Three slots are the cells of the table that frames a section, a sentence or two each; the fourth is what stands below.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from thoughtforge.agent.run import Run
from thoughtforge.calls.events import DraftMade
from thoughtforge.deliverables.plan.figures import wrong_sums
from thoughtforge.deliverables.plan.markdown import Table, body, lines_of, outline
from thoughtforge.deliverables.plan.template import COLUMNS as FRAME
from thoughtforge.deliverables.plan.template import TITLE, Section, Template, jinja
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Stage
from thoughtforge.think.rests import COURSES, StageCourse

THING = (
    r"[- ](?:lists?|apps?|items?|managers?|tools?|trackers?|boards?|columns?|comments?|entr(?:y|ies)|labels?|tags?)\b"
)
"""What makes the word before it the name of something: a todo list, the TBD column."""
WHOLE = re.compile(
    r"(?:tb[dac]|to ?do|fixme|x{3,}|placeholder(?: (?:text|content))?|this is a placeholder|coming soon"
    r"|fill (?:me|this) in|not said yet|zu bestimmen|noch zu klären|por (?:definir|determinar)|à définir"
    r"|(?:still |yet )?to be (?:determined|decided|defined|done|confirmed|announced|written|added|completed|agreed))",
    re.IGNORECASE,
)
"""A whole line, or the last part of one, that says only that something is missing."""
ANYWHERE = (
    re.compile(rf"\btb[dac]\b(?!{THING})", re.IGNORECASE),
    re.compile(r"\blorem ipsum\b", re.IGNORECASE),
    re.compile(r"\b(?:TODO|FIXME)\s*:|\b(?:TODO|FIXME)\("),
    re.compile(r"^\W*(?:todo|fixme)\s*:", re.IGNORECASE),
    re.compile(r"\[\s*(?:insert|your|enter|fill|tbd|todo|placeholder)\b[^\]]{0,200}\]", re.IGNORECASE),
    re.compile(r"<\s*(?:insert|your|enter|fill in|placeholder)\b[^>]{0,200}>", re.IGNORECASE),
    re.compile(r"^\s*\{\{[^}]*\}\}\s*$"),
    re.compile(r"^\W*(?:this|that|it|here)\s+is\s+(?:just |only |still )?(?:a|the) placeholder\b", re.IGNORECASE),
    re.compile(r"\b(?:just|only|merely|still) a placeholder\b", re.IGNORECASE),
    re.compile(r"^\W*placeholder (?:until|till|here|pending|to be|for(?!.*\b(?:field|input|form|box)\b))\b", re.I),
)
"""What says so wherever it is found, or at the beginning of a line."""
LOUD = re.compile(rf"(?:TODO|FIXME)\b(?!{THING})(?=\s|$)")
"""In capitals it opens a note to oneself, and a part of a line is enough."""
COLUMNS = re.compile(r"\b(?:D(?:ONE|OING)|D(?:one|oing)|IN PROGRESS|In [Pp]rogress)\b")
"""Beside these TODO is a column of a board."""
LINE = re.compile(r"[\n\r]|<br>")
PART = re.compile(r"[:–—→()\[\]]|\s-+\s|(?<=[.!?…])\s")
"""Where a line falls into parts. Commas are left alone: between them stand the items of a list."""
QUOTED = re.compile(r"\[[^\]]{0,200}\]\([^)]{0,500}\)|`[^`]{1,200}`|\"[^\"]{1,200}\"|“[^”]{1,200}”")
"""Links, code and quotations speak about a word and do not use it."""
EDGES = ' \t.…!?*_`~()[]|-–—"“”'
SHOWN = 60


def placeholder(text: str) -> str:
    """The placeholder in a text, empty when it is content."""
    if not _says_anything(text):
        return text.strip()[:SHOWN]
    return next((found for line in LINE.split(text) if (found := _in_line(line))), "")


def _says_anything(text: str) -> bool:
    """Letters, digits and pictures do; dots, dashes and question marks alone do not."""
    return any(mark.isalnum() or unicodedata.category(mark) == "So" for mark in text)


def _in_line(line: str) -> str:
    bare = line.strip(EDGES)
    if WHOLE.fullmatch(bare):
        return bare
    own = QUOTED.sub("…", line)
    for pattern in ANYWHERE:
        found = pattern.search(own)
        if found:
            return found.group().strip()[:SHOWN]
    return _in_parts([part for part in (part.strip(EDGES) for part in PART.split(own)) if part])


def _in_parts(parts: list[str]) -> str:
    """A part that is loud, or a last one that is nothing else."""
    if any(COLUMNS.search(part) for part in parts):
        return ""
    loud = next((found for part in parts if (found := LOUD.match(part))), None)
    if loud:
        return loud.group()
    return parts[-1] if parts and WHOLE.fullmatch(parts[-1]) else ""


CELL = 300
"""Characters one cell of the frame may have; what is longer stands below it."""
CELL_LINES = 3
TASKS = ("What", "Who", "By when", "Depends on")
"""The columns of the table that a section with actions holds."""
SENTENCE = re.compile(r"(?<=[.!?:])\s+")
LIST = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+|^\s*\|")


class Filling(NamedTuple):
    """What a section got."""

    content: dict[str, str]
    """Slot → text, only slots of the section that hold content."""
    warnings: tuple[str, ...]
    """What was dropped, in sentences."""
    missing: tuple[str, ...]
    """Slots that are empty or hold a placeholder, in sentences."""
    better: tuple[str, ...] = ()
    """What is asked for once more and never halts a build: cells too long, no tasks table, a sum that is wrong."""


def named(section: Section, content: Mapping[str, str]) -> dict[str, str]:
    """The content under the section's own slots: a name that can only mean one of them is taken for it."""
    found = {name: text for name, text in content.items() if name in section.slots}
    others = [name for name in content if name not in section.slots]
    meant = {name: _meant(section, name) for name in others}
    for name, slot in meant.items():
        if slot and not found.get(slot, "").strip() and list(meant.values()).count(slot) == 1:
            found[slot] = content[name]
        else:
            found[name] = content[name]
    return found


def _meant(section: Section, name: str) -> str:
    """The slot with the same last word: objective, plan, assessment or body."""
    last = re.split(r"[\W_]+", name.casefold().strip(" _"))[-1]
    return next((slot for slot in section.slots if slot.rpartition("_")[2] == last), "")


def accept(section: Section, content: Mapping[str, str], *, allowed: str = "") -> Filling:
    """What of an answer counts; `allowed` is the phrase a provider that only quotes leaves for what nobody said."""
    kept: dict[str, str] = {}
    missing: list[str] = []
    for slot in section.slots:
        what = _lacking(content.get(slot, ""), allowed)
        if what and not (allowed and slot == section.body):
            missing.append(f"{section.heading}: {_place(section, slot)} {what}")
        elif not what:
            kept[slot] = content[slot]
    strangers = [name for name in content if name not in section.slots]
    warnings = tuple(
        f"{section.heading}: there is no slot {name[:60]!r}; its content was dropped" for name in strangers
    )
    better = () if allowed else tuple(f"{section.heading}: {what}" for what in _wishes(section, kept))
    told = () if allowed else tuple(_no_slot(section, name) for name in strangers)
    return Filling(
        kept, warnings, (*missing, *(told if missing else ())), (*better, *(told if better and not missing else ()))
    )


def _no_slot(section: Section, name: str) -> str:
    """A name that is no slot, with the nearest one and all there are."""
    near = get_close_matches(name, section.slots, n=1, cutoff=0)
    nearest = f"the nearest is {near[0]}; " if near else ""
    return f"{section.heading}: there is no slot {name[:60]}; {nearest}its slots are {', '.join(section.slots)}"


def _place(section: Section, slot: str) -> str:
    """A slot by its name and, for people, where it stands."""
    columns = dict(zip(section.cells, FRAME, strict=False))
    return f"{slot} ({columns[slot].capitalize()} in the table)" if slot in columns else f"{slot} (below the table)"


def _wishes(section: Section, content: Mapping[str, str]) -> Iterator[str]:
    for slot in section.cells:
        text = content.get(slot, "")
        if is_wall(text):
            size = f"{len(text.strip())} characters in {len(text.strip().splitlines())} lines"
            yield f"{slot} has {size}. Leave a sentence or two, at most {CELL}, and move the rest to {section.body}"
    below = content.get(section.body, "")
    tables = outline(body(below)).tables
    if below and "actions" in section.holds and not any(is_tasks(table) for table in tables):
        yield f"{section.body} has no tasks table | {' | '.join(TASKS)} |"
    yield from surplus_cells(below)
    yield from (wrong.told() for wrong in wrong_sums(tables))


def surplus_cells(text: str) -> Iterator[str]:
    """Rows with more cells than their table has columns: a bar in a cell is written with a backslash before it."""
    rows = "\n".join(line.text for line in lines_of(text) if not line.fenced)
    for table in outline(rows).tables:
        for number, row in enumerate(table.rows, 1):
            if table.ruled and len(row) > len(table.header):
                yield f"row {number} of the table | {' | '.join(table.header)} | has {len(row)} cells"


def is_wall(text: str) -> bool:
    """Whether a text is too much for a cell of the frame: too long, too many lines, or a table."""
    lines = text.strip().splitlines()
    return len(text.strip()) > CELL or len(lines) > CELL_LINES or any(line.lstrip().startswith("|") for line in lines)


def is_tasks(table: Table) -> bool:
    """Whether a table is one of tasks; further columns are welcome."""
    return {name.casefold() for name in TASKS} <= set(table.key)


def framed(section: Section, content: Mapping[str, str]) -> dict[str, str]:
    """The content with every cell short: what is too long for one stands below the table, where it can be read."""
    found = dict(content)
    moved = []
    for slot, column in zip(section.cells, FRAME, strict=True):
        text = found.get(slot, "").strip()
        if is_wall(text):
            found[slot] = lead = _lead(text)
            rest = text[len(lead) :].strip() if text.startswith(lead) else text
            moved.append(rest if column == "plan" else f"**{column.capitalize()}:**\n\n{rest}")
    if moved:
        found[section.body] = "\n\n".join([*moved, found.get(section.body, "")]).strip()
    return found


def _lead(text: str) -> str:
    """Its first sentences, as far as they fit; a list or a table has none."""
    first = text.splitlines()[0].strip()
    if LIST.match(first):
        return "See below."
    lead = ""
    for sentence in SENTENCE.split(first):
        longer = f"{lead} {sentence}".strip()
        if len(longer) > CELL:
            break
        lead = longer
    return lead or "See below."


def unfinished(template: Template, filled: Mapping[str, str], *, allowed: str = "") -> tuple[Section, ...]:
    """The sections that still lack something, in order: a build goes on at the first."""
    return tuple(section for section in template.sections if accept(section, filled, allowed=allowed).missing)


def _lacking(text: str, allowed: str) -> str:
    if not text.strip():
        return "is empty"
    # Who may leave that phrase only quotes a person, and what they wrote themselves is never refused.
    found = "" if allowed else placeholder(text)
    return f"holds a placeholder ({found[:40]})" if found else ""


def render(template: Template, filled: Mapping[str, str], *, title: str) -> str:
    """The whole document; a slot without content is an empty cell, so a half-filled plan can be shown and kept."""
    opening = _rendered(template.opening, template.path, variables={TITLE: _one_line(title)}).strip()
    parts = [render_section(template, section, filled=filled, title=title) for section in template.sections]
    return "\n".join([f"{opening}\n" if opening else "", *parts]).lstrip("\n")


def render_section(template: Template, section: Section, *, filled: Mapping[str, str], title: str = "") -> str:
    """One section alone, as it stands in the document."""
    slots = {slot: filled.get(slot, "") for slot in section.cells}
    frame = _rendered(section.text, template.path, variables={**slots, TITLE: _one_line(title)}).strip()
    heading = f"## {section.heading.replace('<', '&lt;')}"
    return "\n\n".join(part for part in (heading, frame, body(filled.get(section.body, ""))) if part.strip()) + "\n"


def _one_line(title: str) -> str:
    return " ".join(title.split())


def _rendered(text: str, path: str, *, variables: Mapping[str, str]) -> str:
    from jinja2 import TemplateError

    try:
        return jinja().from_string(text).render(**variables)
    except TemplateError as error:
        raise UserError(f"{path}: {error}", do="Correct the template.") from error


class Draft(NamedTuple):
    """What is filled so far."""

    slots: dict[str, str]
    short: str = ""
    """Why a plan that was whole is written anew; every section is told."""


def read_draft(run: Run, stage: Stage) -> Draft:
    """The draft on record; an empty one at the beginning."""
    draft = run.record.stage(stage.name).draft
    kept = run.record.artifact(draft) if draft else None
    return Draft(dict(kept["slots"]), kept.get("short", "")) if kept else Draft({})


def keep_draft(run: Run, stage: Stage, draft: Draft) -> None:
    """Put it on record."""
    digest = run.record.put({"slots": draft.slots, **({"short": draft.short} if draft.short else {})})
    run.record.journal.append(DraftMade(stage=stage.name, round=run.record.stage(stage.name).round, draft=digest))


def was_short(run: Run, stage: Stage) -> bool:
    """Whether the plan halted for its size and nothing was filled since."""
    return run.record.journal.of(COURSES).get(stage.name, StageCourse()).short
