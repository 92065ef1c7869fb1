"""The one way out of a cage: our tools, the model, and the listed hosts of a login. Everything else is refused.

In front a plain listener that looks at the first line only: CONNECT becomes a tunnel or is refused, the rest goes to a
web server of ours. Both live in our own loop, as long as one turn.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import logging
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from thoughtforge.agent_runtime.inside.forward import joined
from thoughtforge.agent_runtime.proxy import Proxy
from thoughtforge.agent_runtime.turn import Asgi

logger = logging.getLogger(__name__)

HEAD_BYTES = 16 * 1024
HTTPS = 443
CLOSE_SECONDS = 2.0
KEEP_SECONDS = 24 * 3600
"""How long an idle connection is kept: no turn takes as long."""


class Behind(NamedTuple):
    """What an agent reaches through its gateway."""

    token: str
    """Begins every path; who does not know it reaches nothing."""
    proxy: Proxy
    server: Asgi | None = None
    """Our tools; None when there are none."""
    door: str = ""
    """The bearer token our tools want as well."""
    tools: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    """Hosts a tunnel may lead to, `host` for its HTTPS port or `host:port`."""


class Listening(NamedTuple):
    """Where a gateway listens: a socket in a folder of its own, or without walls a port of this machine."""

    socket: Path
    port: int = 0


@contextlib.asynccontextmanager
async def opened(behind: Behind, *, walls: bool) -> AsyncIterator[Listening]:
    """A gateway as long as the block; whatever is still open then is cut."""
    with tempfile.TemporaryDirectory(prefix="tf-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        async with _web(_application(behind), folder / "web", lifespan=behind.server is not None):
            front = _Front(behind, folder / "web")
            if walls:
                server = await asyncio.start_unix_server(front.meet, folder / "out", limit=HEAD_BYTES)
                place = Listening(folder / "out")
            else:
                server = await asyncio.start_server(front.meet, "127.0.0.1", 0, limit=HEAD_BYTES)
                place = Listening(folder / "out", server.sockets[0].getsockname()[1])
            try:
                yield place
            finally:
                server.close()
                await front.close()
                await behind.proxy.close()


class _Front:
    """Looks at the first line of each connection."""

    def __init__(self, behind: Behind, web: Path) -> None:
        self.behind = behind
        self.web = web
        self.open: set[asyncio.Task[None]] = set()

    def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take care of a new connection."""
        task = asyncio.ensure_future(self._served(reader, writer))
        self.open.add(task)
        task.add_done_callback(self.open.discard)

    async def close(self) -> None:
        """Cut every connection."""
        waiting = tuple(self.open)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await reader.readline()
            if line.startswith(b"CONNECT "):
                await self._tunnel(line, reader, writer)
            elif line:
                await self._joined(line, (reader, writer), await asyncio.open_unix_connection(self.web))
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # a connection that says nothing sensible, or ends in the middle, is simply closed
        finally:
            writer.close()

    async def _tunnel(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        rest = await _head(reader)
        host, port = _authority(line)
        if not self._known(rest):
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        elif host == "127.0.0.1":
            # Some agents go through the proxy to reach us too; whatever port they name, it is us.
            there = await asyncio.open_unix_connection(self.web)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await self._joined(b"", (reader, writer), there)
        elif f"{host}:{port}" in self.behind.hosts or (port == HTTPS and host in self.behind.hosts):
            logger.info("an agent reaches %s:%d", host, port)
            there = await asyncio.open_connection(host, port)
            self.behind.proxy.tunnels.add(host)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await self._joined(b"", (reader, writer), there)
        else:
            logger.info("an agent asked for %s:%d and was refused", host, port)
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async def _joined(self, first: bytes, ours: Any, theirs: Any) -> None:
        theirs[1].write(first)
        await joined(ours, theirs)

    def _known(self, head: bytes) -> bool:
        wanted = base64.b64encode(f"agent:{self.behind.token}".encode())
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"proxy-authorization":
                return hmac.compare_digest(value.strip().partition(b" ")[2], wanted)
        return False


async def _head(reader: asyncio.StreamReader) -> bytes:
    """What follows a first line, up to the empty one."""
    head = b""
    while (line := await reader.readline()).strip() and len(head) <= HEAD_BYTES:
        head += line
    return head


def _authority(line: bytes) -> tuple[str, int]:
    host, _, port = line.split()[1].decode("ascii").rpartition(":")
    return host.lower(), int(port)


def _application(behind: Behind) -> Asgi:
    """Our tools and the model below the token, nothing else."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan" and behind.server:
            await behind.server(scope, receive, send)
        elif scope["type"] == "http":
            await _routed(behind, scope, receive, send)

    return application


async def _routed(behind: Behind, scope: Any, receive: Any, send: Any) -> None:
    path = scope["path"]
    if path.startswith("http://"):  # asked as a proxy
        path = urlsplit(path).path
    token, _, rest = path.removeprefix("/").partition("/")
    name = rest.partition("/")[0]
    if not hmac.compare_digest(token.encode(), behind.token.encode()):
        await _status(send, 404)
    elif name == "mcp" and behind.server:
        if not _allowed(scope, behind.door):
            await _status(send, 401)
            return
        inner = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
        # A stream that only listens (GET) is open all the time and no sign of life.
        with behind.proxy.pulse.working() if scope["method"] == "POST" else contextlib.nullcontext():
            await behind.server(inner, receive, send)
    elif name == "model":
        await behind.proxy.answer(rest.removeprefix("model") or "/", scope, receive, send)
    else:
        await _status(send, 404)


def _allowed(scope: Any, door: str) -> bool:
    given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    return bool(door) and hmac.compare_digest(given, f"Bearer {door}".encode())


async def _status(send: Any, status: int) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


@contextlib.asynccontextmanager
async def _web(application: Asgi, socket: Path, *, lifespan: bool) -> AsyncIterator[None]:
    """A web server on a socket. Started piece by piece: as a whole it would take the signals of our process."""
    import uvicorn

    config = uvicorn.Config(
        application,
        uds=str(socket),
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="auto" if lifespan else "off",
        ws="none",
        http="h11",
        server_header=False,
        timeout_graceful_shutdown=int(CLOSE_SECONDS),
        # A connection closed for being idle would meet the agent's next request half-way.
        timeout_keep_alive=KEEP_SECONDS,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    try:
        await server.startup()
    except SystemExit:
        raise RuntimeError("the tool server could not start") from None
    try:
        yield
    finally:
        await server.shutdown()
