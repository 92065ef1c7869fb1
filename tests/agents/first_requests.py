"""How long the first request of each agent is: as a Model of ours, and as it comes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from agents.running import KEY, Place
from model_server import ModelServer, Say
from thoughtforge.agent_runtime.cli import Cli, Launch
from thoughtforge.providers.claude_cli import Claude
from thoughtforge.providers.codex_cli import CONFIG, Codex, native
from thoughtforge.providers.gemini_cli import SETTINGS, Gemini
from thoughtforge.providers.opencode_cli import CONFIG as CONFIGURATION
from thoughtforge.providers.opencode_cli import Opencode

PROMPT = "Say hi."


class Sizes(NamedTuple):
    """Bytes of the first request with “Say hi.” in an empty folder."""

    ours: int
    default: int


class Measured(NamedTuple):
    """An agent, and how somebody would start it who sets nothing but its model and where that is."""

    cli: Cli
    model: str
    plain: Callable[[Launch, str], Launch]


def _plain_claude(ours: Launch, model: str) -> Launch:
    quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER")
    kept = ("HOME", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", *quiet)
    return Launch(("-p", "--model", model), ours.stdin, {name: ours.env[name] for name in kept})


def _plain_codex(ours: Launch, model: str) -> Launch:
    kept = ("model_provider", "analytics", "check_for_update", "features.unbounded", "features.enable_request")
    config = "".join(line for line in ours.files[CONFIG].splitlines(True) if line.startswith(kept))
    return Launch(("exec", "--json", "--skip-git-repo-check", "-m", model, "-"), ours.stdin, ours.env, {CONFIG: config})


def _plain_gemini(ours: Launch, model: str) -> Launch:
    settings = json.loads(ours.files[SETTINGS])
    plain = {"security": settings["security"], "telemetry": {"enabled": False}}
    kept = {name: value for name, value in ours.env.items() if name != "GEMINI_SYSTEM_MD"}
    return Launch(("-m", model, "-o", "json", "--skip-trust"), ours.stdin, kept, {SETTINGS: json.dumps(plain)})


def _plain_opencode(ours: Launch, model: str) -> Launch:
    config = json.loads(ours.files[CONFIGURATION])
    for name in ("agent", "permission"):
        config.pop(name, None)
    files = {CONFIGURATION: json.dumps(config)}
    return Launch(("run", "--format", "json", "--title", "turn", "-m", model), ours.stdin, ours.env, files)


def agents(programs: Path) -> dict[str, Measured]:
    """The agents of this folder of npm."""
    return {
        "claude_cli": Measured(Claude(str(programs / ".bin/claude")), "claude-sonnet-4-5", _plain_claude),
        "codex_cli": Measured(Codex(str(native(programs / ".bin/codex"))), "gpt-6.1-sol", _plain_codex),
        "gemini_cli": Measured(Gemini(str(programs / ".bin/gemini")), "gemini-2.5-pro", _plain_gemini),
        "opencode_cli": Measured(
            Opencode(str(programs / ".bin/opencode"), vendor="stub"), "stub/stub-model", _plain_opencode
        ),
    }


def sizes(agent: Measured) -> Sizes:
    """Both, measured now."""
    found = []
    for plain in (False, True):
        with TemporaryDirectory() as folder, ModelServer(lambda asked: Say("hi", (1, 1))) as server:
            home, work = Path(folder, "home"), Path(folder, "work")
            home.mkdir()
            work.mkdir()
            place = Place(agent.cli, home, work, agent.model)
            launch = place.cli.launch(place.ask(server, prompt=PROMPT, system="Answer briefly.", key=KEY))
            place.run(agent.plain(launch, agent.model) if plain else launch)
            found.append(server.asked[0].size)
    return Sizes(*found)
