"""What the agent of a phase is shown: the phase, its files as they are now, what came before it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from thoughtforge.agent.context import CODE, MEASURED, NOTES, OLDER, SPECIFICATION, WHOLE, Block
from thoughtforge.agent.run import Run
from thoughtforge.coding import at_hand
from thoughtforge.coding.at_hand import QuotedLine, change_so_far
from thoughtforge.coding.building import StageBuild
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.place import whole
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.forge.structure import section
from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.tree import FileTree

SHOWN_OUTPUTS = 6
SHOWN_OWED = 12


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
        Block("what the plan asks for", phase.change_spec, 2_500, floor=900, untrusted=True, need=SPECIFICATION),
        Block("what the plan is for", section(text, "Objective"), 400, floor=150, untrusted=True, need=SPECIFICATION),
        Block("what stays out of it", section(text, "Scope"), 400, floor=100, untrusted=True, need=OLDER),
        Block("what earlier phases did", _outputs(plan, phase), 700, floor=200, untrusted=True, need=NOTES),
        Block("tests that earlier phases broke", _owed(plan), 300, floor=100, untrusted=True, need=NOTES),
    )


def _outputs(plan: ChangePlan, phase: PlanPhase) -> str:
    done = [one for one in plan.phases if one.id != phase.id and one.output][-SHOWN_OUTPUTS:]
    return "\n".join(f"- {one.id} ({one.title}): {one.output}" for one in done)


def _owed(plan: ChangePlan) -> str:
    more = [f"- and {len(plan.owed) - SHOWN_OWED} more"] if len(plan.owed) > SHOWN_OWED else []
    return "\n".join([*(f"- {id}" for id in plan.owed[:SHOWN_OWED]), *more])


async def at_hand_now(site: StageBuild, tree: FileTree, files: Sequence[str]) -> Sequence[Block]:
    """The files of the phase as they are now, with the numbers of their lines, and what was changed so far."""
    texts = {path: await _lines(tree, path) for path in files if path in tree.entries}
    order = at_hand.in_order(texts, [QuotedLine(path, 1) for path, lines in texts.items() if lines])
    shorten = partial(at_hand.shortened, texts, order)
    title = "the files of the phase as they are now; read_file shows what is left out"
    block = Block(title, at_hand.rendered(texts, order), 2_500, floor=300, untrusted=True, need=CODE, shorten=shorten)
    return [block, *await change_so_far(site, tree)]


async def _lines(tree: FileTree, path: str) -> list[str]:
    try:
        file = await tree.read(path)
    except UserError:
        return []
    return [] if file.gap else file.text.splitlines()
