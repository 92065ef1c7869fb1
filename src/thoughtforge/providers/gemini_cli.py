"""Gemini CLI, as a model without tools or as a worker with ours only; measured with version 0.61.0.

Its settings are put where an administrator's are, since those of a repository override a person's own, not these. What
the flags alone do not stop: `.gemini/.env` in the folder it starts in is still read, so the cage hides that folder.
With a login its model is Google's Code Assist (the same requests in an envelope: `request` on the way there, `response`
on the way back), after a few small requests of its own to the same place (loadCodeAssist, listExperiments,
retrieveUserQuota). Besides, it has its token checked and renewed at oauth2.googleapis.com, and asks
www.googleapis.com once for the person's address.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from thoughtforge.cages.agent import CliAgent
from thoughtforge.cages.cli import Api, Ask, Launch, Output, Told
from thoughtforge.cages.failures import failure, of_kind, unended
from thoughtforge.kernel.errors import ProviderError
from thoughtforge.kernel.model import Usage

SETTINGS = ".gemini/enforced.json"
SYSTEM = ".gemini/system.md"

IDLE_TOOL = "list_background_processes"
"""Google refuses a request whose list of tools is there but empty, and the program always sends one. This tool is the
smallest that can do nothing: no tool that starts a process is on."""

QUIET: dict[str, Any] = {
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 1},
    "advanced": {"ignoreLocalEnv": True},
    # A name no file has: what a repository tells agents reaches ours through the engine only.
    "context": {"fileName": ["NO-SUCH-FILE"], "includeDirectoryTree": False, "memoryBoundaryMarkers": []},
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "experimental": {"enableAgents": False},
}


class GeminiCli:
    """The facts of Gemini CLI. With a key it speaks to the Gemini API, with a login to Code Assist."""

    program = "gemini"
    api: Api = "google"
    login = (".gemini/oauth_creds.json", ".gemini/google_accounts.json")
    hosts = ("oauth2.googleapis.com", "www.googleapis.com")
    install = "npm install -g @google/gemini-cli@0.61.0"
    log_in = "gemini (choose “Login with Google” once)"

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    def launch(self, ask: Ask) -> Launch:
        """One headless turn, prompt on stdin, a line of JSON per event."""
        argv = ["-o", "stream-json", "--skip-trust", "--allowed-mcp-server-names", "bridge"]
        argv += ["-m", ask.model] if ask.model else []
        argv += ["--resume", ask.session] if ask.session else []
        env = {
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(ask.home / SETTINGS),
            "GEMINI_SYSTEM_MD": str(ask.home / SYSTEM),
            "NO_BROWSER": "true",
            **_model_env(ask),
        }
        files = {SETTINGS: json.dumps(_settings(ask)), SYSTEM: _system(ask)}
        return Launch(tuple(argv), stdin=_prompt(ask).encode(), env=env, files=files)
