"""How Python packages are reached on this machine: pip's own settings, and whether uv may be used with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from thoughtforge.suites.language import Reached

CONFIG_FILE = "PIP_CONFIG_FILE"


def reached(variables: Mapping[str, str], home: Path, system: Path) -> Reached:
    """The files pip reads here; the last one is named, because the home it lies in is not there in the box."""
    own = [home / ".config" / "pip" / "pip.conf", home / ".pip" / "pip.conf"]
    configured = [Path(variables[CONFIG_FILE])] if CONFIG_FILE in variables else own
    used = tuple(path for path in (system / "pip.conf", *configured) if path.is_file())
    if not used or (used[-1] == system / "pip.conf" and CONFIG_FILE in variables):
        return Reached({}, used)
    return Reached({CONFIG_FILE: str(used[-1])}, used)


def only_pip(variables: Mapping[str, str]) -> bool:
    """Whether pip is set up here and uv, which reads none of pip's files, is not."""
    names = [name.upper() for name in variables]
    return any(name.startswith("PIP_") for name in names) and not any(name.startswith("UV_") for name in names)
