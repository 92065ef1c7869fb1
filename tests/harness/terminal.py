"""The installed command on a real terminal: a test types, and reads what a person would see."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import COMMAND, environment
from harness.trusted import allowing

PATIENCE = 60.0
CTRL_C = "\x03"
CTRL_D = "\x04"


class Terminal:
    """One command and the terminal it runs on."""

    def __init__(self, process: subprocess.Popen[bytes], number: int) -> None:
        self.process = process
        self.seen = ""
        """Everything it has shown so far."""
        self._number = number
        self._read = 0

    def expect(self, text: str) -> None:
        """Wait until it shows this, after what was expected before."""
        deadline = time.monotonic() + PATIENCE
        while (at := self.seen.find(text, self._read)) == -1:
            assert time.monotonic() < deadline, f"waited for {text!r} in:\n{self.seen}"
            assert self._more(), f"it ended before {text!r}:\n{self.seen}"
        self._read = at + len(text)

    def type(self, text: str) -> None:
        """Press these keys."""
        os.write(self._number, text.encode())

    def ended(self) -> int:
        """Read to its end; the exit code."""
        while self._more():
            pass
        return self.process.wait(timeout=PATIENCE)

    def _more(self) -> bool:
        ready, _, _ = select.select([self._number], [], [], 1.0)
        try:
            data = os.read(self._number, 65536) if ready else b""
        except OSError:
            return False  # the last process that had it open is gone
        self.seen += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data) or self.process.poll() is None


@contextmanager
def terminal(*args: str, cwd: Path, home: Path, **env: str) -> Iterator[Terminal]:
    """Start the installed command on a terminal of its own; certainly gone afterwards."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, *args],
        cwd=cwd,
        env=environment(home, TERM="xterm", COLUMNS="120", **allowing(cwd, env), **env),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_take_it,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _take_it() -> None:
    """Make it the terminal Ctrl-C is heard from."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
