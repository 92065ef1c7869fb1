"""What another process does in the store's tests: `python worker.py NAME ARGUMENTS`."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from threading import Thread

from thoughtforge.people.events import HintGiven
from thoughtforge.store.lease import FileInbox, holder, lease
from thoughtforge.store.log import FileLog
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import verify

MOMENT = "2026-01-01T00:00:00+00:00"


def open_log(folder: str) -> FileLog:
    return FileLog(Path(folder), masker=Masker.of({}), clock=lambda: MOMENT)


def say(word: object) -> None:
    print(word, flush=True)


def until_stdin_ends() -> Thread:
    """A thread that lives until our parent closes our stdin."""
    thread = Thread(target=sys.stdin.read, daemon=True)
    thread.start()
    return thread


def hold(folder: str, who: str) -> None:
    """Hold the lease until stdin ends."""
    with lease(Path(folder), who=who):
        say("held")
        sys.stdin.read()


def hold_with_child(folder: str) -> None:
    """Hold the lease with a child that inherits all it can and outlives us."""
    with lease(Path(folder), who="parent"):
        child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], close_fds=False)
        say(child.pid)
        sys.stdin.read()


def probe(folder: str) -> None:
    """Look who holds the lease, over and over."""
    end = until_stdin_ends()
    say("probing")
    while end.is_alive():
        holder(Path(folder))


def write(folder: str) -> None:
    """Append long events until stdin ends; say how many."""
    end = until_stdin_ends()
    log = open_log(folder)
    say("writing")
    count = 0
    while end.is_alive():
        count = log.append(HintGiven(text=f"{count} " + "long " * 4_000)).seq
    log.close()
    say(count)


def drop(folder: str, name: str, count: str) -> None:
    """Leave messages, each with its number and much text."""
    for number in range(int(count)):
        FileInbox(Path(folder)).drop("hint", {"text": f"{number} " + "x" * 20_000}, by=name, stamp=f"{number:06}")


def fill_file(folder: str) -> None:
    """Append under a limit on the size of files that is met at every byte of the line in turn."""
    log = open_log(folder)
    for number in range(3):
        log.append(HintGiven(text=str(number)))
    size = log.path.stat().st_size
    one = size // 3
    refused = 0
    for room in range(0, one + 8):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, resource.RLIM_INFINITY))
        try:
            log.append(HintGiven(text="a line that is longer than the others " * 3))
        except OSError:
            refused += 1
        if log.path.stat().st_size != size:
            raise SystemExit(f"with room for {room} bytes half a line stayed")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    log.append(HintGiven(text="there is room again"))
    log.close()
    say(f"{refused} of {one + 8} refused, {verify(Path(folder)).events} events")


def fill_disk(folder: str) -> None:
    """Append on a full disk: whatever still fits, the record stays whole. Say how often it was refused."""
    log = open_log(folder)
    log.append(HintGiven(text="first"))
    filler = Path(folder) / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(512))
        except OSError:
            say("full")
    refused = 0
    for number in range(40):
        try:
            log.append(HintGiven(text=f"{number} " + "y" * 400))
        except OSError:
            refused += 1
    log.close()
    proof = verify(Path(folder))
    again = open_log(folder)
    filler.unlink()
    again.append(HintGiven(text="there is room again"))
    again.close()
    say(f"{refused > 0} {proof.damage} {verify(Path(folder)).damage} {(Path(folder) / 'head').read_bytes()[:8]!r}")
    os.sync()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
