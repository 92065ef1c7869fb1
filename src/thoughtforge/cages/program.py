"""Finds an agent's program and what a box must show so that it runs there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

from thoughtforge.cages.cli import Cli
from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox.box import Mount
from thoughtforge.suites.interpreter import ALWAYS_THERE, venv_mounts

SHEBANG = re.compile(rb"#!\s*(\S+)(?:[ \t]+([^\r\n]+))?")


class Program(NamedTuple):
    """An agent's program, ready for a box."""

    path: Path
    mounts: tuple[Mount, ...]
    folders: tuple[Path, ...]
    """Where it looks for other programs, before the usual places."""


def found(cli: Cli, command: str, *, search_path: str, base: Path = Path()) -> Program:
    """The program with everything it needs; a Mistake that says how to install it when it is not there."""
    name = command or cli.program
    place = shutil.which(str(base / name) if "/" in name else name, path=search_path)
    if place is None:
        raise Mistake(f"{name} is not installed, or not on PATH", do=f"Install it: {cli.install}")
    path = Path(place).resolve()
    mounts = list(_mounts(path))
    folders: list[Path] = []
    if interpreter := _interpreter(path, search_path):
        mounts += _interpreter_mounts(interpreter)
        folders.append(interpreter.parent)
    return Program(path, tuple(dict.fromkeys(mounts)), tuple(folders))


def _mounts(path: Path) -> tuple[Mount, ...]:
    """The outermost folder of packages it is in, as packages beside it are part of it; else the file alone."""
    if any(path.is_relative_to(known) for known in ALWAYS_THERE):
        return ()
    packages = [parent for parent in path.parents if parent.name == "node_modules"]
    return (Mount(packages[-1] if packages else path),)


def _interpreter(path: Path, search_path: str) -> Path | None:
    """The program that runs a script, by its first line."""
    with path.open("rb") as file:
        first = SHEBANG.match(file.readline(1024))
    if not first:
        return None
    program, rest = first[1].decode(errors="replace"), (first[2] or b"").decode(errors="replace")
    if Path(program).name == "env":
        words = [word for word in rest.split() if not word.startswith("-") and "=" not in word]
        program = words[0] if words else ""
    place = shutil.which(program, path=search_path) if program else None
    if place is None:
        raise Mistake(f"{path} needs {program or 'an interpreter'}, which is not installed", do=f"Install {program}.")
    return Path(place)


def _interpreter_mounts(interpreter: Path) -> tuple[Mount, ...]:
    if interpreter.resolve().name.startswith("python"):
        return venv_mounts(interpreter)
    real = interpreter.resolve()
    places = (Mount(real), Mount(real, target=interpreter)) if real != interpreter else (Mount(real),)
    return tuple(
        mount
        for mount in places
        if not any((mount.target or mount.source).is_relative_to(known) for known in ALWAYS_THERE)
    )
