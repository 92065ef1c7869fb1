"""What the agent of a phase is shown: the phase, its files as they are now, what came before it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from thoughtforge.agent.context import CODE, MEASURED, NOTES, OLDER, SPECIFICATION, WHOLE, Block
from thoughtforge.agent.run import Run
from thoughtforge.agent.tokens import estimate
from thoughtforge.coding import at_hand
from thoughtforge.coding.at_hand import QuotedLine, change_so_far, moved
from thoughtforge.coding.building import StageBuild
from thoughtforge.forge.findings import AuditFinding
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.place import whole
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.forge.structure import section
from thoughtforge.kernel.errors import UserError
from thoughtforge.stages.excerpts import SearchTerm, defined
from thoughtforge.stages.forge_material import commands_block, noted
from thoughtforge.workspaces.tree import FileTree

SHOWN_OUTPUTS = 6
SHOWN_OWED = 12
AT_HAND = 2_500
"""Tokens of the files of a phase that are shown."""
BACK_TICKS = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"[A-Za-z_]\w{2,}")
SHORTEST = 3
"""Letters of a name that is too short to tell one change from another."""
MOST_DEFINED = 3
"""Places in one file where the same name is given its meaning."""


def phase_blocks(run: Run, phase: PlanPhase) -> tuple[Block, ...]:
    """The same at every step of a phase."""
    plan = run.record.journal.of(PLAN)
    text = whole(run.record.blobs, plan)
    files = (
        "\n".join(f"- {path}" for path in (*phase.context_files, *plan.allowed(phase.id)))
        or "- every file of the repository"
    )
    return (
        Block(f"the phase {phase.id}: {phase.title}", phase.description, 400, floor=200, need=MEASURED),
        Block("files you may change", files, WHOLE, floor=WHOLE, need=MEASURED),
        Block("files a person allowed beside the plan", _allowed(plan, phase), 400, floor=200, need=MEASURED),
        Block("what the plan asks for", phase.change_spec, 2_500, floor=900, untrusted=True, need=SPECIFICATION),
        Block("what the plan is for", section(text, "Objective"), 400, floor=150, untrusted=True, need=SPECIFICATION),
        Block(
            "what belongs to the plan and what stays out of it",
            section(text, "Scope"),
            400,
            floor=100,
            untrusted=True,
            need=OLDER,
        ),
        Block("what earlier phases did", _outputs(plan, phase), 700, floor=200, untrusted=True, need=NOTES),
        commands_block(run),
        Block("tests that earlier phases broke", _owed(plan), 300, floor=100, untrusted=True, need=NOTES),
    )


def _allowed(plan: ChangePlan, phase: PlanPhase) -> str:
    """The files that a person allowed this phase, and why; they need no `needs` any more."""
    mine = [one for one in plan.deviations if one.path and one.phase == phase.id]
    rows = [f"- {one.path}: allowed by {one.by}, because you asked: {one.reason}" for one in mine]
    return "\n".join([*rows, "Change them as you said; leave them out of `needs`."] if rows else [])


def _outputs(plan: ChangePlan, phase: PlanPhase) -> str:
    done = [one for one in plan.phases if one.id != phase.id and one.output][-SHOWN_OUTPUTS:]
    return "\n".join(f"- {one.id} ({one.title}): {one.output}" for one in done)


def _owed(plan: ChangePlan) -> str:
    more = [f"- and {len(plan.owed) - SHOWN_OWED} more"] if len(plan.owed) > SHOWN_OWED else []
    return "\n".join([*(f"- {id}" for id in plan.owed[:SHOWN_OWED]), *more])


async def changed_before(site: StageBuild, phase: PlanPhase) -> Sequence[Block]:
    """What earlier phases changed in other files, as far as this one names it, as a test names the code it proves."""
    base = site.run.record.task.base_commit
    if site.before == base:
        return []
    diff = concerned(await site.session.workspace.diff(base, site.before), phase)
    title = "what earlier phases changed that this one names; you may not change it here"
    return [Block(title, diff, 1_500, floor=300, untrusted=True, need=CODE)] if diff else []


def concerned(diff: str, phase: PlanPhase) -> str:
    """The files of a difference that are not the phase's and that its change spec names, or a name in their lines."""
    found = []
    for part in re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE):
        path = next((line[6:] for line in part.splitlines() if line.startswith(("+++ b/", "--- a/"))), "")
        lines = "\n".join(line for line in part.splitlines() if line.startswith(("+", "-")))
        words = {*re.findall(r"\w+", lines)}
        if path and path not in phase.context_files and (path in phase.change_spec or words & _named(phase)):
            found.append(part)
    return "".join(found)


def _named(phase: PlanPhase) -> frozenset[str]:
    """What the change spec names as code; the names of its own files are no such thing."""
    text = phase.change_spec
    for path in phase.context_files:
        text = text.replace(path, " ")
    spans = " ".join(BACK_TICKS.findall(text))
    called = (each for found in at_hand.NAME.finditer(text) for each in found.groups() if each)
    return frozenset(name for name in (*NAME.findall(spans), *called) if len(name) > SHORTEST)


async def at_hand_now(
    site: StageBuild, tree: FileTree, files: Sequence[str], *, spec: str = "", found: Sequence[AuditFinding] = ()
) -> Sequence[Block]:
    """The files of the phase as they are now, with the numbers of their lines, and what was changed so far.

    First come the places of the findings to settle, then those the research cites and those that `spec` names.
    """
    texts = {path: await _lines(tree, path) for path in files if path in tree.entries}
    wanted = [*named_places(texts, found), *await _cited(site.run, texts), *places_of_names(texts, spec)]
    order = quoted(texts, wanted, room=AT_HAND)
    shorten = partial(at_hand.shortened, texts, order)
    title = "the files of the phase as they are now; read_file shows what is left out"
    block = Block(title, at_hand.rendered(texts, order), AT_HAND, floor=300, untrusted=True, need=CODE, shorten=shorten)
    return [block, *await change_so_far(site, tree)]


def quoted(texts: Mapping[str, Sequence[str]], wanted: Sequence[QuotedLine], *, room: int) -> list[QuotedLine]:
    """The lines to show, the most wanted first: around each place, then the rest of every file that fits as a whole."""
    named = {place.path for place in wanted}
    begin = [QuotedLine(path, 1) for path, lines in texts.items() if lines and path not in named]
    shown = dict.fromkeys([*at_hand.in_order(texts, wanted), *at_hand.in_order(texts, begin)])
    for path, lines in texts.items():
        more = shown | {QuotedLine(path, number): None for number in range(1, len(lines) + 1)}
        if estimate(at_hand.rendered(texts, more)) <= room:
            shown = more
    return list(shown)


def named_places(texts: Mapping[str, Sequence[str]], found: Sequence[AuditFinding]) -> list[QuotedLine]:
    """The lines that findings name by file and number, or by a name between back-ticks."""
    places: list[QuotedLine] = []
    for one in found:
        for path, lines in texts.items():
            for hit in re.finditer(rf"{re.escape(path)}(?:[:, ]+(?:lines? |l\.? ?)?(\d{{1,9}}))?", one.location):
                places += [QuotedLine(path, min(int(hit[1]), len(lines)))] if hit[1] and int(hit[1]) and lines else []
        places += places_of_names(texts, f"{one.location} {one.title} {one.description} {one.recommendation}")
    return places


async def _cited(run: Run, texts: Mapping[str, Sequence[str]]) -> list[QuotedLine]:
    """The lines that the research cites in these files, where they are now."""
    plan = run.record.journal.of(PLAN)
    notes = (run.record.artifact(plan.notes) if plan.notes else None) or {}
    places = []
    for path, line in noted(notes):
        if line > 1 and texts.get(path):
            before = await _lines(run.library.tree, path) if path in run.library.tree.entries else []
            places.append(QuotedLine(path, min(moved(line, before, texts[path]), len(texts[path]))))
    return places


def places_of_names(texts: Mapping[str, Sequence[str]], spec: str) -> list[QuotedLine]:
    """Where the files define what a text names between back-ticks, then where they first use it."""
    spans = (span for span in BACK_TICKS.findall(spec) if span not in texts)
    names = [SearchTerm(name, 1, 1, True) for span in spans for name in NAME.findall(span)[:1]]
    defines: list[QuotedLine] = []
    uses: list[QuotedLine] = []
    for path, lines in texts.items():
        for term in dict.fromkeys(names):
            at = [QuotedLine(path, number) for number, line in enumerate(lines, start=1) if term.word in line]
            made = [place for place in at if defined(lines[place.line - 1], [term])]
            defines += made[:MOST_DEFINED]
            uses += [] if made else at[:1]
    return [*defines, *uses]


async def _lines(tree: FileTree, path: str) -> list[str]:
    try:
        file = await tree.read(path)
    except UserError:
        return []
    return [] if file.gap else file.text.splitlines()
