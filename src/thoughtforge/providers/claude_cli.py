"""Claude Code on this machine, with its own login or an API key: for single answers, and to act with our tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cli import Api, Ask, CliOptions, Launch, Output, TurnOutput, records
from thoughtforge.agent_runtime.failures import failure, of_kind, unended
from thoughtforge.calls.port import ProviderError, Usage
from thoughtforge.settings.environment import Machine

REPOSITORY_FILES = ("**/.claude/**", "**/.claude.json", "**/.mcp.json")
"""What configures it from inside a repository: never loaded, never written by an agent."""
REPOSITORY_RULES = ("**/CLAUDE.md", "**/CLAUDE.local.md")
"""What instructs it from inside a repository: likewise."""

SYSTEM, BRIDGE = ".thoughtforge/system.md", ".thoughtforge/bridge.json"
"""Files of the private home: prompts may be longer than an argument, and a token in an argument can be seen."""

MISFIT = "the answer does not fit its schema"

QUIET = {
    # Nothing but the model is contacted: no telemetry, updates, error reports, plug-in shops.
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    # Nothing but our text is sent: no CLAUDE.md, no memory, no file for an @ in the prompt, no hidden second model.
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
    "CLAUDE_CODE_DISABLE_REFUSAL_RETRY": "1",
    "CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK": "1",
    # Otherwise what is refused or broken is sent again in other forms, uncalled for.
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
    "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": "1",
    "MAX_STRUCTURED_OUTPUT_RETRIES": "2",
    # Our tools are offered at once instead of behind a search, and a run of tests may take its time.
    "ENABLE_TOOL_SEARCH": "false",
    "MCP_TOOL_TIMEOUT": "600000",
}


class Options(CliOptions):
    """One entry of `providers:` with `kind: claude_cli`."""


def make(options: Options, machine: Machine) -> CliAgent:
    """The agent of one configuration entry."""
    return CliAgent(Claude(), options, machine)


class Claude:
    """The command line of Claude Code, as measured with 2.1.325."""

    api: Api = "anthropic"
    endpoint = "https://api.anthropic.com"
    login: tuple[str, ...] = (".claude/.credentials.json",)
    # The same file holds its logins at MCP servers.
    parts: tuple[str, ...] = ("claudeAiOauth",)
    moved = ("CLAUDE_CONFIG_DIR", ".claude")
    # An expired login is renewed there. The login itself is sent to the model's address. It also asks api.anthropic.com
    # about the account, and does without an answer.
    hosts: tuple[str, ...] = ("platform.claude.com",)
    install = "npm install -g @anthropic-ai/claude-code"
    log_in = "claude auth login"
    images = False

    def __init__(self, program: str = "claude") -> None:
        self.program = program

    def launch(self, ask: Ask) -> Launch:
        """Its own tools, settings and commands off; the repository's configuration is not read."""
        if ask.images:
            raise of_kind("bad_request", self, ask, said="it accepts no pictures")
        files = {SYSTEM: ask.system}
        if ask.door:
            headers = {"Authorization": f"Bearer {ask.door.token}"}
            server = {"type": "http", "url": ask.door.url, "headers": headers}
            files[BRIDGE] = json.dumps({"mcpServers": {"bridge": server}})
        return Launch(argv=tuple(_arguments(ask)), stdin=_prompt(ask).encode(), env=_environment(ask), files=files)

    def read(self, ask: Ask, output: Output) -> TurnOutput:
        """The last record decides together with the exit code; `subtype` says success for errors too."""
        lines = list(records(output.stdout))
        result = next((line for line in reversed(lines) if line.get("type") == "result"), None)
        if result is None:
            raise unended(self, ask, output)
        if output.code != 0 or result.get("is_error") or result.get("terminal_reason") != "completed":
            raise self._failed(ask, result)
        if ask.door and not _reached(lines):
            # It goes on without our tools and calls that a success.
            raise of_kind("connection", self, ask, said="it did not reach the tool server")
        text = self._text(ask, result, lines)
        used = result.get("modelUsage") or {}
        return TurnOutput(
            text=text,
            session=str(result.get("session_id") or ""),
            model=next(iter(used), "") or ask.model,
            usage=_usage(used) if used else Usage(),
            # Tokens by model and the cost go on counting when a conversation goes on.
            cumulative=True,
            usd=result.get("total_cost_usd"),
        )

    def progress(self, line: bytes) -> str:
        """The tool it calls, or the beginning of what it says."""
        record = next(records(line), {})
        if record.get("subtype") == "api_retry":
            return "waits for its model"
        for block in _blocks(record) if record.get("type") == "assistant" else ():
            if block.get("type") == "tool_use":
                return f"uses {str(block.get('name')).removeprefix('mcp__bridge__')}"
            if said := str(block.get("text") or "").strip():
                return said.splitlines()[0][:80]
        return ""

    def _text(self, ask: Ask, result: dict[str, Any], lines: list[dict[str, Any]]) -> str:
        if ask.schema is not None:
            # It ends well without this when the model did not keep to the schema.
            if (shaped := result.get("structured_output")) is None:
                raise of_kind("malformed", self, ask, said=MISFIT)
            return json.dumps(shaped, ensure_ascii=False)
        text = str(result.get("result") or "")
        if not text.strip():
            raise of_kind("empty", self, ask)
        if ask.door is None and _in_parts(lines):
            raise of_kind("truncated", self, ask)
        return text

    def _failed(self, ask: Ask, result: dict[str, Any]) -> ProviderError:
        if result.get("stop_reason") == "refusal":
            return of_kind("refused", self, ask)
        if str(result.get("terminal_reason")).startswith("aborted"):
            # With exit code 0.
            return of_kind("connection", self, ask, said="it was interrupted")
        if result.get("terminal_reason") == "structured_output_retry_exhausted":
            return of_kind("malformed", self, ask, said=MISFIT)
        said = str(result.get("result") or " ".join(map(str, result.get("errors") or ())))
        status = result.get("api_error_status")
        return failure(self, ask, said, status=status if isinstance(status, int) else None)


def _arguments(ask: Ask) -> Iterator[str]:
    yield from ("-p", "--output-format", "stream-json", "--verbose")
    if ask.key:
        # The smallest first request, but it ignores logins.
        yield "--bare"
    yield from ("--setting-sources", "", "--strict-mcp-config", "--disable-slash-commands", "--tools", "")
    yield from ("--system-prompt-file", str(ask.home / SYSTEM))
    if ask.door:
        tools = ",".join(f"mcp__bridge__{name}" for name in ask.door.tools)
        yield from ("--mcp-config", str(ask.home / BRIDGE), "--allowedTools", tools)
    if ask.schema is not None:
        # It knows no newer edition than draft 7 by name, though it takes its words.
        shape = {key: value for key, value in ask.schema.items() if key != "$schema"}
        yield from ("--json-schema", json.dumps(shape))
    if ask.model:
        yield from ("--model", ask.model)
    if ask.session:
        yield from ("--resume", ask.session)


def _prompt(ask: Ask) -> str:
    """What begins with a slash it takes for a command of its own and answers without a model."""
    return f"Request:\n{ask.prompt}" if ask.prompt.lstrip().startswith("/") else ask.prompt


def _environment(ask: Ask) -> dict[str, str]:
    env = {**QUIET, "HOME": str(ask.home), "ANTHROPIC_BASE_URL": ask.model_url}
    # A single answer is tried again by whoever asked for it; work in progress is worth a little patience.
    env["CLAUDE_CODE_MAX_RETRIES"] = "2" if ask.door else "0"
    if ask.key:
        env["ANTHROPIC_API_KEY"] = ask.key
    if ask.max_output:
        env["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(ask.max_output)
    return env


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    content = (record.get("message") or {}).get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _reached(lines: list[dict[str, Any]]) -> bool:
    servers = [server for line in lines if line.get("subtype") == "init" for server in line.get("mcp_servers") or ()]
    return any(server.get("name") == "bridge" and server.get("status") == "connected" for server in servers)


def _in_parts(lines: list[dict[str, Any]]) -> bool:
    """Whether it had to ask its model to go on: what it shows at the end is then only the last part."""
    said = [line["type"] for line in lines if line.get("type") == "user" or any(b.get("text") for b in _blocks(line))]
    return "user" in said[said.index("assistant") :] if "assistant" in said else False


def _usage(used: dict[str, Any]) -> Usage:
    """All tokens of all models it used; what came from a cache was sent as well."""
    given = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    return Usage(
        input_tokens=sum(int(model.get(name) or 0) for model in used.values() for name in given),
        output_tokens=sum(int(model.get("outputTokens") or 0) for model in used.values()),
    )
