"""Which provider fills a role, and with which model."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from thoughtforge.service.agents import binder, choose
from thoughtforge.settings.config import parse
from thoughtforge.settings.environment import Machine

CONFIG = """
provider: main
providers:
  main: {kind: http, api: openai, base_url: "http://127.0.0.1:1/v1", model: small}
  other: {kind: http, api: openai, base_url: "http://127.0.0.1:2/v1", model: plain}
fallback: other
roles:
  developer: {model: large}
  tester: {provider: other, model: exact}
"""


def bound(override: str | None, role: str, **more: Any) -> tuple[str, str, str]:
    config = parse(CONFIG, source="config.yaml")
    machine = Machine(lambda name: None, Path())
    app: Any = SimpleNamespace(loaded=SimpleNamespace(config=config, path=Path("config.yaml")), machine=machine)
    roles: Any = {"developer": "developer", "tester": "tester", "reviewer": "reviewer"}
    agent = binder(app, choose(config, override, **more), roles)(role)
    return agent.provider, agent.model.model, agent.fallback.model.model if agent.fallback else ""


@pytest.mark.parametrize(
    ("override", "role", "wanted"),
    [
        (None, "developer", ("main", "large", "plain")),
        (None, "reviewer", ("main", "small", "plain")),
        (None, "tester", ("other", "exact", "")),
        ("other", "developer", ("other", "plain", "")),
        ("main", "developer", ("main", "large", "plain")),
        ("main", "tester", ("main", "small", "plain")),
        ("other", "tester", ("other", "exact", "")),
    ],
)
def test_a_roles_model_goes_to_the_provider_it_was_written_for(
    override: str | None, role: str, wanted: tuple[str, str, str]
) -> None:
    assert bound(override, role) == wanted
