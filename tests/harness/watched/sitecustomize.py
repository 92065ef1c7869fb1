"""Watches the process that loads it: how often it reads a task's log, and what one edit of an agent takes.

Python loads a module of this name by itself when its folder is on PYTHONPATH. Nothing of the program is changed.

LOG_READS names a file for the number of whole-log reads. Every opening of `events.jsonl` for reading counts, also one
that looks at the first event alone. A reader that goes on where it stopped has a local `offset` above 0; that does not
count.

EDIT_STEP names a file for the first edit at stage green that the gate has judged: the program's files in which a
function was called and the number of git processes, from the call on record to the action on record.
"""

import atexit
import importlib.util
import json
import os
import sys
import threading
from pathlib import Path

SOURCE = str(Path(importlib.util.find_spec("thoughtforge").origin).parent) + os.sep
reads = 0
files = set()
git_processes = 0
edits_judged = False


def count_reads(event, args):
    """One more, when the log is opened for reading."""
    global reads
    if event != "open" or not str(args[0]).endswith("/events.jsonl") or args[2] & os.O_ACCMODE != os.O_RDONLY:
        return
    frame = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith(SOURCE):
        frame = frame.f_back
    if frame is not None and not frame.f_locals.get("offset"):
        reads += 1


def tell_reads():
    """Leave the sum behind; a child of the program may have left one too."""
    with Path(os.environ["LOG_READS"]).open("a", encoding="utf-8") as file:
        file.write(f"{reads}\n")


def note_file(frame, event, arg):
    """Keep the file of a function of the program that is called."""
    if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
        files.add(frame.f_code.co_filename.removeprefix(SOURCE))


def follow_steps(event, args):
    """Count git, and see from the log where a step begins and ends: `head` is renamed after each event."""
    global git_processes
    if event == "subprocess.Popen" and Path(os.fsdecode(args[0])).name == "git":
        git_processes += 1
    elif event == "os.rename" and str(args[1]).endswith("/head"):
        on_record(last_event(Path(args[1]).with_name("events.jsonl")))


def last_event(log):
    """The newest event, read past `open` so that it counts as no read of the program."""
    number = os.open(log, os.O_RDWR)
    try:
        return json.loads(os.pread(number, os.fstat(number).st_size, 0).splitlines()[-1])
    finally:
        os.close(number)


def on_record(event):
    """Begin anew at each call; leave the figures behind at the end of an edit the gate has judged."""
    global git_processes, edits_judged
    told = (event["type"], event.get("stage"))
    if told == ("call_started", "green"):
        files.clear()
        git_processes, edits_judged = 0, False
    elif told == ("measured", "green") and event["what"] == "edit":
        edits_judged = True
    elif told == ("action_taken", "green") and edits_judged:
        sys.setprofile(None)
        threading.setprofile(None)
        out = Path(os.environ["EDIT_STEP"])
        if not out.exists():
            out.write_text(json.dumps({"files": sorted(files), "git": git_processes}), encoding="utf-8")


if "LOG_READS" in os.environ:
    sys.addaudithook(count_reads)
    atexit.register(tell_reads)
if "EDIT_STEP" in os.environ:
    sys.addaudithook(follow_steps)
    threading.setprofile(note_file)
    sys.setprofile(note_file)
