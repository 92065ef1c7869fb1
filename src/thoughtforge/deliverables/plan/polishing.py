"""A plan under review: the whole document goes out, the whole document comes back."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.agent.asking import PromptRequest, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.code.tool_context import Edit
from thoughtforge.coding.writing import make_up, write_edits
from thoughtforge.deliverables.plan.structure import fix_problems
from thoughtforge.kernel.model import Stage
from thoughtforge.polish.locations import in_plan
from thoughtforge.think.deliverable import Fix, FixOrder, Seen, digest, listed, warn_of_cut, write_of
from thoughtforge.think.documents import PLAN, allow, commit_step, keep_edits, project, read
from thoughtforge.think.texts import constraints_block


class Corrected(NamedTuple):
    """A document from a fixer, and what is wrong with it."""

    text: str
    wrong: tuple[str, ...]


class PlanDeliverable:
    """The plan of one task."""

    type = "plan"
    path = PLAN
    review_prompt = "plan-review"
    review_contract = "plan_review"

    def __init__(self, run: Run, stage: Stage) -> None:
        self.run = run
        self.stage = stage

    async def look(self, since: str) -> Seen:
        """The document as it lies on disk, edits of a person included."""
        allow(self.run, "agent_text", deliverable=self.type)
        text = read(self.run, PLAN)
        budget = self.run.library.config.think.context_tokens
        block = Block("plan", text, budget, floor=budget // 2, untrusted=True)
        return Seen(digest(text), len(text), in_plan(text), [block], full=True)

    async def fix(self, order: FixOrder) -> Fix:
        """The corrected document, when it is still the same plan; one a person changed meanwhile is fixed anew."""
        run, summary = self.run, ", ".join(one.id for one in order.findings)
        root, step = project(run).root, f"fix-{order.number}"
        if not make_up(run, self.stage, root):
            found = await self._asked(order)
            while await keep_edits(run, order.number):
                found = await self._asked(order)
            if found.wrong:
                return Fix("; ".join(found.wrong), summary)
            allow(run, write_of(PLAN), PLAN, deliverable=self.type)
            write_edits(run, self.stage, root, [Edit(PLAN, found.text.encode("utf-8", "replace"))])
        return Fix("", summary, await commit_step(run, f"Fix {order.number}", step=step))

    async def _asked(self, order: FixOrder) -> Corrected:
        """The document as the fixer hands it back."""
        allow(self.run, "agent_text", deliverable=self.type)
        before = read(self.run, PLAN)
        budget = self.run.library.config.think.context_tokens
        job = PromptRequest(
            name="fix",
            prompt="plan-fix",
            contract="plan_fix",
            key=f"{self.stage.name}/{order.number}/{order.attempt}/fix/{(await self.hash())[:8]}",
            blocks=[
                Block("findings to fix", listed(order.findings), budget // 4, floor=budget // 8, untrusted=True),
                constraints_block("constraints", order.constraints, budget=budget // 4),
                Block("plan", before, budget, floor=budget // 2, untrusted=True),
            ],
            material={"document": before, "issues": [one._asdict() for one in order.findings]},
        )
        found = await ask(self.run, self.stage, job, role="fixer")
        warn_of_cut(self.run, "fix", found.cut)
        after = str(found.data["document"])
        return Corrected(after, tuple(fix_problems(before, after)))

    async def hash(self) -> str:
        """Of the document."""
        return digest(read(self.run, PLAN))
