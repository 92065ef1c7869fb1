"""A sandboxed command we exchange lines with until one side ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import SandboxSpec
from thoughtforge.sandbox.sandbox import OpenSandbox, Sandbox
from thoughtforge.sandbox.watch import end, watch

LINE_BYTES = 16 * 1024 * 1024
"""The longest line it may say."""


class InteractiveProcess(NamedTuple):
    """Both directions, as asyncio knows them, and how the box is getting on."""

    reader: asyncio.StreamReader
    """The output of the command; at its end when the command or its sandbox has ended."""
    writer: asyncio.StreamWriter
    """What it hears."""
    stopped: asyncio.Future[str]
    """The limit that ended it; empty when the command ended on its own."""
    errors: Callable[[], bytes]
    """What it has said on its error output so far."""


@contextlib.asynccontextmanager
async def talking(
    sandbox: Sandbox, box: SandboxSpec, argv: Sequence[str | Path], *, alive: Callable[[], float] = lambda: 0.0
) -> AsyncIterator[InteractiveProcess]:
    """Start a command in a box and talk with it; the box is ended with everything in it on leaving."""
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    hearing, speaking = os.pipe()
    async with _writer(speaking) as writer, contextlib.AsyncExitStack() as stack:
        with os.fdopen(hearing, "rb", 0) as stdin:
            opening = boxes.opened(sandbox, box, argv, stdin=stdin, on_output=reader.feed_data)
            open_box = await stack.enter_async_context(opening)
        if open_box.out.transport:
            reader.set_transport(open_box.out.transport)  # a command that says more than is heard has to wait
        open_box.out.ended.add_done_callback(lambda _: reader.feed_eof())
        watching = asyncio.ensure_future(_watched(open_box, box, alive))
        try:
            yield InteractiveProcess(reader, writer, watching, lambda: bytes(open_box.err.data))
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await end(open_box.living)
            await open_box.drained()


async def _watched(open_box: OpenSandbox, box: SandboxSpec, alive: Callable[[], float]) -> str:
    stopped = await watch(open_box.living, box.limits, heard=lambda: max(open_box.heard(), alive()))
    await end(open_box.living)
    return stopped


@contextlib.asynccontextmanager
async def _writer(descriptor: int) -> AsyncIterator[asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    # The reader only gives the protocol the flow control a writer needs.
    protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader())
    transport, _ = await loop.connect_write_pipe(lambda: protocol, os.fdopen(descriptor, "wb", 0))
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    try:
        yield writer
    finally:
        # One that is closing ends by itself: nobody is left to hear it.
        if not transport.is_closing():
            transport.abort()
