"""Runs a command in a box: the strongest one this machine can build, never silently a weaker one."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox import bubblewrap, process, sandbox_exec, weak
from thoughtforge.sandbox.box import REPORT_FD, Box, Boxed, Limits
from thoughtforge.sandbox.streams import LINGER_SECONDS, MAX_OUTPUT, Kept, as_file, pipe
from thoughtforge.sandbox.watch import Living, watch
from thoughtforge.sandbox.wires import Wires

SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a boxed command looks for programs unless its box says otherwise."""
END_SECONDS = 5.0
"""How long the end of a box may take before its builder is killed as well."""
PROBE = Limits(wall_seconds=10.0)
ADVICE = (
    "Install bubblewrap 0.8 or newer (`apt install bubblewrap`, `dnf install bubblewrap`); where it is installed but "
    "refused, allow it user namespaces (Ubuntu: an AppArmor profile for bwrap)."
)
WAY_OUT = "Or set `sandbox.allow_weak: true` to run commands with limits but without walls."
FILE_TOO_LARGE = 128 + signal.SIGXFSZ


class Sandbox(NamedTuple):
    """How boxes are built on this machine."""

    kind: Literal["bubblewrap", "weak", "sandbox-exec"]
    program: Path | None
    note: str
    """What it keeps apart and what it does not, in one sentence for a person."""


async def find(search_path: str, *, allow_weak: bool) -> Sandbox:
    """The strongest sandbox that really works here; the weak one only when a person has allowed it."""
    found = await (_find_sandbox_exec() if sys.platform == "darwin" else _find_bubblewrap(search_path))
    if isinstance(found, Sandbox):
        return found
    if allow_weak:
        return Sandbox(
            "weak",
            None,
            f"weak sandbox: commands are limited and cleaned up, but they see the network, the home folder and every "
            f"file of this user, and nothing is read-only to them ({found})",
        )
    raise Mistake(f"commands cannot be run in a sandbox: {found}", do=f"{ADVICE} {WAY_OUT}")


async def run(
    sandbox: Sandbox,
    box: Box,
    argv: Sequence[str | Path],
    *,
    stdin: bytes = b"",
    report: bool = False,
    max_output: int = MAX_OUTPUT,
    on_report: Callable[[bytes], None] | None = None,
) -> Boxed:
    """Run a command in a box to its end, or end the box at its first limit or when the caller is cancelled.

    A command ended by a signal answers 128 and the signal's number. One that cannot be started at all is a Mistake.
    """
    async with contextlib.AsyncExitStack() as stack:
        out, out_end = await stack.enter_async_context(pipe(max_output))
        err, err_end = await stack.enter_async_context(pipe(max_output))
        told, told_end = await stack.enter_async_context(pipe(max_output, on_report))
        given = stack.enter_context(as_file(stdin))
        wires = Wires(given, out_end, err_end, told_end if report else None)
        living = await _undisturbed(_start(sandbox, box, [str(part) for part in argv], wires=wires, stack=stack))
        told_end.close()
        wires.close()
        stopped = ""
        try:
            stopped = await watch(living, box.limits)
        finally:
            code = await _end(living)
        await asyncio.wait([out.ended, err.ended, told.ended], timeout=LINGER_SECONDS)
        return _boxed(living, code, stopped, out=out, err=err, told=told)


def _boxed(living: Living, code: int, stopped: str, *, out: Kept, err: Kept, told: Kept) -> Boxed:
    failure = "" if stopped else living.failure(bytes(err.data))
    if failure:
        raise Mistake(
            f"the command could not be put into its box: {failure}",
            do="Check that the program, the folder it starts in and everything mounted exist.",
        )
    stopped = stopped or ("file_bytes" if code == FILE_TOO_LARGE else "")
    cut = out.cut or err.cut or told.cut
    return Boxed(code, bytes(out.data), bytes(err.data), bytes(told.data), stopped, cut)


async def _start(
    sandbox: Sandbox, box: Box, argv: Sequence[str], *, wires: Wires, stack: contextlib.AsyncExitStack
) -> Living:
    env = {"PATH": SEARCH_PATH, "LANG": "C.UTF-8"}
    if wires.report:
        env[REPORT_FD] = str(wires.report.fileno())
    if sandbox.kind == "bubblewrap":
        env |= {"HOME": bubblewrap.HOME, "TMPDIR": bubblewrap.TEMP, **box.env}
        return await bubblewrap.start(_program(sandbox), box, argv, env=env, wires=wires, stack=stack)
    temp = weak.private_folder(stack)
    env |= {"HOME": str(temp / "home"), "TMPDIR": str(temp), **box.env}
    wrap = [str(_program(sandbox)), "-p", sandbox_exec.profile(box, temp)] if sandbox.kind == "sandbox-exec" else []
    return await weak.start(box, argv, env=env, temp=temp, wrap=wrap, wires=wires)


async def _undisturbed(starting: Coroutine[Any, Any, Living]) -> Living:
    """Finish a start that has begun, also for a caller that is cancelled: half a box has no one to end it."""
    task = asyncio.ensure_future(starting)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with contextlib.suppress(Mistake):
            await _end(await task)
        raise


async def _end(living: Living) -> int:
    """End what is left of a box; answers the exit code, 128 and the number for a signal."""
    if living.child.returncode is None:
        living.end()
    try:
        code = await asyncio.wait_for(living.child.wait(), END_SECONDS)
    except TimeoutError:
        process.kill_group(living.child.pid)
        code = await living.child.wait()
    return code if code >= 0 else 128 - code


def _program(sandbox: Sandbox) -> Path:
    if sandbox.program is None:
        raise RuntimeError(f"the sandbox {sandbox.kind} has no program")
    return sandbox.program


async def _find_bubblewrap(search_path: str) -> Sandbox | str:
    """bubblewrap when it can really build a box here; otherwise why not."""
    place = shutil.which("bwrap", path=search_path)
    if place is None:
        return "bubblewrap is not installed"
    note = "bubblewrap: own files, processes and network; home, store and environment are not there"
    return await _tried(Sandbox("bubblewrap", Path(place).resolve(), note))


async def _find_sandbox_exec() -> Sandbox | str:
    place = Path("/usr/bin/sandbox-exec")
    if not place.exists():
        return "sandbox-exec is not there"
    note = "sandbox-exec: own files and network; memory and number of processes are not limited on macOS"
    return await _tried(Sandbox("sandbox-exec", place, note))


async def _tried(sandbox: Sandbox) -> Sandbox | str:
    try:
        ended = await run(sandbox, Box(cwd=Path("/"), limits=PROBE), ["sh", "-c", "exit 42"])
    except Mistake as refused:
        return f"{sandbox.kind} does not work here: {refused.what}"
    return sandbox if ended.code == 42 else f"{sandbox.kind} does not work here: its probe ended with {ended.code}"
