"""What the roles of a forge are shown: the wish, the plan with line numbers, quoted code, earlier findings, lessons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.asking import context_room
from thoughtforge.agent.context import CODE, MAP, MEASURED, NOTES, SPECIFICATION, WHOLE, Block
from thoughtforge.agent.repository_map import lines_of, shortened
from thoughtforge.agent.run import Run
from thoughtforge.agent.tokens import estimate
from thoughtforge.coding import at_hand
from thoughtforge.coding.at_hand import QuotedLine
from thoughtforge.forge.layout import REQUIRED
from thoughtforge.forge.phases import files_of
from thoughtforge.forge.place import whole
from thoughtforge.forge.plan import ChangePlan
from thoughtforge.forge.plan_file import with_status
from thoughtforge.forge.reading import PlanPart, PlanReading, excerpt, numbered, reading
from thoughtforge.forge.structure import sections_of
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Criterion, Stage

HOME_IN_TREE = ".thoughtforge/"
LESSONS = "plans/lessons.md"
"""Where a repository keeps what it learned from earlier plans, below .thoughtforge/."""
QUOTED = 12_000
"""Tokens of code that a role is shown."""
MOST_FILES = 30
PLAN_SHARE = 2
"""A plan has at most half of the room."""


async def from_home(run: Run, name: str) -> str:
    """A file that the repository keeps for us, as the base commit has it; empty when it has none."""
    try:
        found = await run.library.tree.read(f"{HOME_IN_TREE}{name}")
    except UserError:
        return ""
    return "" if found.gap else found.text


def asked_block(run: Run) -> Block:
    """What a person wants."""
    return Block("what is wanted", run.record.request(), 4_000, floor=1_000, untrusted=True, need=SPECIFICATION)


def research_block(run: Run, plan: ChangePlan) -> Block:
    """What the research found."""
    notes = run.record.artifact(plan.notes) if plan.notes else None
    return Block("what the research found", as_yaml(notes or {}), 3_000, floor=800, untrusted=True, need=NOTES)


async def lessons_block(run: Run) -> Block:
    """What earlier plans of this repository taught."""
    return Block("lessons from earlier plans", await from_home(run, LESSONS), 1_500, floor=300, untrusted=True)


async def steps_block(run: Run, stage: Stage, most: int) -> Sequence[Block]:
    """How far a bounded turn has come."""
    most = min(most, run.record.journal.state.caps.stage_steps)
    told = f"This is step {run.record.stage(stage.name).steps + 1} of {most}."
    return [Block("your steps", told, 40, floor=40, need=MEASURED)]


def commands_block(run: Run) -> Block:
    """The commands a person allowed, or that there are none."""
    rows = "\n".join(f"- {' '.join(words)} …" for words in run.library.config.commands)
    none = "None is allowed: no command is run, and those of the plan's Testing section are shown as not run."
    title = "allowed commands (a command line begins, word by word, with one of these)"
    return Block(title if rows else "allowed commands", rows or none, 400, floor=100, need=MEASURED)


def files_block(run: Run) -> Block:
    """Every path of the repository, folder by folder."""
    rows = lines_of(tuple(entry.path for entry in run.library.tree.paths()))
    text = "\n".join(row.text for row in rows)
    return Block("files of the repository", text, 3_000, 150, True, need=MAP, shorten=partial(shortened, rows))


def plan_block(run: Run, plan: ChangePlan) -> Block:
    """The plan with the numbers of its lines, so that a finding can name one."""
    lines = with_status(whole(run.record.blobs, plan), plan.status).splitlines()
    return part_block(numbered(lines, 1, len(lines)))


def part_block(text: str) -> Block:
    """A plan, or as much of it as one call reads."""
    return Block("the change plan", text, WHOLE, floor=WHOLE, untrusted=True, need=SPECIFICATION)


def parts(run: Run, plan: ChangePlan) -> PlanReading:
    """The plan as the auditor reads it: at once, or part after part."""
    return reading(whole(run.record.blobs, plan), _plan_room(run, "auditor"), size=estimate)


def named_part(run: Run, plan: ChangePlan) -> PlanPart:
    """The plan as the reviser reads it: all of it, or the sections that what blocks names."""
    text, room = whole(run.record.blobs, plan), _plan_room(run, "reviser")
    at_once = reading(text, room, size=estimate)
    if len(at_once.parts) == 1 and not at_once.unread:
        return at_once.parts[0]
    blocking = [point for point in plan.audits[-1].findings if point.severity == "blocking"]
    told = "\n".join(f"{one.location} {one.title} {one.description}" for one in blocking).casefold()
    names = [one.name for one in sections_of(text) if one.key in told]
    return excerpt(text, room, first=names or REQUIRED, size=estimate)


def _plan_room(run: Run, role: str) -> int:
    """Tokens of the plan that a role is shown at once; the rest is for what it is held against."""
    return context_room(run, run.library.agent(role)) // PLAN_SHARE


def raised_block(plan: ChangePlan, *, why: bool = False) -> Block:
    """What earlier audits of this draft raised, and how often; `why` shows only what blocks, with its reason."""
    times = Counter(point.id for audit in plan.audits for point in audit.findings)
    last = {point.id: point for audit in plan.audits for point in audit.findings}
    now = {point.id for point in plan.audits[-1].findings} if plan.audits else set()
    rows = []
    for point in last.values():
        if why and (point.id not in now or point.severity != "blocking"):
            continue
        often = f", raised {times[point.id]} times" if times[point.id] > 1 else ""
        rows.append(f"- {point.id} {point.severity} ({point.location or 'no place named'}{often}): {point.title}")
        rows.append(f"  why: {point.description}")
        rows += [f"  recommended: {point.recommendation}"] if point.recommendation else []
        said = "" if why else plan.answers.get(point.id, "")
        rows += [f"  the reviser says, in its own words: {said}"] if said else []
    title = "findings to settle" if why else "what earlier audits of this plan raised"
    return Block(title, "\n".join(rows), 4_000, floor=2_000, untrusted=True, need=MEASURED)


def probes_block(tried: Sequence[Criterion]) -> Block:
    """What trying the assumptions of the plan showed."""
    rows = "\n".join(f"- {one.name}: {one.outcome}: {one.detail}" for one in tried)
    return Block("what the engine found when it tried the assumptions", rows, 1_500, floor=300, need=MEASURED)


async def quoted_block(run: Run, plan: ChangePlan, *, role: str) -> Block:
    """The lines of the repository that a plan or its research names, with their numbers."""
    notes = (run.record.artifact(plan.notes) if plan.notes else None) or {}
    named = [*noted(notes), *(QuotedLine(path, 1) for path in files_of(whole(run.record.blobs, plan)).paths)]
    there = [place for place in dict.fromkeys(named) if place.path in run.library.tree.entries]
    texts = {path: await _lines(run, path) for path in _first(place.path for place in there)}
    places = [QuotedLine(p.path, min(p.line, len(texts[p.path]))) for p in there if texts.get(p.path)]
    order = at_hand.in_order(texts, places)
    text = at_hand.rendered(texts, order)
    most = min(QUOTED, context_room(run, run.library.agent(role)) // 2)
    shorten = partial(at_hand.shortened, texts, order)
    title = "quoted lines of the repository (numbers are lines)"
    return Block(title, text, most, floor=most // 3, untrusted=True, need=CODE, shorten=shorten)


def _first(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(paths))[:MOST_FILES]


def noted(notes: Mapping[str, object]) -> list[QuotedLine]:
    """The places that the research cites; the first line of a file that it names without one."""
    files = notes.get("files")
    found = []
    for one in files if isinstance(files, list) else []:
        line = one.get("line")
        found.append(QuotedLine(str(one.get("path")), line if isinstance(line, int) and line > 0 else 1))
    return found


async def _lines(run: Run, path: str) -> list[str]:
    file = await run.library.tree.read(path)
    return [] if file.gap else file.text.splitlines()
