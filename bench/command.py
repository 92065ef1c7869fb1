"""Runs the installed command and measures it from outside."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

COMMAND = Path(sys.executable).with_name("thoughtforge")


class Cost(NamedTuple):
    """What one command took, its children included, and what it printed."""

    cpu: float
    wall: float
    out: str


def run(*args: str, cwd: Path, ends: tuple[int, ...] = (0,)) -> Cost:
    """Run to one of these ends. The CPU seconds are those of the process and of every child it waited for."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        child = subprocess.Popen([COMMAND, *args], cwd=cwd, env=_environment(cwd), stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode not in ends:
            raise SystemExit(f"{' '.join(args)} ended with {child.returncode}:\n{err.read().decode()}")
        return Cost(usage.ru_utime + usage.ru_stime, wall, out.read().decode())


def median_cpu(*args: str, cwd: Path, times: int = 7) -> float:
    """The CPU seconds of a command, the median of several runs after one that fills the caches."""
    run(*args, cwd=cwd)
    return round(median(run(*args, cwd=cwd).cpu for _ in range(times)), 4)


def _environment(home: Path) -> dict[str, str]:
    """Only what is needed, so that a figure does not depend on who measures."""
    git = shutil.which("git")
    path = os.pathsep.join(([str(Path(git).parent)] if git else []) + [os.defpath])
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8"}
