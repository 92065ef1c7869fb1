"""The bridge as an MCP server: agents that act by themselves find the tools of their role here, and only here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from thoughtforge.agent.bridge import Bridge
from thoughtforge.cages.turn import Asgi
from thoughtforge.kernel.errors import Mistake

if TYPE_CHECKING:
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

NAME = "bridge"
"""What agents call the server."""


class Answer(NamedTuple):
    """What a tool says to the agent. A refusal is an answer, never an exception."""

    text: str
    ok: bool


Use = Callable[[str, dict[str, Any]], Awaitable[Answer]]


@asynccontextmanager
async def served(bridge: Bridge, use: Use) -> AsyncIterator[Asgi]:
    """The web application that offers the tools of the bridge; each call goes to `use`."""
    try:
        import mcp_types as types
        from mcp.server.lowlevel import Server
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    except ImportError as error:
        raise Mistake(
            f"agents that act by themselves need {error.name}, not installed here",
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
