"""How a command-line agent stands on this machine, found out without asking its model anything."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from thoughtforge.cages import program
from thoughtforge.cages.agent import CliAgent
from thoughtforge.cages.entry import key_of
from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox import boxes
from thoughtforge.sandbox.box import Box, Limits

QUICK = Limits(wall_seconds=20.0)


class Health(NamedTuple):
    """What was found: nothing of it, a program without a login, or one that can be asked."""

    state: Literal["not_installed", "not_logged_in", "ready"]
    version: str = ""
    why: str = ""
    do: str = ""


async def health(agent: CliAgent) -> Health:
    """Whether its program is there and runs, and whether it has a login or a key."""
    cli, options, machine = agent.cli, agent.options, agent.machine
    try:
        found = program.found(cli, options.command, search_path=machine.search_path, base=machine.base)
    except Mistake as mistake:
        return Health("not_installed", why=mistake.what, do=mistake.do)
    version = await _version(agent, found)
    try:
        key_of(cli, options, machine)
    except Mistake as mistake:
        return Health("not_logged_in", version, mistake.what, mistake.do)
    return Health("ready", version)


async def _version(agent: CliAgent, found: program.Program) -> str:
    """What the program says of itself, in a box without a network; empty when it does not say it there."""
    try:
        sandbox = await boxes.find(agent.machine.search_path, allow_weak=agent.machine.allow_weak)
    except Mistake:
        return ""
    path = ":".join([*map(str, found.folders), boxes.SEARCH_PATH])
    box = Box(Path("/"), found.mounts, {"PATH": path}, QUICK)
    ended = await boxes.run(sandbox, box, [found.path, "--version"])
    lines = ended.stdout.decode("utf-8", "replace").strip().splitlines()
    return lines[0][:60] if lines and ended.code == 0 else ""
