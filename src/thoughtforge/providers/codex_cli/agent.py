"""Codex as it is configured: which program, and where its model is."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import which

from thoughtforge.cages.agent import CliAgent
from thoughtforge.cages.entry import kept
from thoughtforge.cages.options import CliOptions
from thoughtforge.providers.codex_cli.cli import WITH_KEY, WITH_LOGIN, Codex
from thoughtforge.settings.machine import Machine


class Options(CliOptions):
    """One entry of `providers:` with `kind: codex_cli`."""

    model: str = "gpt-6.1-sol"
    """The model's name; empty leaves the choice to Codex, whose first request is then seven times as long."""


def make(options: Options, machine: Machine) -> CliAgent:
    """The agent of one configuration entry."""
    name = options.command or "codex"
    found = which(str(machine.base / name) if "/" in name else name, path=machine.search_path)
    if found:
        options = options.model_copy(update={"command": str(native(Path(found)))})
    with_key = options.key_env or any(map(_key_in_login, kept(Codex(), machine).values()))
    return CliAgent(Codex(endpoint=WITH_KEY if with_key else WITH_LOGIN), options, machine)


def native(found: Path) -> Path:
    """The program itself behind npm's wrapper, which would need node and its folder in the cage."""
    folder = found.resolve().parent.parent
    return next(folder.parent.glob("codex-*/vendor/*/bin/codex"), found) if found.resolve().suffix == ".js" else found


def _key_in_login(place: Path) -> bool:
    """Whether the person gave Codex a key to keep instead of logging in."""
    try:
        kept = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(kept, dict) and bool(kept.get("OPENAI_API_KEY")) and not kept.get("tokens")
