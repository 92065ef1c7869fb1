"""A picture of a resource reaches a model that can see, although the agent has no tools."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from agents.workers import KEY, entry
from model_server import ModelServer, Say
from thoughtforge.providers import codex_cli, http
from thoughtforge.settings.environment import Machine

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def shown(model: Any, picture: Path, server: ModelServer) -> str:
    """What the server was sent."""
    reply = asyncio.run(model.complete("Look.", "What is it?", max_output=300, images=(picture,)))
    assert reply.text == "a pixel"
    return json.dumps(server.asked[-1].body)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "dot.png"
    path.write_bytes(PIXEL)
    return path


@pytest.mark.parametrize("api", ["openai", "anthropic", "google"])
def test_over_http(api: str, picture: Path, tmp_path: Path) -> None:
    with ModelServer(lambda asked: Say("a pixel", usage=(9, 3))) as server:
        options = http.Options.model_validate({"api": api, "model": "m", "base_url": server.urls[api]})
        sent = shown(http.make(options, Machine(lambda name: None, tmp_path)), picture, server)
    assert base64.b64encode(PIXEL).decode() in sent or base64.urlsafe_b64encode(PIXEL).decode() in sent


def test_by_codex_in_its_cage(picture: Path, tmp_path: Path, programs: Path) -> None:
    with ModelServer(lambda asked: Say("a pixel", usage=(9, 3))) as server:
        given = {key: value for key, value in entry("codex", server).items() if key != "kind"}
        machine = Machine({KEY: "a-key"}.get, tmp_path, search_path="/usr/bin:/bin", homes=tmp_path / "homes")
        model = codex_cli.make(codex_cli.Options.model_validate(given), machine)
        assert model.capabilities.images
        sent = shown(model, picture, server)
    assert '"type": "input_image"' in sent
    assert "data:image/" in sent
