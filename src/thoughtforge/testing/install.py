"""How dependencies are installed, as values: the interpreter, the steps of a plan, and what decides them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.sandbox.box import Mount

ALWAYS_THERE = (Path("/usr"), Path("/bin"), Path("/lib"))
"""Places every box has."""


class Interpreter(NamedTuple):
    """A Python, what identifies it, and what a box needs so that it runs there."""

    python: Path
    version: str
    mounts: tuple[Mount, ...]


def own_interpreter() -> Interpreter:
    """The Python that runs us, as installed and not as a virtual environment."""
    python = Path(getattr(sys, "_base_executable", "") or sys.executable).resolve()
    return Interpreter(python, sys.version, prefix_mounts(Path(sys.base_prefix)))


def prefix_mounts(prefix: Path) -> tuple[Mount, ...]:
    """What to mount for an installation below `prefix`; a link to it and the place it leads to are both needed."""
    places = dict.fromkeys((prefix.absolute(), prefix.resolve()))
    return tuple(Mount(place) for place in places if not any(place.is_relative_to(known) for known in ALWAYS_THERE))


def venv_mounts(python: Path) -> tuple[Mount, ...]:
    """What to mount for a virtual environment's interpreter: its folder, and the installation it was made from."""
    folder = python.absolute().parent.parent
    home = next((value for name, value in _configuration(folder) if name == "home"), "")
    real = Path(home).parent if home else python.resolve().parent.parent
    return tuple(
        dict.fromkeys((*prefix_mounts(folder), *prefix_mounts(real), *prefix_mounts(python.resolve().parents[1])))
    )


def _configuration(folder: Path) -> list[tuple[str, str]]:
    try:
        lines = (folder / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    pairs = (line.partition("=") for line in lines)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


FOLDER = "{folder}"
"""Stands for the environment's folder in commands."""
ASKED = "asked"
"""Where the files a command reads are put, inside the folder."""


class InstallStep(NamedTuple):
    """One command of a set-up."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    network: bool = True
    starts: tuple[str, ...] = ()
    """Programs it starts itself, which lie beside it on this machine."""


class InstallPlan(NamedTuple):
    """Everything that decides what an environment becomes."""

    steps: tuple[InstallStep, ...]
    files: Mapping[str, str] = {}
    """What the commands read: path below the folder → text."""
    notes: tuple[str, ...] = ()
    links: Mapping[str, str] = {}
    """What a checkout is given as a link: path in the checkout → path below the folder."""
    programs: tuple[str, ...] = ()
    """Programs of this machine that the steps need."""
    bins: tuple[str, ...] = ()
    """Folders of programs that the steps install, below the folder."""
    needs_root: bool = False
    """Whether the commands read the checkout itself."""


class LockPlan(NamedTuple):
    """How a lock is made that an install needs and a new project does not have."""

    step: InstallStep
    files: Mapping[str, str]
    """What the command reads: path below the folder → text."""
    writes: Mapping[str, str]
    """What it makes: path in the project → path below the folder."""
    program: str
    """The program of this machine that the step needs."""


class ToInstall(NamedTuple):
    """The files of a repository, and what else decides how its dependencies are installed."""

    paths: Collection[str]
    read: Callable[[str], str]
    extra: Sequence[str]
    """Requirements that the specification adds."""
    interpreter: Interpreter
    which: Callable[[str], str | None]
    """Where a program of this machine is; None when it is not installed."""
    variables: Mapping[str, str] = {}
    """How packages are reached, as environment variables of the person's."""


def venv_step(interpreter: Interpreter, *, pip: bool) -> InstallStep:
    """An empty virtual environment; it needs no network."""
    return InstallStep(
        (str(interpreter.python), "-I", "-m", "venv", *(() if pip else ("--without-pip",)), FOLDER), network=False
    )
