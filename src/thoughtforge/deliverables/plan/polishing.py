"""A plan under review: the critic sees all of it, the fixer hands back the sections it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.asking import PromptRequest, ask, context_room
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.agent.tokens import estimate
from thoughtforge.code.tool_context import Edit
from thoughtforge.coding.writing import make_up, write_edits
from thoughtforge.deliverables.plan.estimates import unmarked
from thoughtforge.deliverables.plan.figures import WrongSum, unchecked, wrong_sums
from thoughtforge.deliverables.plan.markdown import Table, outline
from thoughtforge.deliverables.plan.replacing import Batch, batches, changed_sections, concerned, corrected, shown
from thoughtforge.deliverables.plan.slots import is_tasks
from thoughtforge.deliverables.plan.structure import fix_problems
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.polish.finding import ReviewFinding
from thoughtforge.polish.locations import in_plan
from thoughtforge.think.deliverable import Fix, FixOrder, Seen, digest, listed, warn_of_cut, write_of
from thoughtforge.think.documents import PLAN, allow, commit_step, keep_edits, project, read
from thoughtforge.think.locked import decided_block
from thoughtforge.think.material import material, resource_texts
from thoughtforge.think.said_since import said_block
from thoughtforge.think.talking import conversation
from thoughtforge.think.texts import constraints_block


class Corrected(NamedTuple):
    """The document with the sections of a fixer, and what is wrong with it."""

    text: str
    wrong: tuple[str, ...]
    changed: tuple[str, ...]
    """The headings of the sections that differ."""
    declined: Mapping[str, str]


def _finding(wrong: WrongSum) -> ReviewFinding:
    """A total that is wrong, as a point of the review."""
    title = f"The total under {wrong.column!r} is wrong"
    return ReviewFinding("critical", wrong.told(), wrong.heading, "Correct the total, or the rows it adds up.", title)


def without_tasks(structure: Sequence[JsonObject], tables: Sequence[Table]) -> list[str]:
    """The confirmed sections that have actions and no tasks table."""
    due = [str(one["name"]) for one in structure if "actions" in one.get("holds", ())]
    return [name for name in due if not any(table.heading == name and is_tasks(table) for table in tables)]


def _credited(
    before: str, findings: Sequence[ReviewFinding], changed: Sequence[str], declined: Mapping[str, str]
) -> str:
    """The points whose sections a fix changed, and those it left alone."""
    touched = [one.id for one in findings if one.id not in declined and {*concerned(before, one)} & {*changed}]
    left = [one.id for one in findings if one.id not in {*touched, *declined}]
    parts = {"": touched, "declined: ": list(declined), "left as they were: ": left}
    return "; ".join(f"{word}{', '.join(ids)}" for word, ids in parts.items() if ids)


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
        budget = context_room(self.run, self.run.library.agent(self.stage.role))
        tables = outline(text).tables
        lines = "\n".join(f"- {one}" for one in await self._to_look_up(text, tables))
        blocks = [
            Block("plan", text, budget, floor=budget // 2, untrusted=True),
            Block("to look up", lines, 1_500, floor=500, untrusted=True),
        ]
        wrong = [_finding(one) for one in wrong_sums(tables)]
        return Seen(digest(text), len(text), in_plan(text), blocks, full=True, findings=wrong, text=text)

    async def _to_look_up(self, text: str, tables: Sequence[Table]) -> list[str]:
        """What a critic should look at; none of it is a verdict."""
        accepted = self.run.record.accepted()
        given = [
            *(as_yaml(accepted[name]) for name in ("intent", "proposal")),
            *(one["text"] for one in await resource_texts(self.run)),
            *(one.text for one in conversation(self.run).messages if one.role == "human"),
        ]
        return [
            *(f"{figure}: not found in the material, not marked" for figure in unmarked(text, "\n".join(given))),
            *unchecked(tables),
            *(f"{name}: no tasks table" for name in without_tasks(accepted["proposal"]["structure"], tables)),
        ]

    async def fix(self, order: FixOrder) -> Fix:
        """The corrected document, when it is still the same plan; one a person changed meanwhile is fixed anew."""
        run, summary, declined = self.run, "", dict[str, str]()
        root, step = project(run).root, f"fix-{order.number}"
        if not make_up(run, self.stage, root):
            found = await self._asked(order)
            while await keep_edits(run, order.number):
                found = await self._asked(order)
            declined = {one.id: found.declined[one.id] for one in order.findings if one.id in found.declined}
            summary = _credited(read(run, PLAN), order.findings, found.changed, declined)
            if found.wrong:
                return Fix("; ".join(found.wrong), summary, declined=declined)
            if not found.changed:
                return Fix("", summary, (await project(run).tip()).commit, declined)
            allow(run, write_of(PLAN), PLAN, deliverable=self.type)
            write_edits(run, self.stage, root, [Edit(PLAN, found.text.encode("utf-8", "replace"))])
        summary = summary or ", ".join(one.id for one in order.findings)  # made up for after a crash
        return Fix("", summary, await commit_step(run, f"Fix {order.number}", step=step), declined)

    async def _asked(self, order: FixOrder) -> Corrected:
        """The document with the sections the fixer hands back; many long ones are asked for in several calls."""
        allow(self.run, "agent_text", deliverable=self.type)
        before = read(self.run, PLAN)
        text = before
        wrong: list[str] = []
        declined: dict[str, str] = {}
        room = self.run.answer_tokens(self.run.library.agent("fixer")) * 3 // 4
        for number, batch in enumerate(batches(before, order.findings, fits=lambda part: estimate(part) <= room)):
            handed = await self._handed(order, batch, document=text, number=number)
            declined |= {row["id"]: f"{row['reason']} (“{row['quote']}”)" for row in handed.get("declined", ())}
            made = corrected(text, handed["sections"], given=batch.whole)
            text, wrong = made.text, [*wrong, *made.wrong]
        problems = fix_problems(before, text)
        changed = changed_sections(before, text) if digest(text) != digest(before) else ()
        return Corrected(text, (*wrong, *problems), changed, declined)

    async def _handed(self, order: FixOrder, batch: Batch, *, document: str, number: int) -> JsonObject:
        budget = context_room(self.run, self.run.library.agent("fixer"))
        key = f"{self.stage.name}/{order.number}/{order.attempt}/fix/{digest(read(self.run, PLAN))[:8]}"
        view, points = shown(document, batch.whole), listed(batch.findings)
        blocks = [
            order.refusal(),
            Block("findings to fix", points, budget // 4, floor=budget // 8, untrusted=True),
            constraints_block("constraints", order.constraints, budget=budget // 4),
            decided_block(self.run, budget=budget // 8),
            said_block(self.run),
            Block("sections you may replace", view.whole, budget, floor=budget // 2, untrusted=True),
            Block("the other sections in outline", view.outline, budget // 8, floor=budget // 16, untrusted=True),
        ]
        job = PromptRequest(
            name="fix",
            prompt="plan-fix",
            contract="plan_fix",
            key=f"{key}/{number}" if number else key,
            blocks=blocks,
            fill=material(self.run, points),
            material={"document": document, "issues": [one._asdict() for one in batch.findings]},
        )
        found = await ask(self.run, self.stage, job, role="fixer")
        warn_of_cut(self.run, "fix", found.cut)
        return found.data

    async def hash(self) -> str:
        """Of the document."""
        return digest(read(self.run, PLAN))
