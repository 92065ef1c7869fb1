"""The real agents as providers of a task, pointed at a scripted model server."""

from __future__ import annotations

from typing import Any

from agents.running import PROGRAMS
from model_server import ModelServer

KEY = "AGENT_TEST_KEY"
"""The variable that holds the dummy key."""
APIS = {"claude": "anthropic", "codex": "responses", "gemini": "google", "opencode": "openai"}
MODELS = {"claude": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro", "opencode": "stub/stub-model"}
PRICE = {"input_per_million": 1, "output_per_million": 1}


def entry(name: str, server: ModelServer, **more: Any) -> dict[str, Any]:
    """One entry of `providers:` for that agent."""
    return {
        "kind": f"{name}_cli",
        "command": str(PROGRAMS / ".bin" / name),
        "base_url": server.urls[APIS[name]],
        "model": MODELS.get(name, "stub-model"),
        "key_env": KEY,
        "price": PRICE,
        **more,
    }
