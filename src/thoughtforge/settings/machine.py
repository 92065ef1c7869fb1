"""What an extension may know of this machine: where secrets, programs and folders are. Handed over, never looked up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple


class Machine(NamedTuple):
    """The surroundings of a provider, connector or notifier."""

    secret: Callable[[str], str | None]
    """The value of a variable that holds a key; None when it is not set."""
    base: Path
    """Where relative paths in config.yaml start."""
    person: Path = Path("/nonexistent")
    """The person's own home folder: logins of command-line agents are in it."""
    search_path: str = ""
    """Where programs are found."""
    homes: Path = Path("/nonexistent")
    """Where the private homes of agents are made."""
    allow_weak: bool = False
    """Whether a person has allowed to run without a real sandbox."""
    desktop: Mapping[str, str] = MappingProxyType({})
    """What a program that shows something on the person's screen needs of the environment."""
