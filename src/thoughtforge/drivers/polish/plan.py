"""A plan under review: the whole document goes out, the whole document comes back."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtforge.agent.asking import Job, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.deliverables.plan import fix_problems
from thoughtforge.drivers.polish.deliverable import Fix, Seen, digest, listed, warn_of_cut
from thoughtforge.intake.constraints_block import constraints_block
from thoughtforge.intake.documents import PLAN, allow, read
from thoughtforge.kernel.model import Stage
from thoughtforge.review.finding import Finding
from thoughtforge.review.locations import in_plan


class PlanDeliverable:
    """The plan of one task."""

    type = "plan"
    path = PLAN
    review_prompt = "plan-review"
    review_contract = "plan_review"

    def __init__(self, means: Means, stage: Stage) -> None:
        self.means = means
        self.stage = stage

    async def look(self, since: str) -> Seen:
        """The document as it lies on disk, edits of a person included."""
        allow(self.means, "agent_text", deliverable=self.type)
        text = read(self.means, PLAN)
        budget = self.means.think.context_tokens
        block = Block("plan", text, budget, floor=budget // 2, untrusted=True)
        return Seen(digest(text), len(text), in_plan(text), [block], full=True)

    async def fix(self, findings: Sequence[Finding], *, constraints: str, measured: Sequence[str], key: str) -> Fix:
        """The corrected document, when it is still the same plan."""
        allow(self.means, "agent_text", deliverable=self.type)
        before = read(self.means, PLAN)
        budget = self.means.think.context_tokens
        job = Job(
            name="fix",
            prompt="plan-fix",
            contract="plan_fix",
            key=key,
            blocks=[
                Block("findings to fix", listed(findings), budget // 4, floor=budget // 8, untrusted=True),
                constraints_block("constraints", constraints, budget=budget // 4),
                Block("plan", before, budget, floor=budget // 2, untrusted=True),
            ],
            material={"document": before, "issues": [one._asdict() for one in findings]},
        )
        found = await ask(self.means, self.stage, job, role="fixer")
        warn_of_cut(self.means, "fix", found.cut)
        after = found.data["document"]
        wrong = fix_problems(before, after)
        return Fix({PLAN: after}, "; ".join(wrong), ", ".join(one.id for one in findings))

    def hash(self) -> str:
        """Of the document."""
        return digest(read(self.means, PLAN))

    def belongs(self, path: str) -> bool:
        """The document alone."""
        return path == PLAN
