"""The configuration in the private home of Codex: all of its own off, and where our tools and its model are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from thoughtforge.cages.cli import Ask

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
