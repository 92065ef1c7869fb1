"""What a self-acting agent sits at during its stage: every use of a tool passes here, one after the other."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from thoughtforge.agent.acting import Acted, End, carry_out, circles, put_on_record
from thoughtforge.agent.bridge import Bridge
from thoughtforge.agent.bridge_http import Answer
from thoughtforge.agent.means import Agent, Means
from thoughtforge.kernel.model import Stage

HANDED_IN = "This stage is over; nothing more is taken. Stop here."


class Seat:
    """One agent at one stage."""

    def __init__(self, means: Means, agent: Agent, stage: Stage, *, bridge: Bridge) -> None:
        self.means, self.agent, self.stage, self.bridge = means, agent, stage, bridge
        self.end: End | None = None
        self.acted = 0
        self._one = asyncio.Lock()

    def over(self) -> bool:
        """Whether there is nothing left to do in this stage."""
        return self.end is not None or self.used_up()

    def used_up(self) -> bool:
        """Whether the stage has no step left."""
        return self.means.stage(self.stage.name).steps >= self.means.journal.state.caps.stage_steps

    async def use(self, tool: str, params: dict[str, Any]) -> Answer:
        """One use of a tool, on record; the answer carries the verdict of the gate."""
        # One after the other, whatever an agent asks for at once: after a hand-in nothing more is taken.
        async with self._one:
            if self.over():
                return Answer(HANDED_IN, ok=False)
            self.acted += 1
            # As every reply is: a secret shows as its mark, and the bridge writes no marks.
            plain = json.loads(self.means.masker.text(json.dumps(params, ensure_ascii=False)))
            await self.record(await carry_out(self.means, self.bridge, {"tool": tool, "params": plain}))
            return self._told()

    async def record(self, acted: Acted) -> None:
        """Put an action on record, and see whether the stage is over with it."""
        await put_on_record(self.means, self.agent, self.stage, acted=acted, bridge=self.bridge)
        self.end = self.end or acted.end
        if self.end is None and (round_about := circles(self.means, self.stage)):
            self.end = End(circles=round_about)

    def _told(self) -> Answer:
        last = self.means.memory(self.stage.name).recent[-1]
        text = self.means.blobs.get(last.output).decode("utf-8", "replace") if last.output and not self.end else ""
        told = "\n".join(part for part in (last.summary, text) if part)
        return Answer(HANDED_IN if self.end else told, ok=last.outcome == "ok")
