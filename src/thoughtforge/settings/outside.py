"""Addresses in the configuration: whether one can be an address, and whether it is this machine."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from thoughtforge.kernel.model import Value


def checked(url: str) -> str:
    """The address itself when it can be one; empty stands for none."""
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError("must begin with http:// or https:// and name a host")
    return url


def loopback(url: str) -> bool:
    """Whether an address is this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Resources(Value):
    """What the engine reads from a resources folder. It skips larger files and names them."""

    max_file_mb: float = Field(default=10, gt=0, allow_inf_nan=False)
    """The largest file to read."""
    max_text_kb: int = Field(default=200, ge=1)
    """The most text to take from one file, in thousands of characters. The engine cuts the rest, with a warning."""
    max_files: int = Field(default=200, ge=1)
    """The most files to read, in the order of their names."""


class Notifications(Value):
    """Who gets a message when a task ends, halts or needs you."""

    default_channel: str | None = None
    """The entry of `channels` that `notify test` tries by default. Without it the command tries all of them."""
    channels: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Name → `kind` (a file in notifiers/; default: the name), `enabled`, options. Enabled ones get every message."""


class Discovery(Value):
    """Where facts about open-source components come from. The engine asks nobody unless this is enabled."""

    enabled: bool = False
    """Ask the registries below about each proposed component."""
    seconds: float = Field(default=20, gt=0, allow_inf_nan=False)
    """The time limit for all requests together. Facts without an answer by then are unknown."""
    pypi: str = ""
    """The address of the Python package index. While it is empty the engine asks nobody and the facts are unknown."""
    pypi_downloads: str = ""
    """The address of download figures for Python packages."""
    npm: str = ""
    """The address of the JavaScript registry."""
    npm_downloads: str = ""
    """The address of download figures for JavaScript packages."""
    github: str = "https://api.github.com"
    """The address for facts about repositories: stars, issues, contributors."""
    github_token_env: str = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable
    """The variable that holds a token for GitHub; without one GitHub answers few requests an hour."""
