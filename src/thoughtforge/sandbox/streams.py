"""What goes into a child and what comes out of it: bounded, and never a reason for the child to block."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from typing import IO

MAX_OUTPUT = 8 * 1024 * 1024
"""Bytes kept of each output stream; the rest is read and dropped, so that the child never blocks on a full pipe."""
LINGER_SECONDS = 1.0
"""How long output may still come after the child and its group are gone."""
OnData = Callable[[bytes], None]


class Kept(asyncio.Protocol):
    """One output stream: its first bytes up to a limit, and its end."""

    def __init__(self, most: int, on_data: OnData | None = None, on_any: OnData | None = None) -> None:
        loop = asyncio.get_running_loop()
        self.most = most
        self.on_data = on_data
        self.on_any = on_any
        self.data = bytearray()
        self.cut = False
        self.heard = loop.time()
        """When something last came."""
        self.ended = loop.create_future()
        self.transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Whoever cannot keep up may let the stream wait."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep what still fits."""
        self.heard = asyncio.get_running_loop().time()
        kept = data[: self.most - len(self.data)]
        self.data += kept
        self.cut = self.cut or len(data) > len(kept)
        if kept and self.on_data is not None:
            self.on_data(kept)
        if self.on_any is not None:
            self.on_any(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more will come."""
        if not self.ended.done():
            self.ended.set_result(None)


@contextlib.contextmanager
def as_file(data: bytes) -> Iterator[IO[bytes]]:
    """The child's input as a file: unlike a pipe it cannot block, whoever stops reading."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file


@contextlib.asynccontextmanager
async def pipe(
    most: int, on_data: OnData | None = None, *, on_any: OnData | None = None
) -> AsyncIterator[tuple[Kept, IO[bytes]]]:
    """Our reading side of a pipe and the end to hand to a child; close that end once the child has it.

    `on_data` hears what is kept, `on_any` everything.
    """
    reading, writing = os.pipe()
    loop = asyncio.get_running_loop()
    with os.fdopen(writing, "wb", 0) as end:
        transport, kept = await loop.connect_read_pipe(lambda: Kept(most, on_data, on_any), os.fdopen(reading, "rb", 0))
        try:
            yield kept, end
        finally:
            transport.close()


def lines(on_line: OnData) -> OnData:
    """Hears pieces and passes on whole lines; a last one without an end is not passed on, an endless one is dropped."""
    waiting = bytearray()

    def hear(data: bytes) -> None:
        waiting.extend(data)
        *whole, rest = bytes(waiting).split(b"\n") if b"\n" in data else [bytes(waiting)]
        waiting[:] = rest if len(rest) <= MAX_OUTPUT else b""
        for line in whole:
            on_line(line)

    return hear
