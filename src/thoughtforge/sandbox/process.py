"""Starts, watches and ends every child process: no shell, no inherited environment, nobody left behind.

Each child leads its own session, so its whole process group can be ended at once. A descendant that opens a session of
its own escapes the group; holding that one needs a pid namespace, which is the cage's work.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from thoughtforge.kernel.errors import Mistake

MAX_OUTPUT = 8 * 1024 * 1024
"""Bytes kept of each output stream; the rest is read and dropped, so that the child never blocks on a full pipe."""
LINGER_SECONDS = 1.0
"""How long output may still come after the child and its group are gone."""


class Ended(NamedTuple):
    """How a child ended. `code` is negative for a signal; `cut` says that output was dropped."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    cut: bool


class Kept(asyncio.Protocol):
    """One output stream: its first bytes up to a limit, and its end."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.data = bytearray()
        self.cut = False
        self.ended = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        room = self.most - len(self.data)
        self.data += data[:room]
        self.cut = self.cut or len(data) > room

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


async def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    wall_seconds: float,
    max_output: int = MAX_OUTPUT,
) -> Ended:
    """Run a program to its end, or end it and its group when the time is over or the caller is cancelled."""
    async with contextlib.AsyncExitStack() as stack:
        given = stack.enter_context(_as_file(stdin))
        out, out_end = await stack.enter_async_context(_pipe(max_output))
        err, err_end = await stack.enter_async_context(_pipe(max_output))
        child = await _start(argv, cwd=cwd, env=env, stdin=given, stdout=out_end, stderr=err_end)
        out_end.close()
        err_end.close()
        timed_out = False
        try:
            await asyncio.wait_for(child.wait(), wall_seconds)
        except TimeoutError:
            timed_out = True
        finally:
            kill_group(child.pid)
            code = await child.wait()
        await asyncio.wait([out.ended, err.ended], timeout=LINGER_SECONDS)
        return Ended(code, bytes(out.data), bytes(err.data), timed_out, out.cut or err.cut)


def detach(argv: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str], log: Path) -> int:
    """Start a program that outlives this one, its output appended to `log`; answers its process id."""
    with log.open("ab") as output, _named_failure(argv, cwd):
        child = subprocess.Popen(
            [str(part) for part in argv],
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    pid = child.pid
    with warnings.catch_warnings():
        # Letting go of a living child is the point here; subprocess still reaps it should it end before we do.
        warnings.simplefilter("ignore", ResourceWarning)
        del child
    return pid


class Lasting:
    """A child that answers requests until it is closed, such as `git cat-file --batch`."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("a lasting child needs both of its pipes")
        self.child = child
        self.requests = child.stdin
        self.answers = child.stdout

    @classmethod
    async def start(cls, argv: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str]) -> Lasting:
        pipe = asyncio.subprocess.PIPE
        return cls(await _start(argv, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL))

    async def close(self) -> None:
        """End the child and its group; safe to call twice."""
        self.requests.close()
        kill_group(self.child.pid)
        await self.child.wait()
        while await self.answers.read(65536):
            pass  # the transport only lets go of the pipe once it has been read to its end
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            await self.requests.wait_closed()


def kill_group(leader: int) -> None:
    """End a child and everything still in its process group."""
    # macOS answers EPERM instead of ESRCH when only an unreaped leader is left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


async def _start(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int | IO[bytes],
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
) -> asyncio.subprocess.Process:
    if threading.current_thread() is not threading.main_thread():
        # bubblewrap's --die-with-parent watches the starting thread: a child of a thread that ends dies with it.
        raise RuntimeError("child processes are started from the main thread only")
    with _named_failure(argv, cwd):
        return await asyncio.create_subprocess_exec(
            *map(str, argv), cwd=cwd, env=dict(env), stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
        )


@contextlib.contextmanager
def _named_failure(argv: Sequence[str | Path], cwd: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise Mistake(f"the folder {cwd} does not exist", do="Name a folder that exists.") from error
        raise Mistake(
            f"the program {argv[0]} was not found", do=f"Install {argv[0]} or put its folder on PATH."
        ) from error
    except (PermissionError, NotADirectoryError) as error:
        raise Mistake(
            f"{argv[0]} could not be started in {cwd}: {error.strerror}", do="Check both paths and their permissions."
        ) from error


@contextlib.contextmanager
def _as_file(data: bytes) -> Iterator[IO[bytes]]:
    """The child's input as a file: unlike a pipe it cannot block, whoever stops reading."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file


@contextlib.asynccontextmanager
async def _pipe(most: int) -> AsyncIterator[tuple[Kept, IO[bytes]]]:
    """Our reading side of a pipe and the end to hand to a child; close that end once the child has it."""
    reading, writing = os.pipe()
    loop = asyncio.get_running_loop()
    with os.fdopen(writing, "wb", 0) as end:
        transport, kept = await loop.connect_read_pipe(lambda: Kept(most), os.fdopen(reading, "rb", 0))
        try:
            yield kept, end
        finally:
            transport.close()
