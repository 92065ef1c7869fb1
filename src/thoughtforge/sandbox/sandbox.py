"""Runs a command in the strongest sandbox this machine supports, never silently in a weaker one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import IO, Literal, NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import bubblewrap, cgroups, sandbox_exec, unsandboxed
from thoughtforge.sandbox.box import REPORT_FD, ResourceLimits, SandboxResult, SandboxSpec
from thoughtforge.sandbox.cgroups import Cgroup, CgroupPlace
from thoughtforge.sandbox.process import LINGER_SECONDS, MAX_OUTPUT, CappedOutput, OnData, Pipes, as_file, lines, pipe
from thoughtforge.sandbox.watch import RunningSandbox, end, undisturbed, watch

SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a sandboxed command looks for programs by default."""
PROBE = ResourceLimits(wall_seconds=10.0)
INSTALL = (
    "Install bubblewrap 0.8 or newer (`apt install bubblewrap`, `dnf install bubblewrap`); if it is installed but "
    "does not work, allow it user namespaces (Ubuntu: an AppArmor profile for bwrap)."
)
BIND = "Run as an ordinary user, or let root create cgroups (a writable /sys/fs/cgroup with the pids controller)."
WAY_OUT = "Or set `sandbox.allow_weak: true` to run commands with weaker limits or without isolation."
UNBOUND = "as root only a cgroup can limit the number of processes, and this process cannot create one here"
FILE_TOO_LARGE = 128 + signal.SIGXFSZ


class Sandbox(NamedTuple):
    """How boxes are built on this machine."""

    kind: Literal["bubblewrap", "weak", "sandbox-exec"]
    program: Path | None
    note: str
    """What it isolates and what it does not, in one sentence for a person."""
    groups: CgroupPlace | None = None
    """Where to create the cgroup of each sandbox; None where this process can create none."""


async def find(search_path: str, *, allow_weak: bool) -> Sandbox:
    """The strongest sandbox that really works here; a weaker one only when a person has allowed it."""
    place = cgroups.find()
    if place:
        cgroups.sweep(place)
    found = await (_find_sandbox_exec() if sys.platform == "darwin" else _find_bubblewrap(search_path, place))
    if isinstance(found, Sandbox) and (allow_weak or not _unbound(found)):
        return found
    if not isinstance(found, Sandbox) and allow_weak:
        return await _find_weak(place, found)
    why, do = (UNBOUND, BIND) if isinstance(found, Sandbox) else (found, INSTALL)
    raise UserError(f"commands cannot run in a sandbox: {why}", do=f"{do} {WAY_OUT}")


class OpenSandbox(NamedTuple):
    """A box whose command runs, and what comes out of it."""

    living: RunningSandbox
    out: CappedOutput
    err: CappedOutput
    told: CappedOutput

    def heard(self) -> float:
        """When the command last said something, by the loop's clock."""
        return max(self.out.heard, self.err.heard, self.told.heard)

    async def drained(self) -> None:
        """Wait a moment for output that is still on its way."""
        await asyncio.wait([self.out.ended, self.err.ended, self.told.ended], timeout=LINGER_SECONDS)


async def run(
    sandbox: Sandbox,
    box: SandboxSpec,
    argv: Sequence[str | Path],
    *,
    stdin: bytes = b"",
    report: bool = False,
    max_output: int = MAX_OUTPUT,
    on_report: OnData | None = None,
    on_line: OnData | None = None,
    alive: Callable[[], float] = lambda: 0.0,
) -> SandboxResult:
    """Run a command in a box to its end, or end the box at its first limit or when the caller is cancelled.

    A command ended by a signal answers 128 and the signal's number. One that cannot be started at all is a UserError.
    `on_line` hears each line of its output while it runs. Where silence has a limit, `alive` tells of signs of life
    that are not output: when the last one came, by the loop's clock.
    """
    with as_file(stdin) as given:
        hear = lines(on_line) if on_line else None
        opening = opened(
            sandbox, box, argv, stdin=given, report=report, max_output=max_output, on_report=on_report, on_output=hear
        )
        async with opening as open_box:
            stopped = ""
            try:
                stopped = await watch(open_box.living, box.limits, heard=lambda: max(open_box.heard(), alive()))
            finally:
                code = await end(open_box.living)
            await open_box.drained()
            return _boxed(open_box, code, stopped)


@contextlib.asynccontextmanager
async def opened(
    sandbox: Sandbox,
    box: SandboxSpec,
    argv: Sequence[str | Path],
    *,
    stdin: IO[bytes],
    report: bool = False,
    max_output: int = MAX_OUTPUT,
    on_report: OnData | None = None,
    on_output: OnData | None = None,
) -> AsyncIterator[OpenSandbox]:
    """A box with its command started. Whoever opens it ends it (`living.end`) before leaving."""
    async with contextlib.AsyncExitStack() as stack:
        group = await stack.enter_async_context(cgroups.made(sandbox.groups, box.limits))
        out, out_end = await stack.enter_async_context(pipe(max_output, on_any=on_output))
        err, err_end = await stack.enter_async_context(pipe(max_output))
        told, told_end = await stack.enter_async_context(pipe(max_output, on_report))
        wires = Pipes(stdin, out_end, err_end, told_end if report else None)
        living = await undisturbed(
            _start(sandbox, box, [str(part) for part in argv], wires=wires, group=group, stack=stack)
        )
        told_end.close()
        wires.close()
        yield OpenSandbox(living, out, err, told)


def _boxed(open_box: OpenSandbox, code: int, stopped: str) -> SandboxResult:
    living, out, err, told = open_box
    failure = "" if stopped else living.failure(bytes(err.data))
    if failure:
        raise UserError(
            f"the command could not start in its sandbox: {failure}",
            do="Check that the program, its working folder and everything it mounts exist.",
        )
    stopped = stopped or ("file_bytes" if code == FILE_TOO_LARGE else "")
    cut = out.cut or err.cut or told.cut
    return SandboxResult(code, bytes(out.data), bytes(err.data), bytes(told.data), stopped, cut)


async def _start(
    sandbox: Sandbox,
    box: SandboxSpec,
    argv: Sequence[str],
    *,
    wires: Pipes,
    group: Cgroup | None,
    stack: contextlib.AsyncExitStack,
) -> RunningSandbox:
    env = {"PATH": SEARCH_PATH, "LANG": "C.UTF-8"}
    if wires.report:
        env[REPORT_FD] = str(wires.report.fileno())
    if sandbox.kind == "bubblewrap":
        env |= {"HOME": bubblewrap.HOME, "TMPDIR": bubblewrap.TEMP, **box.env}
        return await bubblewrap.start(_program(sandbox), box, argv, env=env, wires=wires, group=group, stack=stack)
    temp = unsandboxed.private_folder(stack)
    env |= {"HOME": str(temp / "home"), "TMPDIR": str(temp), **box.env}
    wrap = [str(_program(sandbox)), "-p", sandbox_exec.profile(box, temp)] if sandbox.kind == "sandbox-exec" else []
    return await unsandboxed.start(box, argv, env=env, temp=temp, wrap=wrap, wires=wires, group=group)


def _program(sandbox: Sandbox) -> Path:
    if sandbox.program is None:
        raise RuntimeError(f"the sandbox {sandbox.kind} has no program")
    return sandbox.program


def _unbound(sandbox: Sandbox) -> bool:
    """Whether only our looking limits the number of processes: it can be outrun."""
    return sandbox.kind != "sandbox-exec" and sandbox.groups is None and os.getuid() == 0


async def _find_bubblewrap(search_path: str, place: CgroupPlace | None) -> Sandbox | str:
    """bubblewrap when it can really build a box here; otherwise why not."""
    program = shutil.which("bwrap", path=search_path)
    if program is None:
        return "bubblewrap is not installed"
    note = "bubblewrap: separate files, processes and network; home, store and environment are not visible"
    return await _tried(Sandbox("bubblewrap", Path(program).resolve(), note, place))


async def _find_sandbox_exec() -> Sandbox | str:
    program = Path("/usr/bin/sandbox-exec")
    if not program.exists():
        return "sandbox-exec is not installed"
    note = "sandbox-exec: separate files and network; macOS does not limit memory or the number of processes"
    return await _tried(Sandbox("sandbox-exec", program, note))


async def _find_weak(place: CgroupPlace | None, why: str) -> Sandbox:
    note = (
        "no isolation: commands have limits and are cleaned up, but they see the network, the home folder and every "
        f"file of this user, and nothing is read-only to them ({why})"
    )
    found = await _tried(Sandbox("weak", None, note, place))
    if isinstance(found, str):
        raise UserError(f"commands cannot run at all: {found}", do=INSTALL)
    return found


async def _tried(sandbox: Sandbox) -> Sandbox | str:
    """The sandbox, without groups where it only works so, with all that must be said about it; or why it does not."""
    try:
        ended = await run(sandbox, SandboxSpec(cwd=Path("/"), limits=PROBE), ["sh", "-c", "exit 42"])
    except UserError as refused:
        failure = f"{sandbox.kind} does not work here: {refused.what}"
    else:
        failure = (
            "" if ended.code == 42 else f"{sandbox.kind} does not work here: its test command ended with {ended.code}"
        )
    if failure and sandbox.groups:
        return await _tried(sandbox._replace(groups=None))
    if not failure and _unbound(sandbox):
        return sandbox._replace(note=f"{sandbox.note}; the number of processes is watched but not limited: {UNBOUND}")
    return failure or sandbox
