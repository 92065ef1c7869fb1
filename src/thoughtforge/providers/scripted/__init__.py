"""Answers from a playbook: a real provider for demonstrations, tests and offline work. Nothing it says is thought up.

A playbook is YAML; the first rule that fits a call answers it::

    rules:
      - when: {system: "You plan", context: ["login", "OAuth2?"], not: "revision"}
        reply: {goal: sign in}      # or one of: file, error, malformed, empty
        times: 1                    # used up after that; also: delay, usage, usd
"""

from __future__ import annotations

from thoughtforge.providers.scripted.loading import Options, load, make
from thoughtforge.providers.scripted.playbook import PlaybookRule, Script, ScriptedModel

__all__ = ["Options", "PlaybookRule", "Script", "ScriptedModel", "load", "make"]
