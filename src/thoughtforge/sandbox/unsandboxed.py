"""The fallback for machines without a sandbox: limits and clean-up, but no isolation.

The command gets its own environment and temporary folder, is watched, and is ended with all its descendants. It shares
our user, our files and our network: what is mounted read-only elsewhere is only asked to be so here, and a command
that wants to can leave its control group as root.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import process, watch
from thoughtforge.sandbox.box import SandboxSpec
from thoughtforge.sandbox.cgroups import Cgroup
from thoughtforge.sandbox.process import Pipes
from thoughtforge.sandbox.watch import RunningSandbox

PACKAGES = Path(__file__).parents[2]
LAUNCH = (
    "import os, sys; sys.path.insert(0, sys.argv[1]); from thoughtforge.sandbox.unsandboxed_launcher import main; "
    "os._exit(main(sys.argv[2:]))"
)
"""Starts the launcher of this very installation, without the time site-packages take.

It leaves at once: an interpreter that takes its leave no longer hears the signal we end it with as we mean it.
"""
FILE_BYTES = 1024
"""What an empty file counts."""
MEASURE_SECONDS = 0.5
"""Time between two measurements of the temporary folder: each walks through it."""


def private_folder(stack: contextlib.AsyncExitStack) -> Path:
    """A temporary folder for one command, gone with everything in it when the command has ended."""
    made = tempfile.TemporaryDirectory(prefix="thoughtforge-", ignore_cleanup_errors=True)
    folder = Path(stack.enter_context(made)).resolve()
    (folder / "home").mkdir()
    return folder


async def start(
    box: SandboxSpec,
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    temp: Path,
    wires: Pipes,
    wrap: Sequence[str] = (),
    group: Cgroup | None = None,
) -> RunningSandbox:
    """Start a command below a launcher that ends what it leaves behind; `wrap` is put before the command."""
    _check(box, argv[0], env["PATH"])
    doors = os.pathsep.join(map(str, group.doors)) if group else ""
    limits = [str(box.limits.file_bytes), str(watch.bound(box.limits, own_namespace=False)), doors]
    child = await process.start(
        [sys.executable, "-I", "-S", "-c", LAUNCH, str(PACKAGES), *limits, *wrap, *argv],
        cwd=box.cwd,
        env=env,
        stdin=wires.stdin,
        stdout=wires.stdout,
        stderr=wires.stderr,
        pass_fds=wires.passed,
    )

    def end() -> None:
        watch.end_tree(child.pid)
        # Not by the child's own methods: they look whether it has ended, and whoever looks takes its exit code away.
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGTERM)
            os.kill(child.pid, signal.SIGCONT)  # the command may have stopped its launcher

    return RunningSandbox(child, child.pid, end, _temp_used(temp), lambda errors: "", group)


def _check(box: SandboxSpec, program: str, search_path: str) -> None:
    moved = [mount for mount in box.mounts if mount.target not in (None, mount.source)]
    if moved:
        raise UserError(
            f"{moved[0].source} cannot be shown as {moved[0].target} without bubblewrap",
            do="Install bubblewrap: only a sandbox with its own mounts can show a folder at another path.",
        )
    absent = [mount.source for mount in box.mounts if not mount.source.exists()]
    if absent:
        raise UserError(f"{absent[0]} does not exist", do="Name files and folders that exist.")
    found = os.access(box.cwd / program, os.X_OK) if "/" in program else shutil.which(program, path=search_path)
    if not found:
        raise UserError(f"the program {program} was not found", do=f"Install {program} or put its folder on PATH.")


def _temp_used(folder: Path) -> Callable[[], int]:
    loop = asyncio.get_running_loop()
    last = [loop.time(), 0.0]

    def used() -> int:
        if loop.time() - last[0] >= MEASURE_SECONDS:
            last[:] = loop.time(), float(_size(folder))
        return int(last[1])

    return used


def _size(folder: Path) -> int:
    total = 0
    for place, folders, names in os.walk(folder):
        total += FILE_BYTES * (len(folders) + len(names))
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(place, name).lstat().st_blocks * 512
    return total
