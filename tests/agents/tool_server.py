"""Real tools for real agents: an MCP server that reads and writes the files of one folder and keeps every call."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from thoughtforge.agent_runtime.cli import Door

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

TOKEN = "a-token-of-the-tests-0123456789"
TOOLS = ("read_file", "create_file")
Asgi = Callable[[Any, Any, Any], Awaitable[None]]


class Called(NamedTuple):
    """One use of a tool."""

    tool: str
    params: dict[str, str]


class ToolServer:
    """Use as a context manager for a server on loopback, or `app` for the application alone."""

    def __init__(self, folder: Path, *, slow: float = 0) -> None:
        self.folder = folder
        self.calls: list[Called] = []
        """Every call, oldest first."""
        self.most_at_once = 0
        """The largest number of calls that were under way together; `slow` makes them meet."""
        self.strangers = 0
        """Requests without the token."""
        self._slow = slow
        self._under_way = 0

    @property
    def door(self) -> Door:
        return Door(f"http://127.0.0.1:{self._socket.getsockname()[1]}/mcp", TOKEN, TOOLS)

    def __enter__(self) -> Self:
        import uvicorn

        # Without the protocol's number asyncio leaves the delay of small packets on: 48 ms a call in place of 3.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen()
        self._server = uvicorn.Server(uvicorn.Config(self._locked(), log_level="error", interface="asgi3", ws="none"))
        self._thread = Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def app(self) -> Asgi:
        """A new application, for whoever serves it and keeps the door."""
        app: Asgi = self._made().streamable_http_app(json_response=True, stateless_http=True)
        return app

    def _locked(self) -> Asgi:
        app = self.app()

        async def locked(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "http" or dict(scope["headers"]).get(b"authorization") == f"Bearer {TOKEN}".encode():
                await app(scope, receive, send)
            else:
                await self._refuse(send)

        return locked

    async def _refuse(self, send: Any) -> None:
        self.strangers += 1
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body"})

    def _made(self) -> MCPServer:
        from mcp.server.mcpserver import MCPServer

        server = MCPServer("bridge", log_level="ERROR")

        @server.tool(description="Read a file.", structured_output=False)
        async def read_file(path: str) -> str:
            async with self._kept("read_file", path=path):
                return self._place(path).read_text(encoding="utf-8")

        @server.tool(description="Write a file.", structured_output=False)
        async def create_file(path: str, content: str) -> str:
            async with self._kept("create_file", path=path, content=content):
                self._place(path).write_text(content, encoding="utf-8")
                return f"{path} is written"

        return server

    @asynccontextmanager
    async def _kept(self, tool: str, **params: str) -> AsyncIterator[None]:
        from mcp.server.mcpserver.exceptions import ToolError

        self.calls.append(Called(tool, params))
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            await asyncio.sleep(self._slow)
            yield
        except (OSError, ValueError) as error:
            raise ToolError(str(error)) from error
        finally:
            self._under_way -= 1

    def _place(self, path: str) -> Path:
        place = (self.folder / path).resolve()
        if not place.is_relative_to(self.folder.resolve()):
            raise ValueError(f"{path} is outside")
        return place
