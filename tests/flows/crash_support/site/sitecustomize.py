"""Ends the process that loads it, with SIGKILL, at one chosen moment.

Python loads a module of this name by itself when its folder is on PYTHONPATH, and only the process that is to die has
it there. CRASH says when, as `event name count moment`: at the count-th audited event (`open`, `os.rename`, …) that
touches a file of that name, `before` it happens or right `after`, when the next call or return is seen. With `lose`
nobody dies: right after it the file itself is gone.

COPIES names moments before that one, as `count moment,…`, at which everything below COPY_FROM is copied to a folder of
COPY_TO: the files are those that a kill at that moment would leave. CRASH is where the process really dies.
"""

import os
import shutil
import signal
import sys
from fnmatch import fnmatch
from pathlib import Path

EVENT, NAME, COUNT, MOMENT = os.environ["CRASH"].split()
TOUCHED = 1 if EVENT == "os.rename" else 0
"""Which argument of the event names the file; a rename is known by where it leads to."""
left = int(COUNT)
copies = {moment for moment in os.environ.get("COPIES", "").split(",") if moment}
seen = 0


def watch(event, args):
    """Count, and die when it is time."""
    global left, seen
    if event != EVENT or not fnmatch(str(args[TOUCHED]).rpartition("/")[2], NAME):
        return
    left, seen = left - 1, seen + 1
    copy(f"{seen} before")
    if f"{seen} after" in copies:
        sys.setprofile(then_copy(f"{seen} after", sys.getprofile()))
    if left == 0 and MOMENT == "before":
        die()
    if left == 0:
        sys.setprofile(die if MOMENT == "after" else lose(args[TOUCHED]))


def copy(moment):
    """Keep the files as they are now, if that is asked for."""
    if moment in copies:
        copies.discard(moment)
        shutil.copytree(os.environ["COPY_FROM"], Path(os.environ["COPY_TO"], moment), symlinks=True)


def then_copy(moment, before):
    """Copy at the next call or return."""

    def once(*seen):
        sys.setprofile(before)
        copy(moment)

    return once


def lose(path):
    """Take the file away at the next call or return."""

    def unlink(*seen):
        sys.setprofile(None)
        Path(path).unlink()

    return unlink


def die(*seen):
    """Nothing is cleaned up: the same as a power cut to everyone but the disk."""
    os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(watch)
