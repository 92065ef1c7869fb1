"""Every child process starts here: its streams, its time, its output and its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from thoughtforge.kernel.errors import UserError


class Pipes(NamedTuple):
    """The ends a boxed command gets."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    report: IO[bytes] | None = None

    @property
    def passed(self) -> tuple[int, ...]:
        """Descriptors it inherits beside its three streams."""
        return (self.report.fileno(),) if self.report else ()

    def close(self) -> None:
        """Let go of our copies, so that a stream ends when the command does."""
        for end in (self.stdout, self.stderr, self.report):
            if end is not None:
                end.close()


MAX_OUTPUT = 8 * 1024 * 1024
"""Bytes kept of each output stream; the rest is read and dropped, so that the child never blocks on a full pipe."""
LINGER_SECONDS = 1.0
"""How long output may still come after the child and its group are gone."""
OnData = Callable[[bytes], None]


class CappedOutput(asyncio.Protocol):
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
) -> AsyncIterator[tuple[CappedOutput, IO[bytes]]]:
    """Our reading side of a pipe and the end to hand to a child; close that end once the child has it.

    `on_data` hears what is kept, `on_any` everything.
    """
    reading, writing = os.pipe()
    loop = asyncio.get_running_loop()
    with os.fdopen(writing, "wb", 0) as end:
        transport, kept = await loop.connect_read_pipe(
            lambda: CappedOutput(most, on_data, on_any), os.fdopen(reading, "rb", 0)
        )
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


logger = logging.getLogger(__name__)


class ProcessResult(NamedTuple):
    """How a child ended. `code` is negative for a signal; `cut` says that output was dropped."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    cut: bool


async def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    wall_seconds: float,
    max_output: int = MAX_OUTPUT,
) -> ProcessResult:
    """Run a program to its end, or end it and its group when the time is over or the caller is cancelled."""
    began = time.monotonic()
    async with contextlib.AsyncExitStack() as stack:
        given = stack.enter_context(as_file(stdin))
        out, out_end = await stack.enter_async_context(pipe(max_output))
        err, err_end = await stack.enter_async_context(pipe(max_output))
        child = await start(argv, cwd=cwd, env=env, stdin=given, stdout=out_end, stderr=err_end)
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
        late = ", out of time" if timed_out else ""
        logger.info("%s ended with %d after %.2f s%s", Path(argv[0]).name, code, time.monotonic() - began, late)
        return ProcessResult(code, bytes(out.data), bytes(err.data), timed_out, out.cut or err.cut)


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


class RunningProcess:
    """A child that answers requests until it is closed, such as `git cat-file --batch`."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("a lasting child needs both of its pipes")
        self.child = child
        self.requests = child.stdin
        self.answers = child.stdout

    @classmethod
    async def start(cls, argv: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str]) -> RunningProcess:
        """Start it with both pipes; what it says on stderr is dropped."""
        pipe = asyncio.subprocess.PIPE
        return cls(await start(argv, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL))

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


async def start(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int | IO[bytes],
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
    pass_fds: Sequence[int] = (),
) -> asyncio.subprocess.Process:
    """Start a child in a session of its own, with nothing of ours but the descriptors named here."""
    if threading.current_thread() is not threading.main_thread():
        # bubblewrap's --die-with-parent watches the starting thread: a child of a thread that ends dies with it.
        raise RuntimeError("child processes are started from the main thread only")
    if logger.isEnabledFor(logging.DEBUG):
        logger.debug("start %s in %s", " ".join(map(str, argv)), cwd)
    with _named_failure(argv, cwd):
        return await asyncio.create_subprocess_exec(
            *map(str, argv),
            cwd=cwd,
            env=dict(env),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
        )


@contextlib.contextmanager
def _named_failure(argv: Sequence[str | Path], cwd: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise UserError(f"the folder {cwd} does not exist", do="Name an existing folder.") from error
        raise UserError(
            f"the program {argv[0]} was not found", do=f"Install {argv[0]} or put its folder on PATH."
        ) from error
    except (PermissionError, NotADirectoryError) as error:
        raise UserError(
            f"{argv[0]} could not be started in {cwd}: {error.strerror}", do="Check both paths and their permissions."
        ) from error
