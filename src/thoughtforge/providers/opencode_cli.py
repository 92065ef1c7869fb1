"""opencode, with one of its logins or an API key: for single answers, and to act with our tools.

Measured with 1.18.33. It reaches many vendors; the first word of the model's name says which, and with it the wire
format. A login of kind `api` is a key it sends itself; the one of kind `oauth` it can use here is OpenAI's, which it
renews at auth.openai.com; whatever ends in /v1/responses it then sends to chatgpt.com, so the proxy's address must not.
Anthropic's it no longer takes. At every start it tries to fetch a package from the npm registry; it goes on without.

It tries again by itself without end when an answer is malformed or cut, and for a long while at 429 and 500, silently.
Only the cap and the clock of the cage end that.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from pydantic import Field

from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cli import Api, Ask, CliOptions, Launch, Output, TurnOutput, records
from thoughtforge.agent_runtime.failures import failure, of_kind, unended
from thoughtforge.calls.port import ProviderError, Usage
from thoughtforge.kernel.errors import UserError
from thoughtforge.settings.environment import Machine

REPOSITORY_FILES = ("**/.opencode/**", "**/opencode.json", "**/opencode.jsonc")

AGENT, CONFIG = "thoughtforge", ".config/opencode/opencode.json"

UNREACHED = b'message="server unavailable" key=bridge'
"""What it writes into its log before it goes on without our tools."""

REASONS = {"length": "truncated", "content-filter": "refused", "error": "connection"}
"""Reasons of a last step that stand for a failure; `stop` is the only one that does not."""

NAMES = {"ProviderAuthError": "auth", "MessageOutputLengthError": "truncated", "MessageAbortedError": "connection"}
"""Errors it calls by a name of their own; all others carry the server's status."""

PREFIXES: dict[Api, str] = {"anthropic": "/v1", "google": "/v1beta"}
"""What these two libraries expect at the end of an address, and the proxy in front of a path."""

QUIET = {
    f"OPENCODE_DISABLE_{what}": "1"
    for what in (
        "AUTOUPDATE",
        "MODELS_FETCH",
        "LSP_DOWNLOAD",
        "PROJECT_CONFIG",
        "CLAUDE_CODE",
        "EXTERNAL_SKILLS",
        "SHARE",
    )
}
"""Nothing is fetched, and nothing in the repository or another agent's folder is read."""


class Vendor(NamedTuple):
    """How opencode reaches one vendor."""

    api: Api
    package: str
    """The library it speaks with; these four are inside the program."""
    endpoint: str
    login_endpoint: str = ""
    """Where the requests go when a subscription is used and not a key."""
    hosts: tuple[str, ...] = ()


VENDORS = {
    "anthropic": Vendor("anthropic", "@ai-sdk/anthropic", "https://api.anthropic.com"),
    "google": Vendor("google", "@ai-sdk/google", "https://generativelanguage.googleapis.com"),
    "openai": Vendor(
        "responses",
        "@ai-sdk/openai",
        "https://api.openai.com/v1",
        "https://chatgpt.com/backend-api/codex",
        ("auth.openai.com",),
    ),
    "opencode": Vendor("openai", "@ai-sdk/openai-compatible", "https://opencode.ai/zen/v1"),
    "openrouter": Vendor("openai", "@ai-sdk/openai-compatible", "https://openrouter.ai/api/v1"),
}
OTHER = Vendor("openai", "@ai-sdk/openai-compatible", "")
"""Any other vendor: its address must be given, and it speaks the OpenAI chat format."""


class Options(CliOptions):
    """One entry of `providers:` with `kind: opencode_cli`."""

    model: str = Field(pattern=r"^[^/\s]+/\S+$")
    """Vendor and model, as opencode spells them, such as `openai/gpt-5.5`."""


def make(options: Options, machine: Machine) -> CliAgent:
    """opencode of one configuration entry; the model's name says whose login and which wire format."""
    vendor = options.model.partition("/")[0]
    if vendor not in VENDORS and not options.base_url:
        do = f"Set it as base_url, or use one of {', '.join(VENDORS)}."
        raise UserError(f"the address of {vendor}'s models is unknown", do=do)
    cli = Opencode(options.command or "opencode", vendor=vendor, with_key=bool(options.key_env))
    return CliAgent(cli, options, machine)


class Opencode:
    """The command line of opencode, as measured with 1.18.33."""

    login: tuple[str, ...] = (".local/share/opencode/auth.json",)
    moved = ("XDG_DATA_HOME", ".local/share")
    install = "npm install -g opencode-ai"
    log_in = "opencode auth login"
    images = False

    def __init__(self, program: str = "opencode", *, vendor: str, with_key: bool = True) -> None:
        known = VENDORS.get(vendor, OTHER)
        self.program = program
        self.vendor = vendor
        # All of its logins are in one file; only this vendor's is needed.
        self.parts: tuple[str, ...] = (vendor,)
        self.package = known.package
        self.api: Api = known.api
        self.endpoint = ("" if with_key else known.login_endpoint) or known.endpoint
        self.hosts: tuple[str, ...] = known.hosts

    def launch(self, ask: Ask) -> Launch:
        """An agent of our own with every permission denied but our tools."""
        if ask.images:
            raise of_kind("bad_request", self, ask, said="it accepts no pictures")
        # A title of ours saves the request that would make one up.
        argv = ["run", "--pure", "--format", "json", "--title", "turn", "--agent", AGENT, "-m", ask.model]
        argv += ["--print-logs", "--log-level", "WARN"] if ask.door else []
        # One of its two loaders ignores the switch against a repository's configuration and runs the plug-ins it finds,
        # unless it works in its own configuration's folder. It has no need to be anywhere else.
        argv += ["--dir", str((ask.home / CONFIG).parent)]
        argv += ["--session", ask.session] if ask.session else []
        env = {**QUIET, "HOME": str(ask.home)}
        if ask.key:
            # They are what uses the logins of kind oauth.
            env["OPENCODE_DISABLE_DEFAULT_PLUGINS"] = "1"
        files = {CONFIG: json.dumps(self._config(ask))}
        return Launch(argv=tuple(argv), stdin=ask.prompt.encode(), env=env, files=files)

    def read(self, ask: Ask, output: Output) -> TurnOutput:
        """The last step's reason decides together with the exit code; errors come as records of their own."""
        lines = list(records(output.stdout))
        errors = [line for line in lines if line.get("type") == "error"]
        if errors:
            raise self._failed(ask, errors[-1].get("error"))
        steps = [_part(line) for line in lines if line.get("type") == "step_finish"]
        if output.code != 0 or not steps:
            raise unended(self, ask, output)
        if ask.door and UNREACHED in output.stderr:
            raise of_kind("connection", self, ask, said="it did not reach the tool server")
        if kind := REASONS.get(reason := str(steps[-1].get("reason") or "")):
            raise of_kind(kind, self, ask)
        if reason != "stop":
            raise of_kind("malformed", self, ask, said=f"its last step ended with the reason {reason or 'none'}")
        text = "".join(_last_said(lines))
        if not text.strip():
            raise of_kind("empty", self, ask)
        usd = sum(float(step.get("cost") or 0) for step in steps)
        session = str(lines[-1].get("sessionID") or "")
        model = ask.model.partition("/")[2]
        # 0 is what it says when it knows no price.
        return TurnOutput(text, session=session, model=model, usage=_usage(steps), usd=usd or None)

    def progress(self, line: bytes) -> str:
        """The tool it called, or the beginning of what it said."""
        record: dict[str, Any] = next(records(line), {})
        part = _part(record)
        if record.get("type") == "tool_use":
            return f"used {str(part.get('tool')).removeprefix('bridge_')}"
        said = str(part.get("text") or "").strip() if record.get("type") == "text" else ""
        return said.splitlines()[0][:80] if said else ""

    def _config(self, ask: Ask) -> dict[str, Any]:
        name = ask.model.partition("/")[2]
        allowed = {f"bridge_{tool}": "allow" for tool in ask.door.tools} if ask.door else {}
        permission = {"*": "deny", **allowed}
        options = {"baseURL": ask.model_url + PREFIXES.get(self.api, "")} | ({"apiKey": ask.key} if ask.key else {})
        limit = {"context": 200_000, "output": ask.max_output or 32_000}
        config: dict[str, Any] = {
            "autoupdate": False,
            "share": "disabled",
            "snapshot": False,
            "lsp": False,
            "formatter": False,
            "small_model": ask.model,
            "enabled_providers": [self.vendor],
            "permission": permission,
            "agent": {AGENT: {"mode": "primary", "prompt": _system(ask), "permission": permission}},
            "provider": {
                self.vendor: {
                    "npm": self.package,
                    "options": options,
                    "models": {name: {"name": name, "tool_call": True, "limit": limit}},
                }
            },
        }
        if ask.door:
            headers = {"Authorization": f"Bearer {ask.door.token}"}
            server = {"type": "remote", "url": ask.door.url, "headers": headers, "oauth": False, "timeout": 600_000}
            config["mcp"] = {"bridge": server}
        return config

    def _failed(self, ask: Ask, error: Any) -> ProviderError:
        given: dict[str, Any] = error if isinstance(error, dict) else {}
        data = given.get("data")
        said: dict[str, Any] = data if isinstance(data, dict) else {}
        message = str(said.get("message") or given.get("name") or "it gave no reason")
        if kind := NAMES.get(str(given.get("name"))):
            return of_kind(kind, self, ask, said=message)
        status = said.get("statusCode")
        return failure(self, ask, message, status=status if isinstance(status, int) else None)


def _part(record: dict[str, Any]) -> dict[str, Any]:
    part = record.get("part")
    return part if isinstance(part, dict) else {}


def _system(ask: Ask) -> str:
    if ask.schema is None:
        return ask.system
    wanted = "Answer with one JSON value and nothing else. It must fit this JSON schema:"
    return "\n\n".join([ask.system, wanted, json.dumps(ask.schema)])


def _last_said(lines: list[dict[str, Any]]) -> list[str]:
    """What it said after its last use of a tool."""
    said: list[str] = []
    for line in lines:
        if line.get("type") == "tool_use":
            said.clear()
        elif line.get("type") == "text":
            said.append(str(_part(line).get("text") or ""))
    return said


def _usage(steps: list[dict[str, Any]]) -> Usage:
    """All steps together; what came from a cache was sent as well. 0 stands for silence: no answer takes 0."""
    given = made = 0
    for tokens in (step.get("tokens") or {} for step in steps):
        cache = tokens.get("cache") or {}
        given += int(tokens.get("input") or 0) + int(cache.get("read") or 0) + int(cache.get("write") or 0)
        made += int(tokens.get("output") or 0) + int(tokens.get("reasoning") or 0)
    return Usage(input_tokens=given or None, output_tokens=made or None)
