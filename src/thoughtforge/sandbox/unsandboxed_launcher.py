"""Runs one command for the weak sandbox and ends whatever it leaves behind.

A process of its own: it adopts every orphan among the command's descendants (Linux), so that a daemon in a session of
its own is found and ended too. A command of the same user that kills this process first does escape.
Its words are the size of the largest file, the most processes of the user (0 for no limit), the doors of its control
group, then the command. Only the standard library may be imported here.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from thoughtforge.sandbox import watch

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
KILLED = 128 + signal.SIGKILL
NOT_FOUND = 127


def main(words: Sequence[str]) -> int:
    """Run the command; answers its exit code, 128 and the number for a signal."""
    file_bytes, processes, doors, *argv = words
    parent = os.getppid()
    _adopt()
    # Held back until someone listens: a launcher that is ended between the two would leave its command to nobody.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    pid = os.fork()
    if pid == 0:
        _become(argv, {resource.RLIMIT_FSIZE: int(file_bytes), resource.RLIMIT_NPROC: int(processes)}, doors=doors)

    def stop(number: int, frame: FrameType | None) -> None:
        _sweep(pid)
        os._exit(KILLED)

    signal.signal(signal.SIGTERM, stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    if os.getppid() != parent:
        stop(signal.SIGTERM, None)  # whoever started us was gone before we could ask to be told
    ended, status = 0, 0
    while ended != pid:
        ended, status = os.wait()
    _sweep(pid)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _adopt() -> None:
    """Become the parent of orphans below us, and be told when our own parent ends."""
    if sys.platform != "linux":
        return
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)


def _become(argv: Sequence[str], limits: Mapping[int, int], *, doors: str) -> None:
    """In the child: a session, a group and limits of its own, then the command."""
    try:
        os.setsid()
        for door in filter(None, doors.split(os.pathsep)):
            Path(door).write_text("0")
        _limit(limits)
        os.execvp(argv[0], list(argv))  # noqa: S606 - no shell is what we want
    except OSError as error:
        os.write(2, f"{error.filename or argv[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(NOT_FOUND)


def _limit(limits: Mapping[int, int]) -> None:
    """Signals as every program finds them, and the kernel's limits."""
    # Python ignores this signal for itself; the command gets it as any program does.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    for kind, wanted in (*limits.items(), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if most or kind == resource.RLIMIT_CORE:
            resource.setrlimit(kind, (most, most))


def _sweep(leader: int) -> None:
    """End the command's group and everything below us, until nothing is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    while watch.end_tree(os.getpid()):
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
