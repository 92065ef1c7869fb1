"""A bubblewrap sandbox: what it shows, how it is started and restricted, and why one failed.

- Whoever we are outside is user 1000 inside. So our files stay ours to read and, where mounted writable, to write, also
  when we are root; files of other users show as nobody's and only their general permissions count.
- The root and /dev of a box are memory file systems: they are made read-only, or a command could fill the memory.
- /proc is read-only: when we are root outside, we own /proc/sys also without any rights inside.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.sandbox import process
from thoughtforge.sandbox.box import SHARED_MEMORY_BYTES, ResourceLimits, SandboxSpec
from thoughtforge.sandbox.cgroups import Cgroup
from thoughtforge.sandbox.process import CappedOutput, Pipes, pipe
from thoughtforge.sandbox.watch import RunningSandbox, bound

HOME = "/tmp/home"  # noqa: S108 - inside the box, where /tmp is its own
TEMP = "/tmp"  # noqa: S108

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
ETC = (
    "alternatives",
    "ca-certificates",
    "ld.so.cache",
    "localtime",
    "mime.types",
    "pki/tls",
    "pki/ca-trust",
    "ssl/certs",
    "ssl/openssl.cnf",
)
NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/services", "/etc/gai.conf")
FILES = {
    "/etc/passwd": f"user:x:1000:1000::{HOME}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
    "/etc/group": "user:x:1000:\nnogroup:x:65534:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "/etc/hosts": "127.0.0.1 localhost box\n::1 localhost\n",
}
FIXED: tuple[str, ...] = (
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--cap-drop",
    "ALL",
)
FIXED += ("--die-with-parent", "--new-session", "--hostname", "box", "--clearenv")


def arguments(
    box: SandboxSpec, env: Mapping[str, str], *, files: Mapping[str, int], status: int, hold: int
) -> list[str]:
    """Every option of bubblewrap for this box; `files` are the ones we make up: path inside → descriptor."""
    made = [*FIXED, "--json-status-fd", str(status), "--block-fd", str(hold)]
    made += ["--share-net"] if box.network else []
    made += [part for path in SYSTEM for part in _system(Path(path))]
    made += [part for name in ETC for part in ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")]
    made += [part for path, number in files.items() for part in ("--ro-bind-data", str(number), path)]
    if box.network:
        made += [part for path in NETWORK for part in ("--ro-bind-try", path, path)]
    made += ["--proc", "/proc", "--dev", "/dev", "--size", str(min(SHARED_MEMORY_BYTES, box.limits.temp_bytes))]
    made += ["--perms", "1777", "--tmpfs", "/dev/shm"]  # noqa: S108
    made += ["--perms", "1777", "--size", str(box.limits.temp_bytes), "--tmpfs", TEMP, "--dir", HOME]
    made += _mounts(box)
    made += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(box.cwd)]
    return made + [part for name, value in env.items() for part in ("--setenv", name, value)]


def made_up(box: SandboxSpec) -> dict[str, str]:
    """The files we write for this box: path inside → text."""
    return {path: text for path, text in FILES.items() if not (box.network and path in NETWORK)}


def _system(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.is_dir() else []


def _mounts(box: SandboxSpec) -> list[str]:
    # Outer ones first: a folder mounted later would hide what was mounted inside it.
    placed = sorted(
        ((mount.target or mount.source, mount) for mount in box.mounts), key=lambda pair: len(pair[0].parts)
    )
    return [
        part
        for target, mount in placed
        for part in ("--bind" if mount.writable else "--ro-bind", str(mount.source), str(target))
    ]


GONE_SECONDS = 5.0
"""How long a box may take to be gone after its end; the kernel frees its memory in that time."""
INODE_BYTES = 1024
"""What an empty file costs: file systems in memory do not count it, so we do."""


async def start(
    program: Path,
    box: SandboxSpec,
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    wires: Pipes,
    group: Cgroup | None,
    stack: contextlib.AsyncExitStack,
) -> RunningSandbox:
    """Build the box, set its limits and let the command go."""
    heard = asyncio.Event()
    status, status_end = await stack.enter_async_context(
        pipe(65536, lambda data: heard.set() if b"\n" in data else None)
    )
    held, hold = os.pipe()
    stack.callback(os.close, hold)
    with contextlib.ExitStack() as ours:
        ours.callback(os.close, held)
        ours.enter_context(status_end)
        files = {path: ours.enter_context(_data(text)) for path, text in made_up(box).items()}
        options = arguments(box, env, files=files, status=status_end.fileno(), hold=held)
        given = ours.enter_context(_data("\0".join(options)))
        child = await process.start(
            [program, "--args", str(given), "--", *argv],
            cwd=Path("/"),
            env={},
            stdin=wires.stdin,
            stdout=wires.stdout,
            stderr=wires.stderr,
            pass_fds=[*wires.passed, *files.values(), given, held, status_end.fileno()],
        )
    try:
        waiting = Waiting(child, status, heard, hold, group)
        return await _release(waiting, box.limits, stack=stack)
    except BaseException:
        process.kill_group(child.pid)
        await child.wait()
        raise


class Waiting(NamedTuple):
    """A box that has been ordered and waits for our word."""

    child: asyncio.subprocess.Process
    status: CappedOutput
    heard: asyncio.Event
    hold: int
    group: Cgroup | None


async def _release(waiting: Waiting, limits: ResourceLimits, *, stack: contextlib.AsyncExitStack) -> RunningSandbox:
    told = asyncio.ensure_future(waiting.heard.wait())
    await asyncio.wait([told, waiting.status.ended], return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    child, failure = waiting.child, _failure(waiting.status)
    pid = int(_said(waiting.status, "child-pid") or 0)
    try:
        handle = os.pidfd_open(pid) if pid else -1
    except ProcessLookupError:
        handle = -1
    if handle < 0:
        return RunningSandbox(
            child, child.pid, lambda: process.kill_group(child.pid), lambda: 0, failure, waiting.group
        )
    stack.callback(os.close, handle)
    stack.push_async_callback(_gone, pid, handle)
    # A box that cannot be built ends at any moment in here; its error output then says why.
    with contextlib.suppress(ProcessLookupError, BrokenPipeError):
        if waiting.group:
            # The kernel takes up to 20 ms for it, in which we have other boxes to watch.
            await asyncio.to_thread(waiting.group.enter, pid)
        _restrict(pid, limits)
        os.write(waiting.hold, b"\n")
    return RunningSandbox(child, pid, lambda: _kill(handle), _temp_used(pid, stack), failure, waiting.group)


def _restrict(pid: int, limits: ResourceLimits) -> None:
    """The limits the kernel keeps for us; the others are watched."""
    import resource

    kept = {resource.RLIMIT_FSIZE: limits.file_bytes, resource.RLIMIT_CORE: 0}
    if tasks := bound(limits, own_namespace=True):
        kept[resource.RLIMIT_NPROC] = tasks
    for kind, wanted in kept.items():
        hard = resource.prlimit(pid, kind)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.prlimit(pid, kind, (most, most))
    # When the machine runs out of memory the kernel ends the box before anybody else; some containers forbid asking.
    with contextlib.suppress(PermissionError, FileNotFoundError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")


def _kill(handle: int) -> None:
    """End the first process of the box: the kernel forbids forking in it and ends all others with it."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, signal.SIGKILL)


async def _gone(pid: int, handle: int) -> None:
    """Wait until the first process of the box is gone, which is when everyone else in it is.

    bubblewrap answers before that. Where we are the first process of a container, what it leaves is ours to take away.
    """
    loop = asyncio.get_running_loop()
    gone = asyncio.Event()
    loop.add_reader(handle, gone.set)
    try:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(gone.wait(), GONE_SECONDS)
    finally:
        loop.remove_reader(handle)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _temp_used(pid: int, stack: contextlib.AsyncExitStack) -> Callable[[], int]:
    place = Path(f"/proc/{pid}/root{TEMP}")
    opened: list[int] = []

    def used() -> int:
        if not opened:
            # Until bubblewrap has changed its root, this path is the machine's own temporary folder.
            with contextlib.suppress(OSError):
                if place.stat().st_dev != Path(TEMP).stat().st_dev:
                    opened.append(os.open(place, os.O_PATH | os.O_DIRECTORY))
                    stack.callback(os.close, opened[0])
            return 0
        system = os.fstatvfs(opened[0])
        return (system.f_blocks - system.f_bfree) * system.f_frsize + (system.f_files - system.f_ffree) * INODE_BYTES

    return used


def _failure(status: CappedOutput) -> Callable[[bytes], str]:
    def failure(errors: bytes) -> str:
        if _said(status, "exit-code") is not None:
            return ""
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        return lines[-1].removeprefix("bwrap: ") if lines else "bubblewrap ended without an error message"

    return failure


def _said(status: CappedOutput, name: str) -> int | None:
    """A number from bubblewrap's status lines; None while it has not said it."""
    for line in bytes(status.data).splitlines():
        with contextlib.suppress(ValueError):
            number = json.loads(line).get(name)
            if isinstance(number, int):
                return number
    return None


@contextlib.contextmanager
def _data(text: str) -> Iterator[int]:
    """A text as a file without a name, for a child to read."""
    number = os.memfd_create("given")
    try:
        with os.fdopen(number, "wb", closefd=False) as file:
            file.write(text.encode("utf-8", "surrogateescape"))
        os.lseek(number, 0, os.SEEK_SET)
        yield number
    finally:
        os.close(number)
