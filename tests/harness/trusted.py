"""Tests write config.yaml by hand; whoever runs the command for them allows it by its digest, as CI does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from thoughtforge.settings.config import Config
from thoughtforge.settings.environment import find_repository
from thoughtforge.settings.trust import Trust, shown, split

DEFAULTS = Config().model_dump(mode="json")


def allowing(cwd: Path, env: Mapping[str, str]) -> dict[str, str]:
    """The variable that allows the settings a command in `cwd` will find, as they are now; nothing when there are none.

    A test about trust sets it itself, empty for none.
    """
    if "THOUGHTFORGE_TRUST" in env:
        return {}
    digest = digest_of(_home(cwd, env.get("THOUGHTFORGE_HOME")) / "config.yaml")
    return {"THOUGHTFORGE_TRUST": digest} if digest else {}


def digest_of(path: Path) -> str:
    """The digest `thoughtforge trust` shows for a file; empty when there is nothing in it to trust."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return ""  # the command itself says what is wrong with it
    sensitive = split(data, DEFAULTS).sensitive if isinstance(data, dict) else {}
    return Trust(path, text=shown(sensitive)).digest if sensitive else ""


def _home(cwd: Path, explicit: str | None) -> Path:
    if explicit:
        return Path(explicit)
    return (find_repository(cwd.resolve()) or cwd) / ".thoughtforge"
