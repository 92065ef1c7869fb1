"""The interpreter environments are made from: our own, without anything that is installed beside us."""

from __future__ import annotations

import sys
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
