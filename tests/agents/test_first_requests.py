"""As a Model an agent sends a tenth of what it sends by itself, or less."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.first_requests import agents, sizes


@pytest.mark.parametrize("name", ["claude_cli", "codex_cli", "gemini_cli", "opencode_cli"])
def test_the_first_request_is_a_tenth_of_the_usual_one_at_most(programs: Path, name: str) -> None:
    found = sizes(agents(programs)[name])
    assert found.ours * 10 <= found.default, found
