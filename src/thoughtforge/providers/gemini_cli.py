"""Gemini CLI, with its own login or an API key: for single answers, and to act with our tools.

Measured with 0.61.0. With a login its model is Google's Code Assist: the same request inside `request`, the same answer
inside `response`, after a few small requests of its own to the same place (`:loadCodeAssist`, `:listExperiments`,
`:retrieveUserQuota`). Before that it has the login checked and renewed at oauth2.googleapis.com and, once, asks
www.googleapis.com whose it is.

What its flags do not stop: it reads `GEMINI.md` where it starts, and a `.gemini` folder there goes before its settings
here in everything but the rules given with --policy and the list of MCP servers: hooks and a `.env` in it would work. A
single answer starts in an empty folder; from a worker the cage hides both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cli import Api, Ask, CliOptions, Launch, Output, TurnOutput, records
from thoughtforge.agent_runtime.failures import failure, of_kind, unended
from thoughtforge.calls.port import ProviderError, Usage
from thoughtforge.settings.environment import Machine

REPOSITORY_FILES = ("**/.gemini/**",)
REPOSITORY_RULES = ("**/GEMINI.md",)

SETTINGS, SYSTEM, RULES = ".gemini/settings.json", ".gemini/system.md", ".gemini/rules.toml"

KEY_ENDPOINT = "https://generativelanguage.googleapis.com"
LOGIN_ENDPOINT = "https://cloudcode-pa.googleapis.com"

IDLE_TOOL = "list_background_processes"
"""Google refuses an empty list of tools, and the program always sends a list. This is the smallest tool that can do
nothing: there are no such processes when no tool can start one."""

LEAST_THINKING = 128
"""The least thinking these models take."""

NOT_LOGGED_IN = 41
"""Its exit code when it has neither key nor login."""

UNREACHED = b"MCP issues detected"
"""What it says before it goes on without our tools."""

WORDS = {
    "json": "malformed",
    "without a finish reason": "connection",
    "terminated": "connection",
    "fetch failed": "connection",
    "empty response": "empty",
    "safety": "refused",
    "prohibited content": "refused",
    "recitation": "refused",
}
"""What it says of answers that came with status 200."""

QUIET: dict[str, Any] = {
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    # One attempt: whoever asked tries again.
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 1},
    "advanced": {"ignoreLocalEnv": True},
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "experimental": {"enableAgents": False},
    "context": {
        "includeDirectoryTree": False,
        "memoryBoundaryMarkers": [],
        "fileFiltering": {"enableRecursiveFileSearch": False},
    },
}


class Options(CliOptions):
    """One entry of `providers:` with `kind: gemini_cli`."""

    model: str = Field(default="gemini-2.5-pro", min_length=1)
    """The model's name. It must not be empty: without it the program first asks another model which one to use."""


def make(options: Options, machine: Machine) -> CliAgent:
    """Gemini CLI of one configuration entry; a key and a login are accepted at different places."""
    endpoint = KEY_ENDPOINT if options.key_env else LOGIN_ENDPOINT
    return CliAgent(Gemini(options.command or "gemini", endpoint), options, machine)


class Gemini:
    """The command line of Gemini CLI, as measured with 0.61.0."""

    api: Api = "google"
    login: tuple[str, ...] = (".gemini/oauth_creds.json", ".gemini/google_accounts.json")
    parts: tuple[str, ...] = ()
    moved = ("GEMINI_CLI_HOME", "")
    hosts: tuple[str, ...] = ("oauth2.googleapis.com", "www.googleapis.com")
    install = "npm install -g @google/gemini-cli"
    log_in = "gemini, then choose to log in with Google"
    images = False

    def __init__(self, program: str = "gemini", endpoint: str = KEY_ENDPOINT) -> None:
        self.program = program
        self.endpoint = endpoint

    def launch(self, ask: Ask) -> Launch:
        """Its own tools off, our server the only one it may connect to."""
        if ask.images:
            raise of_kind("bad_request", self, ask, said="it accepts no pictures")
        files = {SETTINGS: json.dumps(_settings(ask)), SYSTEM: _system(ask), RULES: _rules(ask)}
        return Launch(argv=tuple(_arguments(ask)), stdin=_prompt(ask).encode(), env=_environment(ask), files=files)

    def read(self, ask: Ask, output: Output) -> TurnOutput:
        """The record `result` decides together with the exit code, which may be 0 for a killed or failed turn."""
        lines = list(records(output.stdout))
        result = next((line for line in reversed(lines) if line.get("type") == "result"), None)
        if result is None:
            raise self._unended(ask, output)
        errors = [line for line in lines if line.get("type") == "error" and line.get("severity") != "warning"]
        if output.code != 0 or result.get("status") != "success" or result.get("error") or errors:
            raise self._failed(ask, result.get("error") or (errors[-1] if errors else None), output)
        if ask.door and UNREACHED in output.stderr:
            raise of_kind("connection", self, ask, said="it did not reach the tool server")
        text = "".join(_last_said(lines))
        if not text.strip():
            raise of_kind("empty", self, ask)
        if _cut_short(ask, result.get("stats") or {}):
            raise of_kind("truncated", self, ask)
        begun: dict[str, Any] = next((line for line in lines if line.get("type") == "init"), {})
        stats = result.get("stats") or {}
        model = next(iter(stats.get("models") or {}), "") or str(begun.get("model") or ask.model)
        return TurnOutput(text, session=str(begun.get("session_id") or ""), model=model, usage=_usage(stats))

    def progress(self, line: bytes) -> str:
        """The tool it calls, or the beginning of what it says."""
        record: dict[str, Any] = next(records(line), {})
        if record.get("type") == "tool_use":
            return f"uses {str(record.get('tool_name')).removeprefix('mcp_bridge_')}"
        if record.get("type") == "message" and record.get("role") == "assistant":
            said = str(record.get("content") or "").strip()
            return said.splitlines()[0][:80] if said else ""
        return ""

    def _unended(self, ask: Ask, output: Output) -> ProviderError:
        if output.code == NOT_LOGGED_IN:
            return of_kind("auth", self, ask)
        if output.code == 0:
            # How it ends when it is told to by a signal.
            return of_kind("connection", self, ask, said="it ended before its answer")
        if status := _status(output.code):
            return failure(self, ask, output.stderr.decode(errors="replace"), status=status)
        return unended(self, ask, output)

    def _failed(self, ask: Ask, error: Any, output: Output) -> ProviderError:
        given: dict[str, Any] = error if isinstance(error, dict) else {}
        # Behind the first line it tells people about quotas, whatever went wrong.
        said = str(given.get("message") or "it ended with an error").splitlines()[0]
        status = _status(output.code)
        small = said.lower()
        kind = next((kind for words, kind in WORDS.items() if words in small), "")
        return of_kind(kind, self, ask, said=said) if kind and not status else failure(self, ask, said, status=status)


def _arguments(ask: Ask) -> Iterator[str]:
    # Trusted, because in a folder that is not it connects to no MCP server at all.
    yield from ("-o", "stream-json", "--skip-trust", "--policy", str(ask.home / RULES))
    yield from ("--allowed-mcp-server-names", "bridge", "-e", "none")
    if ask.model:
        yield from ("-m", ask.model)
    if ask.session:
        yield from ("--resume", ask.session)


def _environment(ask: Ask) -> dict[str, str]:
    env = {
        "HOME": str(ask.home),
        # Otherwise it starts itself a second time and the first process survives a signal.
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GEMINI_SYSTEM_MD": str(ask.home / SYSTEM),
        # Without a login it ends at once instead of asking on its stdin.
        "NO_BROWSER": "true",
    }
    if ask.key:
        return env | {"GOOGLE_GEMINI_BASE_URL": ask.model_url, "GEMINI_API_KEY": ask.key}
    return env | {"CODE_ASSIST_ENDPOINT": ask.model_url}


def _settings(ask: Ask) -> dict[str, Any]:
    chosen = "gemini-api-key" if ask.key else "oauth-personal"
    settings = {
        **QUIET,
        "security": {"auth": {"selectedType": chosen}, "folderTrust": {"enabled": False}},
        "tools": {"core": _tools(ask)},
    }
    if ask.door:
        headers = {"Authorization": f"Bearer {ask.door.token}"}
        server = {"httpUrl": ask.door.url, "headers": headers, "trust": True, "timeout": 600_000}
        settings["mcpServers"] = {"bridge": server}
    if ask.max_output and ask.model:
        limit = {"generateContentConfig": _limits(ask)}
        settings["modelConfigs"] = {"overrides": [{"match": {"model": ask.model}, "modelConfig": limit}]}
    return settings


def _limits(ask: Ask) -> dict[str, Any]:
    limits: dict[str, Any] = {"maxOutputTokens": ask.max_output}
    if ask.model.startswith("gemini-2.5"):
        # Thoughts count as output; its own 8,192 tokens of them would leave no room for a short answer.
        limits["thinkingConfig"] = {"thinkingBudget": min(8192, max(LEAST_THINKING, ask.max_output // 2))}
    return limits


def _tools(ask: Ask) -> list[str]:
    return [f"mcp_bridge_{name}" for name in ask.door.tools] if ask.door else [IDLE_TOOL]


def _rules(ask: Ask) -> str:
    """The same again as rules that no settings file of a repository changes."""
    rule = '[[rule]]\ntoolName = {}\ndecision = "{}"\npriority = {}\n'
    allowed = [rule.format(json.dumps(name), "allow", 950) for name in _tools(ask)]
    return "\n".join([rule.format('"*"', "deny", 900), *allowed])


def _system(ask: Ask) -> str:
    parts = [ask.system]
    if ask.door:
        parts.append(r"In messages \@ stands for @.")
    if ask.schema is not None:
        parts.append("Answer with one JSON value and nothing else. It must fit this JSON schema:")
        parts.append(json.dumps(ask.schema))
    return "\n\n".join(parts)


def _prompt(ask: Ask) -> str:
    """It puts the text of a file there for its name behind an @; a single answer starts where no files are."""
    text = ask.prompt.replace("@", r"\@") if ask.door else ask.prompt
    # What begins like a command is left out when the conversation goes on.
    return f"Request:\n{text}" if text.lstrip().startswith(("/", "?")) else text


def _last_said(lines: list[dict[str, Any]]) -> list[str]:
    """What it said after its last use of a tool."""
    said: list[str] = []
    for line in lines:
        if line.get("type") == "tool_result":
            said.clear()
        elif line.get("type") == "message" and line.get("role") == "assistant":
            said.append(str(line.get("content") or ""))
    return said


def _cut_short(ask: Ask, stats: Mapping[str, Any]) -> bool:
    """It takes an answer that reached its limit for a whole one; only the count tells."""
    made = _usage(stats).output_tokens
    return bool(ask.max_output and ask.door is None and made and made >= ask.max_output)


def _usage(stats: Mapping[str, Any]) -> Usage:
    """The tokens of this turn, thoughts among them. 0 stands for silence here: no answer takes 0."""
    given, total = int(stats.get("input_tokens") or 0), int(stats.get("total_tokens") or 0)
    made = max(int(stats.get("output_tokens") or 0), total - given)
    return Usage(input_tokens=given or None, output_tokens=made or None)


def _status(code: int) -> int | None:
    """The server's status in an exit code: its remainder by 256."""
    return {status % 256: status for status in (400, 401, 403, 404, 408, 429, 500, 502, 503, 504, 529)}.get(code)
