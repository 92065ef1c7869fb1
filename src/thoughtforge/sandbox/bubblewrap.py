"""Builds a box with bubblewrap: its own view of the files, its own processes, no network, no rights.

- bubblewrap is started with an empty environment: what it has itself can be read inside as /proc/1/environ.
- Its options travel through a descriptor: its command line can be read inside as /proc/1/cmdline.
- Whoever we are outside is user 1000 inside. So our files stay ours to read and, where mounted writable, to write, also
  when we are root; files of other users show as nobody's and only their general permissions count.
- The root and /dev of a box are memory file systems: they are made read-only, or a command could fill the memory.
- /proc is read-only: when we are root outside, we own /proc/sys also without any rights inside.
- The command waits until its limits are set from outside, so none of its processes ever runs without them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import platform
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from thoughtforge.sandbox import process
from thoughtforge.sandbox.box import Box, Limits
from thoughtforge.sandbox.streams import Kept, pipe
from thoughtforge.sandbox.watch import THREADS_PER_PROCESS, Living
from thoughtforge.sandbox.wires import Wires

HOME = "/tmp/home"  # noqa: S108 - inside the box, where /tmp is its own
TEMP = "/tmp"  # noqa: S108
SHARED_MEMORY_BYTES = 64 * 1024**2
INODE_BYTES = 1024
"""What an empty file costs: file systems in memory do not count it, so we do."""

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


def arguments(box: Box, env: Mapping[str, str], *, files: Mapping[str, int], status: int, hold: int) -> list[str]:
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


async def start(
    program: Path,
    box: Box,
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    wires: Wires,
    stack: contextlib.AsyncExitStack,
) -> Living:
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
        files = {path: ours.enter_context(_data(text)) for path, text in _files(box).items()}
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
        return await _release(child, box.limits, status=status, heard=heard, hold=hold, stack=stack)
    except BaseException:
        process.kill_group(child.pid)
        await child.wait()
        raise


async def _release(
    child: asyncio.subprocess.Process,
    limits: Limits,
    *,
    status: Kept,
    heard: asyncio.Event,
    hold: int,
    stack: contextlib.AsyncExitStack,
) -> Living:
    told = asyncio.ensure_future(heard.wait())
    await asyncio.wait([told, status.ended], return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    pid = int(_said(status, "child-pid") or 0)
    failure = _failure(status)
    try:
        handle = os.pidfd_open(pid) if pid else -1
    except ProcessLookupError:
        handle = -1
    if handle < 0:
        return Living(child, child.pid, lambda: process.kill_group(child.pid), lambda: 0, failure)
    stack.callback(os.close, handle)
    with contextlib.suppress(ProcessLookupError):
        _restrict(pid, limits)
    os.write(hold, b"\n")
    return Living(child, pid, lambda: _kill(pid, handle), _temp_used(pid, stack), failure)


def _restrict(pid: int, limits: Limits) -> None:
    """The limits the kernel keeps for us; the others are watched."""
    import resource

    kept = [(resource.RLIMIT_FSIZE, limits.file_bytes), (resource.RLIMIT_CORE, 0)]
    if _counts_per_box():
        kept.append((resource.RLIMIT_NPROC, limits.processes * THREADS_PER_PROCESS))
    for kind, wanted in kept:
        hard = resource.prlimit(pid, kind)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.prlimit(pid, kind, (most, most))
    # When the machine runs out of memory the kernel ends the box before anybody else; some containers forbid asking.
    with contextlib.suppress(PermissionError, FileNotFoundError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")


def _counts_per_box() -> bool:
    """Whether the kernel counts a box's processes apart from the user's others: since 5.14, and never for root."""
    major, minor, *_ = platform.release().split(".")
    return os.getuid() != 0 and (int(major), int(minor)) >= (5, 14)


def _kill(pid: int, handle: int) -> None:
    """End the first process of the box; the kernel then ends all others before bubblewrap hears of it."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, 0)  # raises when the number may already be somebody else's
        # Among thousands of forking processes the first one may wait long for its turn to die: so its group, which is
        # everyone who has not left it, is ended in one stroke, and where we may, its turn comes at once.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(1))
        signal.pidfd_send_signal(handle, signal.SIGKILL)


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


def _failure(status: Kept) -> Callable[[bytes], str]:
    def failure(errors: bytes) -> str:
        if _said(status, "exit-code") is not None:
            return ""
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        return lines[-1].removeprefix("bwrap: ") if lines else "bubblewrap ended without a word"

    return failure


def _said(status: Kept, name: str) -> int | None:
    """A number from bubblewrap's status lines; None while it has not said it."""
    for line in bytes(status.data).splitlines():
        with contextlib.suppress(ValueError):
            number = json.loads(line).get(name)
            if isinstance(number, int):
                return number
    return None


def _system(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.is_dir() else []


def _files(box: Box) -> dict[str, str]:
    return {path: text for path, text in FILES.items() if not (box.network and path in NETWORK)}


def _mounts(box: Box) -> list[str]:
    # Outer ones first: a folder mounted later would hide what was mounted inside it.
    placed = sorted(
        ((mount.target or mount.source, mount) for mount in box.mounts), key=lambda pair: len(pair[0].parts)
    )
    return [
        part
        for target, mount in placed
        for part in ("--bind" if mount.writable else "--ro-bind", str(mount.source), str(target))
    ]


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
