"""What an extension may know of this machine: where secrets, programs and folders are. Callers pass it in."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Callable, Collection, Mapping
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


_SECRET_NAME = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)", re.IGNORECASE)
_PASSED_ON = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TERM",
    "THOUGHTFORGE_HOME",
    "THOUGHTFORGE_TRUST",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
)


def find_home(repository: Path | None) -> Path:
    """The home folder: an explicit one first, then the repository's own, then the person's."""
    explicit = os.environ.get("THOUGHTFORGE_HOME")
    if explicit:
        return Path(explicit).expanduser().resolve()
    if repository is not None:
        return repository / ".thoughtforge"
    return _state_folder()


def _state_folder() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "thoughtforge"


def trust_folder() -> Path:
    """Where it is on record which settings of repositories the person has trusted."""
    return _state_folder() / "trust"


def trusted_digest() -> str:
    """The digest of the settings that the environment allows, for machines where nobody can be asked."""
    return os.environ.get("THOUGHTFORGE_TRUST", "").strip()


def user_folder() -> Path:
    """Where a person keeps roles, pipelines and prompts of their own."""
    config = os.environ.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "thoughtforge"


def find_repository(start: Path) -> Path | None:
    """The nearest folder upward that holds a `.git`; enough to find a home, git itself decides the rest."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return None


def secret(name: str) -> str | None:
    """The value of a key variable, if it is set and not blank."""
    return os.environ.get(name, "").strip() or None


def known_secrets() -> dict[str, str]:
    """Every variable whose name says that its value is a secret."""
    return {name: value for name, value in os.environ.items() if value and _SECRET_NAME.search(name)}


def variables() -> dict[str, str]:
    """All of it, for whoever picks out what concerns package indexes."""
    return dict(os.environ)


def search_path() -> str:
    """Where programs are found."""
    return os.environ.get("PATH", os.defpath)


def for_person() -> dict[str, str]:
    """What programs that act for the person outside this machine need: who they are and how they log in."""
    kept = re.compile(
        r"(PATH|HOME|LANG|LC_\w+|USER|XDG_\w+|SSH_\w+|GH_\w+|GITHUB_\w+|GIT_SSH\w*|(HTTPS?|NO)_PROXY)", re.I
    )
    return {name: value for name, value in os.environ.items() if kept.fullmatch(name)}


def for_desktop() -> dict[str, str]:
    """What a program needs that shows something on the person's screen."""
    kept = re.compile(
        r"PATH|HOME|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS"
    )
    return {name: value for name, value in os.environ.items() if kept.fullmatch(name)}


def for_detached(named: Collection[str] = ()) -> dict[str, str]:
    """What a run in the background needs of our environment: where things are, and the keys, also those `named`."""
    wanted = {*_PASSED_ON, *named}
    return {name: value for name, value in os.environ.items() if name in wanted or _SECRET_NAME.search(name)}


def who() -> str:
    """The person and machine, for the record."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        name = str(os.getuid())
    return f"{name}@{os.uname().nodename}"
