"""The programs and libraries the checks lean on: where they are, their versions, what to install for a missing one."""

from __future__ import annotations

import asyncio
import importlib.metadata
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.gate.scene import Broken
from thoughtforge.sandbox import process

INSTALL = "Install it: pip install 'thoughtforge[code]'"
PROGRAMS = ("ruff", "ty")
LIBRARIES = ("ast-grep-py", "detect-secrets", "grimp")
VERSION_SECONDS = 20.0


class Tool(NamedTuple):
    """One tool as it is on this machine; without a version it is missing."""

    name: str
    version: str
    place: str = ""


def program(name: str, *, search_path: str) -> Path:
    """The program that was installed together with this one, else the one on the search path."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.is_file() else shutil.which(name, path=search_path)
    if found is None:
        raise Broken(f"{name} is missing", do=INSTALL)
    return Path(found)


def write_settings(file: Path, settings: Mapping[str, Any]) -> None:
    """The configuration file of a tool, which reads no other."""
    import tomli_w

    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(tomli_w.dumps(settings), encoding="utf-8")


def library(name: str) -> str:
    """The version of an installed library."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError as error:
        raise Broken(f"{name} is missing", do=INSTALL) from error


async def survey(search_path: str) -> tuple[Tool, ...]:
    """Every tool a check may need; a missing one is in the list, without a version."""
    programs = await asyncio.gather(*(_program(name, search_path) for name in PROGRAMS))
    return (*programs, *(_library(name) for name in LIBRARIES))


async def _program(name: str, search_path: str) -> Tool:
    try:
        found = program(name, search_path=search_path)
        ended = await process.run([found, "--version"], cwd=Path("/"), env={}, wall_seconds=VERSION_SECONDS)
    except Broken:
        return Tool(name, "")
    words = ended.stdout.decode("utf-8", "replace").split()
    return Tool(name, words[1] if ended.code == 0 and len(words) > 1 else "", str(found))


def _library(name: str) -> Tool:
    try:
        return Tool(name, library(name))
    except Broken:
        return Tool(name, "")
