"""Settings for what comes in from outside and goes out to people: resources, connectors, notifications, discovery."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from thoughtforge.kernel.model import Value


class Resources(Value):
    """What is read from a resources folder; whatever is larger is named and skipped."""

    max_file_mb: float = Field(default=10, gt=0, allow_inf_nan=False)
    """The largest file that is read."""
    max_text_kb: int = Field(default=200, ge=1)
    """The most text taken from one file, in thousands of characters; the rest is cut with a warning."""
    max_files: int = Field(default=200, ge=1)
    """The most files taken, in the order of their names."""


class Notifications(Value):
    """Who is told when a task ends, needs a person or is halted."""

    default_channel: str | None = None
    """The entry of `channels` that `notify test` tries when none is named; all of them when not set."""
    channels: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Name → `kind` (a file in notifiers/; else the name itself), `enabled` and options. All enabled ones are told."""


class Discovery(Value):
    """Where facts about open-source components come from. Nothing is asked unless it is enabled."""

    enabled: bool = False
    """Ask the registries below about each proposed component."""
    seconds: float = Field(default=20, gt=0, allow_inf_nan=False)
    """The longest all questions together may take; what is not answered by then is unknown."""
    pypi: str = ""
    """The address of the package index for Python; while it is empty nobody is asked and its facts are unknown."""
    pypi_downloads: str = ""
    """The address of download figures for Python packages."""
    npm: str = ""
    """The address of the registry for JavaScript."""
    npm_downloads: str = ""
    """The address of download figures for JavaScript packages."""
    github: str = "https://api.github.com"
    """Repositories: stars, issues, contributors."""
    github_token_env: str = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable
    """The variable that holds a token for GitHub; without one GitHub answers few questions an hour."""
