"""A poem: one text of one call, reviewed like a plan. The test of a third type installs this file as a distribution."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.asking import PromptRequest, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.ports import Produced
from thoughtforge.think.deliverable import Fix, Seen, digest
from thoughtforge.think.documents import commit, read, write
from thoughtforge.think.documents import commit_step as commit_fix

OPERATIONS = frozenset({"file_write_doc", "file_write_state", "git_commit", "agent_text"})
TESTED = False
PATH = "docs/poem.md"


def belongs(path: str) -> bool:
    return path == PATH


async def compose(run: Run, stage: Stage) -> Produced:
    job = PromptRequest(name="poem", prompt="plan-fix", contract="plan_fix", key=f"{stage.name}/poem", blocks=[])
    text = (await ask(run, stage, job)).data["sections"][0]["text"]
    write(run, PATH, text, deliverable="poem")
    made = await commit(run, stage.name, message="Poem", step=stage.name)
    about = {"deliverable_type": "poem", "path": PATH, "title": "Herbs", "kind": "poem", "parts": [], "open": []}
    return Produced(run.record.put({**about, "size": len(text), "commit": made}))


class Poem:
    type, path, review_prompt, review_contract = "poem", PATH, "plan-review", "plan_review"

    def __init__(self, run: Run) -> None:
        self.run = run

    async def look(self, since: str) -> Seen:
        text = read(self.run, PATH)
        return Seen(digest(text), len(text), lambda place: True, [Block("poem", text, 2_000)], full=True)

    async def fix(self, order: Any) -> Fix:
        write(self.run, PATH, "Basil, thyme and mint.\n", deliverable="poem")
        return Fix("", "F-001", await commit_fix(self.run, "Fix", step=f"fix-{order.number}"))

    async def hash(self) -> str:
        return digest(read(self.run, PATH))


def polished(run: Run, stage: Stage) -> Poem:
    return Poem(run)
