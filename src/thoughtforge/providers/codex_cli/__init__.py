"""Codex of OpenAI on this machine, with its login or an API key: for single answers, and to act with our tools."""

from __future__ import annotations

from thoughtforge.providers.codex_cli.agent import Options, make, native
from thoughtforge.providers.codex_cli.cli import Codex

REPOSITORY_FILES = ("**/.codex/**",)

__all__ = ["REPOSITORY_FILES", "Codex", "Options", "make", "native"]
