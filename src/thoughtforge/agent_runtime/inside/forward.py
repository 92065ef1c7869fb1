"""Runs inside an agent's cage: a loopback port for the one socket that leads out, and the agent as its child.

Words: the port, the socket, then the agent's command. Standard library only; nothing of the engine is there.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal
import sys
from collections.abc import Sequence

CHUNK = 65536
PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
NOT_FOUND = 127


async def joined(
    ours: tuple[asyncio.StreamReader, asyncio.StreamWriter], theirs: tuple[asyncio.StreamReader, asyncio.StreamWriter]
) -> None:
    """Carry bytes both ways until both sides have nothing more to say."""
    try:
        await asyncio.gather(_carried(ours[0], theirs[1]), _carried(theirs[0], ours[1]))
    finally:
        ours[1].close()
        theirs[1].close()


async def _carried(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    # Whoever goes away in the middle ends this direction; the other notices by itself.
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def _forward(socket: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        out = await asyncio.open_unix_connection(socket)
    except OSError:
        writer.close()
        return
    await joined((reader, writer), out)


async def _run(port: int, socket: str, argv: Sequence[str]) -> int:
    server = await asyncio.start_server(functools.partial(_forward, socket), "127.0.0.1", port)
    async with server:
        try:
            child = await asyncio.create_subprocess_exec(*argv)
        except OSError as error:
            sys.stderr.write(f"{error.filename or argv[0]}: {error.strerror}\n")
            return NOT_FOUND
        loop = asyncio.get_running_loop()
        for number in PASSED_ON:
            loop.add_signal_handler(number, child.send_signal, number)
        code = await child.wait()
    return code if code >= 0 else 128 - code


def main() -> None:
    """Open the port, run the agent, end as it ends; connections that are still open end with us."""
    port, socket, *argv = sys.argv[1:]
    loop = asyncio.new_event_loop()
    code = loop.run_until_complete(_run(int(port), socket, argv))
    sys.stderr.flush()
    # At once: nothing that is still open here is worth waiting for.
    os._exit(code)


if __name__ == "__main__":
    main()
