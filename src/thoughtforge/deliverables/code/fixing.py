"""What a fixer of code is shown, and how much of a file it must have seen before it may change it."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtforge.agent.asking import today_block
from thoughtforge.agent.context import MEASURED, Block
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.code.write_policy import clean
from thoughtforge.coding.building import StageBuild
from thoughtforge.coding.reach import Sight
from thoughtforge.deliverables.code.at_hand import file_title
from thoughtforge.deliverables.code.composing import tests_told, with_material
from thoughtforge.deliverables.code.given import confirmed_blocks, rules_block
from thoughtforge.think.deliverable import FixOrder, listed
from thoughtforge.think.documents import SPEC, read
from thoughtforge.think.said_since import said_block


def sight(site: StageBuild, context: ToolContext, path: str) -> Sight:
    """How much of a file a fixer has seen: what its context really showed, what it read or made itself."""
    name = context.tree.composed.get(path)
    if name is None or not context.tree.entries[name].size:
        return "all"  # there is nothing to lose
    seen = [context.shown.get(each) for each in (path, file_title(path))]
    if True in seen:
        return "all"
    opened = site.run.record.memory(site.stage.name).opened  # also what it did before a crash
    return "part" if False in seen or path in map(clean, opened) else "none"


async def told(site: StageBuild, order: FixOrder) -> Sequence[Block]:
    """The points, what was measured, why the last fix was refused, and what the code goes by."""
    spec = read(site.run, SPEC)
    blocks = [
        order.refusal(),
        said_block(site.run, budget=800),
        today_block(site.run),
        Block("findings to fix", listed(order.findings), 1_200, floor=1_100, untrusted=True, need=MEASURED),
        Block("what was measured", "\n".join(order.measured), 900, floor=300, untrusted=True, need=MEASURED),
        *confirmed_blocks(spec, order.constraints, title="constraints"),
        *await tests_told(site),
        rules_block(site),
    ]
    return await with_material(site, blocks, about=listed(order.findings), beside=spec)
