"""Carries out a set-up: every command in a box that sees the new folder and what the command needs, nothing else."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox import boxes
from thoughtforge.sandbox.box import Box, Limits, Mount
from thoughtforge.sandbox.boxes import SEARCH_PATH, Sandbox
from thoughtforge.suites.access import Access
from thoughtforge.suites.install import FOLDER, InstallPlan, InstallStep
from thoughtforge.suites.interpreter import Interpreter, prefix_mounts
from thoughtforge.suites.toolchain import installation

LIMITS = Limits(wall_seconds=1800.0, processes=1024, file_bytes=8 * 1024**3, temp_bytes=2 * 1024**3)
LAST_LINES = 15


class Making(NamedTuple):
    """Where and with what an environment is being made."""

    folder: Path
    root: Path
    needs_root: bool
    interpreter: Interpreter
    access: Access
    search_path: str
    limits: Limits


async def carry_out(plan: InstallPlan, making: Making, sandbox: Sandbox) -> float:
    """Do every step of a plan; answers the seconds it took."""
    began = time.monotonic()
    temp = making.folder / ".tmp"
    temp.mkdir()
    for step in plan.steps:
        await _step(step, making, sandbox)
    await asyncio.to_thread(shutil.rmtree, temp, ignore_errors=True)
    return round(time.monotonic() - began, 3)


async def _step(step: InstallStep, making: Making, sandbox: Sandbox) -> None:
    folder = str(making.folder)
    argv = [part.replace(FOLDER, folder) for part in step.argv]
    program = shutil.which(argv[0], path=f"{folder}/bin:{making.search_path}") or argv[0]
    ended = await boxes.run(sandbox, _box(step, making, Path(program)), [program, *argv[1:]])
    if ended.code or ended.stopped:
        said = (ended.stderr or ended.stdout).decode("utf-8", "replace").strip().splitlines()[-LAST_LINES:]
        raise Mistake(
            f"the repository's environment could not be made: `{' '.join(step.argv)}` ended with "
            f"{ended.stopped or ended.code}",
            do="Put right what it says, or give a command of your own in `setup.command`.",
            details=tuple(said),
        )


def _box(step: InstallStep, making: Making, program: Path) -> Box:
    folder = making.folder
    mounts = [Mount(folder, writable=True), *making.interpreter.mounts, *_program_mounts(program, step, folder)]
    mounts += [Mount(making.root)] if making.needs_root else []
    mounts += [Mount(path) for path in making.access.files if step.network and path.exists()]
    env = dict(making.access.env) if step.network else {}
    env |= {name: value.replace(FOLDER, str(folder)) for name, value in step.env.items()}
    env |= {
        "PATH": f"{folder}/bin:{program.parent}:{SEARCH_PATH}",
        "VIRTUAL_ENV": str(folder),
        # on disk and not in memory: packages can be large
        "TMPDIR": f"{folder}/.tmp",
    }
    return Box(
        cwd=making.root if making.needs_root else folder,
        mounts=tuple(dict.fromkeys(mounts)),
        env=env,
        limits=making.limits,
        network=step.network,
    )


def _program_mounts(program: Path, step: InstallStep, folder: Path) -> list[Mount]:
    """What a program of the machine needs besides what every box has: its file, and where links to it lead."""
    if not program.is_file() or program.is_relative_to(folder):
        return []
    real = program.resolve()
    places = [program.absolute(), *(mount.source for mount in installation(real))]
    places += [program.absolute().with_name(name) for name in step.starts]
    return [mount for place in places if place.exists() for mount in prefix_mounts(place)]
