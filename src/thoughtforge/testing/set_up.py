"""How an environment is made: the commands of every language that installs something, each in a sandbox."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxSpec
from thoughtforge.sandbox.sandbox import SEARCH_PATH, Sandbox
from thoughtforge.settings.config import Setup
from thoughtforge.testing.access import PackageIndex
from thoughtforge.testing.install import (
    ASKED,
    FOLDER,
    InstallPlan,
    InstallStep,
    Interpreter,
    ToInstall,
    prefix_mounts,
    venv_step,
)
from thoughtforge.testing.language import languages
from thoughtforge.testing.toolchain import installation
from thoughtforge.workspaces.patterns import any_matches


def plan(asked: ToInstall, setup: Setup, *, only: str = "") -> InstallPlan:
    """What to do for a repository with these files. Without a word about dependencies nothing is fetched.

    `only` names the language whose dependencies are installed; without it those of every language are.
    """
    if setup.command:
        return _commanded(asked, setup)
    nothing = asked._replace(paths=())
    rules = {name: each.dependencies for name, each in languages().items() if each.dependencies}
    wanted = {name: asked if only in ("", name) else nothing for name in rules}
    made = [plan for name, each in rules.items() if (plan := each.install(wanted[name]))]
    steps = [step for each in made for step in each.steps]
    return InstallPlan(
        # what needs no network makes the folder that the others write into
        steps=tuple(sorted(steps, key=lambda step: step.network)),
        files={path: text for each in made for path, text in each.files.items()},
        notes=tuple(note for each in made for note in each.notes),
        links={path: place for each in made for path, place in each.links.items()},
        programs=tuple(name for each in made for name in each.programs),
        bins=tuple(place for each in made for place in each.bins),
    )


def check_programs(plan: InstallPlan, search_path: str) -> None:
    """Every program a plan needs of this machine must be there."""
    missing = [name for name in dict.fromkeys(plan.programs) if not shutil.which(name, path=search_path)]
    if missing:
        raise UserError(
            f"programs needed to install the repository's dependencies are missing: {', '.join(missing)}",
            do=f"Install {' and '.join(missing)}, or set your own command as `setup.command`.",
        )


def _commanded(asked: ToInstall, setup: Setup) -> InstallPlan:
    read_files = {path: asked.read(path) for path in sorted(asked.paths) if any_matches(path, setup.reads)}
    notes = () if read_files else ("setup.reads matches no file of the repository: the environment is never rebuilt",)
    return InstallPlan(
        steps=(venv_step(asked.interpreter, pip=True), InstallStep(tuple(setup.command))),
        files={f"{ASKED}/{path}": text for path, text in read_files.items()},
        notes=notes,
        needs_root=True,
    )


LIMITS = ResourceLimits(wall_seconds=1800.0, processes=1024, file_bytes=8 * 1024**3, temp_bytes=2 * 1024**3)
LAST_LINES = 15


class Making(NamedTuple):
    """Where and with what an environment is being made."""

    folder: Path
    root: Path
    needs_root: bool
    interpreter: Interpreter
    access: PackageIndex
    search_path: str
    limits: ResourceLimits


def begin(folder: Path, files: Mapping[str, str]) -> None:
    """An empty folder with what the commands read."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", errors="surrogateescape")


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
        raise UserError(
            f"the repository's dependencies could not be installed: `{' '.join(step.argv)}` ended with "
            f"{ended.stopped or ended.code}",
            do="Fix what it reports, or set your own command as `setup.command`.",
            details=tuple(said),
        )


def _box(step: InstallStep, making: Making, program: Path) -> SandboxSpec:
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
    return SandboxSpec(
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
