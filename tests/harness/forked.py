"""Runs of the command without the start of an interpreter: forked from a parent that has everything imported.

The code, the files, the exit codes and a kill are the real ones. What only a new process shows (the console script,
its locale, background runs and terminals) is left to the installed command; with `--installed` everything is.
"""

from __future__ import annotations

import array
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import harness
from harness import COMMAND, Done, environment
from harness.trusted import allowing

SERVER = Path(__file__).with_name("fork_server.py")
READ_AT_START = ("LANG", "LC_", "TZ", "PYTHON")
"""How the variables begin that an interpreter reads when it starts."""
_busy = threading.Lock()


def thoughtforge(*args: str, cwd: Path, home: Path, stdin: str = "", timeout: float = 120, **env: str) -> Done:
    """The same as `harness.thoughtforge`, forked from a warm parent."""
    if not _faithful(env) or not _busy.acquire(blocking=False):
        return harness.thoughtforge(*args, cwd=cwd, home=home, stdin=stdin, timeout=timeout, **env)
    try:
        with TemporaryFile("w+") as given, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            given.write(stdin)
            given.seek(0)
            asked = {
                "argv": [str(COMMAND), *args],
                "cwd": str(cwd),
                "env": environment(home, **allowing(cwd, env), **env),
            }
            code = _ask(json.dumps(asked), (given, out, err), timeout)
            out.seek(0)
            err.seek(0)
            return Done(code, out.read(), err.read())
    finally:
        _busy.release()


def _faithful(env: dict[str, str]) -> bool:
    """Whether nothing is set that an interpreter reads when it starts, except a module the fork loads by itself."""
    special = {name: value for name, value in env.items() if name.startswith(READ_AT_START)}
    site = special.pop("PYTHONPATH", "")
    return not special and (not site or Path(site, "sitecustomize.py").is_file())


def only_installed() -> None:
    """From now on every run is a run of the installed command."""
    _busy.acquire(blocking=False)


def _ask(request: str, files: tuple[IO[str], ...], timeout: float) -> int:
    """Have one run forked and wait for its end."""
    door = _server()
    socket.send_fds(door, [request.encode()], [file.fileno() for file in files])
    door.settimeout(None)
    child = _number(door)
    door.settimeout(timeout)
    try:
        return _number(door)
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        door.settimeout(None)
        _number(door)
        raise subprocess.TimeoutExpired(request, timeout) from None


def _number(door: socket.socket) -> int:
    heard = array.array("i")
    heard.frombytes(door.recv(heard.itemsize))
    assert heard, "the fork server is gone; its last words are above"
    return heard[0]


@cache
def _server() -> socket.socket:
    """The way to the warm parent of this test process; it ends when this end is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    number = theirs.fileno()
    argv = [sys.executable, "-P", str(SERVER), str(number)]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        argv, cwd="/", env=environment(Path("/")), pass_fds=[number], stdin=nothing, stdout=nothing
    )
    theirs.close()
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours
