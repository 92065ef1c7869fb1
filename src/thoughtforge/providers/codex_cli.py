"""Codex of OpenAI on this machine, with its login or an API key: for single answers, and to act with our tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import which
from typing import Any

from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cli import Api, Ask, CliOptions, Launch, Output, TurnOutput, records
from thoughtforge.agent_runtime.failures import failure, of_kind, unended
from thoughtforge.agent_runtime.launch import kept
from thoughtforge.calls.port import Usage
from thoughtforge.settings.environment import Machine

REPOSITORY_FILES = ("**/.codex/**",)


HOME = ".codex"
CONFIG, SYSTEM, SCHEMA = f"{HOME}/config.toml", f"{HOME}/instructions.md", f"{HOME}/schema.json"
MODELS = f"{HOME}/models.json"
"""Files of the private home."""

KEY, TOKEN = "CODEX_PROXY_KEY", "CODEX_BRIDGE_TOKEN"
"""The variables its configuration names; nothing secret is in a file or an argument."""

OFF = (
    # Tools of its own. What is left of them is refused by its read-only sandbox.
    *("shell_tool", "unified_exec", "view_image", "image_generation", "multi_agent", "goals", "skill_search"),
    *("apps", "plugins", "hooks", "tool_suggest", "memories"),
    # It would wait for ever when nobody listens, and pack requests so that they cannot be counted.
    *("unbounded_connection_retries", "enable_request_compression"),
)

SETTINGS = {
    "approval_policy": "never",
    "sandbox_mode": "read-only",
    "check_for_update_on_startup": False,
    "cli_auth_credentials_store": "file",
    "web_search": "disabled",
    "model_reasoning_summary": "none",
    # Nothing but our text is sent: no AGENTS.md, no environment, no explanations of what is off.
    "project_doc_max_bytes": 0,
    "include_environment_context": False,
    "include_permissions_instructions": False,
    "include_apps_instructions": False,
    "include_collaboration_mode_instructions": False,
    "analytics": {"enabled": False},
    "skills": {"bundled": {"enabled": False}},
    "features": dict.fromkeys(OFF, False),
}

PLAIN = {
    "description": None,
    "default_reasoning_level": None,
    "supported_reasoning_levels": [],
    "shell_type": "disabled",
    "visibility": "list",
    "supported_in_api": True,
    "priority": 1,
    "upgrade": None,
    "support_verbosity": False,
    "default_verbosity": None,
    "apply_patch_tool_type": None,
    "truncation_policy": {"mode": "tokens", "limit": 10000},
    "context_window": 272000,
    "experimental_supported_tools": [],
    "input_modalities": ["text", "image"],
    "supports_parallel_tool_calls": True,
}
"""A model as the catalogue of Codex describes one, without its ways of its own: no settings take away its patches and
its JavaScript, which make the first request seven times as long and hide our tools."""

STRICT = {
    *("$schema", "$ref", "$defs", "type", "properties", "required", "additionalProperties", "items"),
    *("enum", "const", "anyOf", "title", "description", "pattern", "format", "multipleOf", "minItems", "maxItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
}
"""The words of JSON Schema that OpenAI enforces; with any other it refuses the request."""


def files(ask: Ask) -> dict[str, str]:
    """The files of its home for this turn."""
    made = {CONFIG: "".join(_toml(_config(ask))), SYSTEM: ask.system}
    if ask.model:
        described = PLAIN | {"slug": ask.model, "display_name": ask.model, "base_instructions": ask.system}
        made[MODELS] = json.dumps({"models": [described]})
    if held(ask):
        made[SCHEMA] = json.dumps({key: value for key, value in (ask.schema or {}).items() if key != "$schema"})
    return made


def held(ask: Ask) -> bool:
    """Whether the answer can be held to its schema: Codex always asks for the strict kind, which OpenAI limits."""
    return ask.schema is not None and ask.schema.get("type") == "object" and _strict(ask.schema)


def _strict(schema: Any) -> bool:
    """Whether every object is closed, every property required and every word one that OpenAI enforces."""
    if not isinstance(schema, Mapping) or not STRICT.issuperset(schema):
        return False
    properties = schema.get("properties", {})
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False or {*schema.get("required", ())} != {*properties}
    ):
        return False
    below = [*properties.values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    return all(map(_strict, [*below, schema["items"]] if "items" in schema else below))


def _config(ask: Ask) -> dict[str, Any]:
    # A single answer is tried again by whoever asked for it; work in progress is worth a little patience.
    tries = 1 if ask.door else 0
    proxy: dict[str, Any] = {"name": "proxy", "base_url": ask.model_url, "wire_api": "responses"}
    proxy |= {"env_key": KEY} if ask.key else {"requires_openai_auth": True}
    config = SETTINGS | {
        "model_provider": "proxy",
        "model_instructions_file": str(ask.home / SYSTEM),
        # With a login it asks for settings of the account; they are not needed and must not leave by another way.
        "chatgpt_base_url": ask.model_url,
        "model_providers": {"proxy": proxy | {"request_max_retries": tries, "stream_max_retries": tries}},
    }
    if ask.model:
        config["model_catalog_json"] = str(ask.home / MODELS)
    if ask.door:
        bridge: dict[str, Any] = {
            "url": ask.door.url,
            "bearer_token_env_var": TOKEN,
            "enabled_tools": list(ask.door.tools),
        }
        # Without `required` the first request can go out before our tools are known.
        bridge |= {"required": True, "default_tools_approval_mode": "approve", "tool_timeout_sec": 600}
        config["mcp_servers"] = {"bridge": bridge}
    return config


def _toml(config: dict[str, Any], above: str = "") -> Iterator[str]:
    """The settings as TOML: dotted keys, and JSON for strings, numbers, booleans and lists, which reads the same."""
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _toml(value, f"{above}{key}.")
        else:
            yield f"{above}{key} = {json.dumps(value, ensure_ascii=False)}\n"


WITH_KEY, WITH_LOGIN = "https://api.openai.com/v1", "https://chatgpt.com/backend-api/codex"
"""Where its model is: a ChatGPT login is not accepted where keys are, nor the other way round."""


class Codex:
    """The command line of Codex, as measured with 0.166.0."""

    api: Api = "responses"
    login: tuple[str, ...] = (f"{HOME}/auth.json",)
    parts: tuple[str, ...] = ()
    moved = ("CODEX_HOME", HOME)
    # An expired login is renewed there; the login itself is sent to the model's address.
    hosts: tuple[str, ...] = ("auth.openai.com",)
    install = "npm install -g @openai/codex"
    log_in = "codex login"
    images = True

    def __init__(self, program: str = "codex", endpoint: str = WITH_LOGIN) -> None:
        self.program = program
        self.endpoint = endpoint

    def launch(self, ask: Ask) -> Launch:
        """Everything is said in the private configuration; a repository's own is not trusted and so not read."""
        argv = ["exec", *(("resume",) if ask.session else ("-s", "read-only"))]
        for image in ask.images:
            # It takes what follows for pictures too, up to the next flag.
            argv += ["-i", str(image)]
        argv += ["--json", "--skip-git-repo-check"]
        if ask.model:
            argv += ["-m", ask.model]
        if held(ask):
            argv += ["--output-schema", str(ask.home / SCHEMA)]
        env = {"HOME": str(ask.home), "CODEX_HOME": str(ask.home / HOME)}
        env |= {KEY: ask.key} if ask.key else {}
        env |= {TOKEN: ask.door.token} if ask.door else {}
        last = (ask.session, "-") if ask.session else ("-",)
        return Launch(argv=(*argv, *last), stdin=ask.prompt.encode(), env=env, files=files(ask))

    def read(self, ask: Ask, output: Output) -> TurnOutput:
        """`turn.completed` and the exit code decide; its `error` records are often only warnings."""
        lines = list(records(output.stdout))
        failed = next((line for line in reversed(lines) if line.get("type") == "turn.failed"), None)
        if failed is not None:
            said, status = _said(failed)
            raise failure(self, ask, said, status=status)
        ended = next((line for line in reversed(lines) if line.get("type") == "turn.completed"), None)
        if ended is None or output.code != 0:
            if b"required MCP servers failed" in output.stderr:
                raise of_kind("connection", self, ask, said="it did not reach the tool server")
            raise unended(self, ask, output)
        texts = [str(item.get("text") or "") for item in _items(lines) if item.get("type") == "agent_message"]
        if not texts or not texts[-1].strip():
            raise of_kind("empty", self, ask)
        usage = ended.get("usage") or {}
        return TurnOutput(
            text=texts[-1],
            session=next((str(line["thread_id"]) for line in lines if line.get("thread_id")), ""),
            model=ask.model,
            usage=Usage(input_tokens=usage.get("input_tokens"), output_tokens=usage.get("output_tokens")),
            # It goes on counting when a conversation goes on.
            cumulative=True,
        )

    def progress(self, line: bytes) -> str:
        """The tool it calls, or the beginning of what it says."""
        record: dict[str, Any] = next(records(line), {})
        item = record.get("item") or {}
        if record.get("type") == "error" and str(record.get("message")).startswith("Reconnecting"):
            return "waits for its model"
        if record.get("type") == "item.started" and item.get("type") == "mcp_tool_call":
            return f"uses {item.get('tool')}"
        if record.get("type") == "item.completed" and item.get("type") == "agent_message":
            return (str(item.get("text")).strip().splitlines() or [""])[0][:80]
        return ""


def _items(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (line["item"] for line in lines if line.get("type") == "item.completed" and isinstance(line["item"], dict))


def _said(failed: dict[str, Any]) -> tuple[str, int | None]:
    """Its words, and the status where it gives no words: a 400 is passed on as the server wrote it."""
    words = str((failed.get("error") or {}).get("message") or "")
    body = next(records(words.encode()), None)
    if body is None:
        return words, None
    error = body.get("error")
    return str(error.get("message") if isinstance(error, dict) else error or body.get("detail") or words), 400


class Options(CliOptions):
    """One entry of `providers:` with `kind: codex_cli`."""

    model: str = "gpt-6.1-sol"
    """The model's name; empty leaves the choice to Codex, and its first request is then seven times as long."""


def make(options: Options, machine: Machine) -> CliAgent:
    """The agent of one configuration entry."""
    name = options.command or "codex"
    found = which(str(machine.base / name) if "/" in name else name, path=machine.search_path)
    if found:
        options = options.model_copy(update={"command": str(native(Path(found)))})
    with_key = options.key_env or any(map(_key_in_login, kept(Codex(), machine).values()))
    return CliAgent(Codex(endpoint=WITH_KEY if with_key else WITH_LOGIN), options, machine)


def native(found: Path) -> Path:
    """The program itself behind npm's wrapper, which would need node and its folder in the cage."""
    folder = found.resolve().parent.parent
    return next(folder.parent.glob("codex-*/vendor/*/bin/codex"), found) if found.resolve().suffix == ".js" else found


def _key_in_login(place: Path) -> bool:
    """Whether the person gave Codex a key to keep instead of logging in."""
    try:
        kept = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(kept, dict) and bool(kept.get("OPENAI_API_KEY")) and not kept.get("tokens")
