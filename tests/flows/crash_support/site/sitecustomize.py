"""Ends the process that loads it, with SIGKILL, at one chosen moment.

Python loads a module of this name by itself when its folder is on PYTHONPATH, and only the process that is to die has
it there. CRASH says when, as `event name count moment`: at the count-th audited event (`open`, `os.rename`, …) that
touches a file of that name, `before` it happens or right `after`, when the next call or return is seen. With `lose`
nobody dies: right after it the file itself is gone.
"""

import os
import signal
import sys
from fnmatch import fnmatch
from pathlib import Path

EVENT, NAME, COUNT, MOMENT = os.environ["CRASH"].split()
TOUCHED = 1 if EVENT == "os.rename" else 0
"""Which argument of the event names the file; a rename is known by where it leads to."""
left = int(COUNT)


def watch(event, args):
    """Count, and die when it is time."""
    global left
    if event != EVENT or not fnmatch(str(args[TOUCHED]).rpartition("/")[2], NAME):
        return
    left -= 1
    if left == 0 and MOMENT == "before":
        die()
    if left == 0:
        sys.setprofile(die if MOMENT == "after" else lose(args[TOUCHED]))


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
