"""Starts, watches and ends every child process: no shell, no inherited environment, nobody left behind.

Each child leads its own session, so its whole process group can be ended at once. A descendant that opens a session of
its own escapes the group; holding that one needs a box (`boxes.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox.streams import LINGER_SECONDS, MAX_OUTPUT, as_file, pipe

logger = logging.getLogger(__name__)


class Ended(NamedTuple):
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
) -> Ended:
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
            raise Mistake(f"the folder {cwd} does not exist", do="Name a folder that exists.") from error
        raise Mistake(
            f"the program {argv[0]} was not found", do=f"Install {argv[0]} or put its folder on PATH."
        ) from error
    except (PermissionError, NotADirectoryError) as error:
        raise Mistake(
            f"{argv[0]} could not be started in {cwd}: {error.strerror}", do="Check both paths and their permissions."
        ) from error
