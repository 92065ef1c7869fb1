"""The session of a command-line agent during its stage: every tool call passes here, one after the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from thoughtforge.agent.bridge import Bridge
from thoughtforge.agent.calls import NOTHING, ModelRequest, begun
from thoughtforge.agent.run import Agent, Run
from thoughtforge.agent.steps import ActionResult, End, carry_out, check_loops, put_on_record
from thoughtforge.agent.tokens import estimate
from thoughtforge.agent_runtime.turn import Admission, Answered, Asgi, Wanted, Worker
from thoughtforge.calls.events import CallEnded, CallFailed
from thoughtforge.kernel.errors import Stop, UserError
from thoughtforge.kernel.model import Stage

if TYPE_CHECKING:
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams


HANDED_IN = "This stage is over and accepts nothing more. Stop here."


class AgentSession:
    """One agent at one stage."""

    def __init__(self, run: Run, agent: Agent, stage: Stage, *, bridge: Bridge) -> None:
        self.run, self.agent, self.stage, self.bridge = run, agent, stage, bridge
        self.end: End | None = None
        self.acted = 0
        self._one = asyncio.Lock()

    def over(self) -> bool:
        """Whether there is nothing left to do in this stage."""
        return self.end is not None or self.used_up()

    def used_up(self) -> bool:
        """Whether the stage has no step left."""
        return self.run.record.stage(self.stage.name).steps >= self.run.record.journal.state.caps.stage_steps

    async def use(self, tool: str, params: dict[str, Any]) -> ToolReply:
        """One use of a tool, on record; the answer carries the verdict of the gate."""
        # One after the other, whatever an agent asks for at once: after a hand-in nothing more is taken.
        async with self._one:
            if self.over():
                return ToolReply(HANDED_IN, ok=False)
            self.acted += 1
            # As every reply is: a secret shows as its mark, and the bridge writes no marks.
            plain = json.loads(self.run.library.masker.text(json.dumps(params, ensure_ascii=False)))
            await self.record(await carry_out(self.run, self.bridge, {"tool": tool, "params": plain}))
            return self._told()

    async def record(self, acted: ActionResult) -> None:
        """Record an action, and see whether it ends the stage."""
        await put_on_record(self.run, self.agent, self.stage, acted=acted, bridge=self.bridge)
        self.end = self.end or acted.end
        if self.end is None and (round_about := check_loops(self.run, self.stage)):
            self.end = End(circles=round_about)

    def _told(self) -> ToolReply:
        last = self.run.record.memory(self.stage.name).recent[-1]
        text = self.run.record.blobs.get(last.output).decode("utf-8", "replace") if last.output and not self.end else ""
        told = "\n".join(part for part in (last.summary, text) if part)
        return ToolReply(HANDED_IN if self.end else told, ok=last.outcome == "ok")


OVER = "the work is handed in"


class CallMeter:
    """Between one agent and its model for the length of a turn."""

    def __init__(self, run: Run, order: ModelRequest, *, over: Callable[[], bool]) -> None:
        self.run = run
        self.order = order
        self.over = over
        """Whether there is nothing left to do: then no further request is paid for."""
        self.stop: Stop | None = None
        """Why the turn had to end, if a cap or a person ended it."""
        self.status = 0
        """Of the last answer; 0 while there was none."""
        self.began: dict[str, float] = {}

    def admit(self, wanted: Wanted) -> Admission:
        """Reserve and record the most the request can use; or say why it may not be sent."""
        if self.over():
            return Admission(refusal=OVER)
        if self.stop is not None:
            return Admission(refusal=self.stop.detail or self.stop.reason)
        text = wanted.body.decode("utf-8", "replace")
        number = self.run.record.journal.state.used.steps + 1
        mine = self.order._replace(key=f"{self.order.key}/request-{number}", sent=text, schema=None)
        # What is reserved is what is granted: never longer than the agent's entry allows.
        longest = cast(Worker, self.order.agent.model).limit(
            max(0, wanted.max_output) or self.run.library.config.call_output_tokens
        )
        try:
            started, most = begun(self.run, mine, longest=longest)
        except Stop as stop:
            self.stop = stop
            return Admission(refusal=stop.detail or stop.reason)
        self.began[started.call] = self.run.stopwatch()
        return Admission(max_output=most, ticket=started.call)

    def settle(self, ticket: str, answered: Answered) -> None:
        """What the request really used; unknown stays unknown and counts as reserved."""
        journal = self.run.record.journal
        self.status = answered.status
        seconds = round(self.run.stopwatch() - self.began.pop(ticket), 3)
        if not 200 <= answered.status < 300 or answered.error:
            error = self.run.library.masker.text(answered.error or f"the model answered {answered.status}")
            used = NOTHING if 400 <= answered.status < 500 else answered
            kind = f"status_{answered.status}"
            journal.append(CallFailed(call=ticket, kind=kind, error=error[:300], usage=used.usage, usd=used.usd))
            return
        reply = self.run.library.masker.text(answered.reply.decode("utf-8", "replace"))
        journal.append(
            CallEnded(
                call=ticket,
                reply=self.run.record.blobs.put(reply.encode()),
                model=answered.model or self.order.agent.model.model,
                usage=answered.usage,
                usd=answered.usd,
                reply_tokens=estimate(reply),
                seconds=seconds,
            )
        )


NAME = "bridge"
"""What agents call the server."""


class ToolReply(NamedTuple):
    """What a tool says to the agent. A refusal is an answer, never an exception."""

    text: str
    ok: bool


Use = Callable[[str, dict[str, Any]], Awaitable[ToolReply]]


@asynccontextmanager
async def served(bridge: Bridge, use: Use) -> AsyncIterator[Asgi]:
    """The web application that offers the tools of the bridge; each call goes to `use`."""
    try:
        import mcp_types as types
        from mcp.server.lowlevel import Server
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    except ImportError as error:
        raise UserError(
            f"command-line agents need {error.name}, which is not installed",
            do="Install it: pip install 'thoughtforge[agents]'",
        ) from error

    async def list_tools(context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        offered = [(name, bridge.tools[name]) for name in bridge.offered]
        return types.ListToolsResult(
            tools=[types.Tool(name=name, description=one.DESCRIPTION, input_schema=one.PARAMS) for name, one in offered]
        )

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        answer = await use(params.name, params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(text=answer.text)], is_error=not answer.ok)

    server: Server[Any] = Server(NAME, on_list_tools=list_tools, on_call_tool=call_tool)
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    over, ready = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        async with manager.run():
            ready.set()
            await over.wait()

    # In a task of its own: what goes wrong in a turn would come out of the library as a group of errors.
    running = asyncio.create_task(run())
    await ready.wait()
    try:
        yield manager.asgi_app
    finally:
        over.set()
        await running
