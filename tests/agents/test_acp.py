"""Agents that speak the Agent Client Protocol for real: Gemini CLI and opencode."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agents.door import DoorServer
from agents.running import ALONE, KEY, PATH, Place
from caged import Counting
from model_server import Asked, Fail, Hang, ModelServer, Say, Use
from model_server.answers import Answer
from thoughtforge.agent_runtime.cli import Ask, Door, TurnOutput
from thoughtforge.agent_runtime.turn import Turn
from thoughtforge.calls.port import ProviderError, Usage
from thoughtforge.providers.acp import Acp, Client, Options, converse, make
from thoughtforge.sandbox.process import kill_group, start
from thoughtforge.settings.environment import Machine

MODEL = "gemini-2.5-pro"
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False, "maxAttempts": 1},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}
GEMINI: dict[str, Any] = {
    "args": ("--acp", "--skip-trust", "-m", MODEL),
    "api": "google",
    "env": {
        "GOOGLE_GEMINI_BASE_URL": "{model_url}",
        "GEMINI_API_KEY": "{key}",
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "NO_BROWSER": "true",
    },
    "files": {".gemini/settings.json": json.dumps(SETTINGS)},
}
STUB = {
    "npm": "@ai-sdk/openai-compatible",
    "options": {"baseURL": "{model_url}", "apiKey": "{key}"},
    "models": {"stub-model": {"tool_call": True, "limit": {"context": 200000, "output": 8192}}},
}
OPENCODE: dict[str, Any] = {
    "args": ("acp",),
    "api": "openai",
    "env": {f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH", "PROJECT_CONFIG")},
    "files": {
        ".config/opencode/opencode.json": json.dumps(
            {
                "model": "stub/stub-model",
                "enabled_providers": ["stub"],
                "permission": {"*": "ask"},
                "provider": {"stub": STUB},
            }
        )
    },
}


class Talker:
    """An agent started by us, without a cage, and one conversation with it."""

    def __init__(self, place: Place, options: Options) -> None:
        self.place = place._replace(cli=Acp(options))
        self.heard: list[str] = []

    async def told(self, ask: Ask) -> TurnOutput:
        """What one prompt came to; the process is gone afterwards."""
        launch = self.place.cli.launch(ask)
        for name, text in launch.files.items():
            path = self.place.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        env = {**ALONE, "PATH": PATH, **launch.env}
        argv = [self.place.cli.program, *launch.argv]
        process = await start(argv, cwd=self.place.work, env=env, stdin=pipe, stdout=pipe, stderr=nowhere)
        try:
            writer, reader = process.stdin, process.stdout
            assert writer is not None
            assert reader is not None
            return await converse(self.place.cli, ask, writer, reader=reader, hear=self.heard.append)
        finally:
            kill_group(process.pid)
            await process.wait()


@pytest.fixture
def talker(programs: Path, home: Path, work: Path) -> Callable[[str, dict[str, Any]], Talker]:
    def made(program: str, options: dict[str, Any]) -> Talker:
        given = Options(command=str(programs / ".bin" / program), base_url="http://127.0.0.1:9", **options)
        return Talker(Place(Acp(given), home, work, MODEL), given)

    return made


Making = Callable[[str, dict[str, Any]], Talker]


def test_our_tools_are_allowed_once_and_its_own_are_not(talker: Making) -> None:
    gemini = talker("gemini", GEMINI)
    work = gemini.place.work
    said = [
        Use("mcp_bridge_create_file", {"path": "a.txt", "content": "x"}, usage=(20, 6)),
        Use("mcp_bridge_delete_file", {"path": "a.txt"}, usage=(20, 6)),
        Use("write_file", {"file_path": f"{work}/written.txt", "content": "x"}, usage=(20, 6)),
        Use("run_shell_command", {"command": f"touch '{work}/touched.txt'"}, usage=(20, 6)),
        Say("Done.", (30, 5)),
    ]
    with ModelServer(said) as server, DoorServer() as door:
        ask = gemini.place.ask(server, door=door.door)
        told = asyncio.run(gemini.told(ask))
    assert told == TurnOutput("Done.", told.session, MODEL)
    assert told.session
    assert door.called == [("create_file", {"path": "a.txt", "content": "x"})]
    assert door.strangers == 0
    assert sorted(work.iterdir()) == []
    assert [result.is_error for result in server.asked[-1].results] == [False, True, True, True]
    assert gemini.heard[-1] == "Done."
    assert server.asked[0].user.endswith("You plan.\n\nPlan it.")


def test_a_refused_key_and_a_dead_agent_are_named(talker: Making) -> None:
    gemini = talker("gemini", GEMINI)
    with ModelServer(lambda asked: Fail(401, f"bad key {KEY}")) as server, pytest.raises(ProviderError) as caught:
        asyncio.run(gemini.told(gemini.place.ask(server)))
    assert caught.value.kind == "auth"
    assert KEY not in caught.value.message
    nothing = talker("gemini", GEMINI | {"args": ("--version",)})
    with ModelServer([]) as server, pytest.raises(ProviderError) as caught:
        asyncio.run(nothing.told(nothing.place.ask(server)))
    assert caught.value.kind == "connection"


def test_a_turn_that_is_cancelled_ends_at_once(talker: Making) -> None:
    gemini = talker("gemini", GEMINI)

    async def cancelled(running: Awaitable[TurnOutput]) -> bool:
        task = asyncio.ensure_future(running)
        while not server.asked:
            await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task], timeout=10)
        return task.cancelled()

    with ModelServer(lambda asked: Hang()) as server:
        assert asyncio.run(cancelled(gemini.told(gemini.place.ask(server)))) is True


def test_opencode_uses_our_tool_and_goes_on_with_its_conversation(talker: Making) -> None:
    opencode = talker("opencode", OPENCODE)

    def script(asked: Asked) -> Answer:
        if not asked.offered:
            return Say("A title", (1, 1))
        if not asked.results:
            return Use("bridge_create_file", {"path": "a.txt", "content": "x"}, usage=(20, 6))
        return Say("Again." if "And now?" in asked.user else "Done.", (30, 5))

    with ModelServer(script) as server, DoorServer() as door:
        ask = opencode.place.ask(server, door=door.door)
        first = asyncio.run(opencode.told(ask))
        second = asyncio.run(opencode.told(ask._replace(session=first.session, prompt="And now?")))
    assert (first.text, second.text) == ("Done.", "Again.")
    assert second.session == first.session
    assert first.usage == Usage(input_tokens=30, output_tokens=5)
    assert door.called == [("create_file", {"path": "a.txt", "content": "x"})]


def test_in_the_cage_it_reaches_its_model_and_our_tools_and_nothing_else(
    programs: Path, work: Path, tmp_path: Path
) -> None:
    (work / ".gemini").mkdir()
    (work / "GEMINI.md").write_text("mark-of-the-text", encoding="utf-8")
    said = [
        Use("write_file", {"file_path": f"{work}/written.txt", "content": "x"}, usage=(20, 6)),
        Use("mcp_bridge_create_file", {"path": "a.txt", "content": "x"}, usage=(25, 4)),
        Say("Done.", (30, 5)),
    ]
    meter, heard = Counting(), list[str]()

    with ModelServer([*said, Say("A plan.", (20, 6)), Fail(400, f"no {KEY}")]) as server, DoorServer() as door:
        command = str(programs / ".bin/gemini")
        options = Options(command=command, base_url=server.urls["google"], key_env="KEY", **GEMINI)
        machine = Machine({"KEY": KEY}.get, tmp_path, tmp_path, PATH, tmp_path / "homes")
        agent = make(options, machine)
        turn = Turn("You build.", "Build it.", work, ("create_file",), door.asgi, "token", meter, "t1")
        turn = turn._replace(hidden=("GEMINI.md", ".gemini"), progress=heard.append)
        ended = asyncio.run(agent.turn(turn))
        reply = asyncio.run(agent.complete("You plan.", "Plan it.", max_output=100))
        with pytest.raises(ProviderError, match="no [*][*][*]"):
            asyncio.run(agent.complete("You plan.", "Plan it.", max_output=100))
    assert (ended.text, ended.notes) == ("Done.", ())
    assert (reply.text, reply.usage) == ("A plan.", Usage(input_tokens=20, output_tokens=6))
    assert [answered.usage for _, answered in meter.settled] == [
        Usage(input_tokens=20, output_tokens=6),
        Usage(input_tokens=25, output_tokens=4),
        Usage(input_tokens=30, output_tokens=5),
    ]
    assert door.called == [("create_file", {"path": "a.txt", "content": "x"})]
    assert [asked.login for asked in server.asked] == [{"x-goog-api-key": KEY}] * 5
    assert "mark-of-the-text" not in json.dumps(server.asked[0].body)
    assert not (work / "written.txt").exists()
    assert heard[-1] == "Done."


def permission(*kinds: str, title: str) -> str:
    """Which option is chosen when these are offered for a call of that title."""
    from acp.schema import PermissionOption, ToolCallUpdate

    ask = Ask("", "", "", "", Path("/h"), Path("/w"), door=Door("http://127.0.0.1:9", "token", ("create_file",)))
    options = [PermissionOption(option_id=f"option-{kind}", name=kind, kind=kind) for kind in kinds]
    call = ToolCallUpdate(tool_call_id="1", title=title)
    outcome = asyncio.run(Client(ask, lambda words: None).request_permission("s", call, options)).outcome
    return getattr(outcome, "option_id", outcome.outcome)


@pytest.mark.parametrize(
    ("title", "kinds", "chosen"),
    [
        ("bridge_create_file", ("allow_always", "allow_once", "reject_once"), "option-allow_once"),
        ("create_file (bridge MCP Server)", ("reject_once", "allow_once"), "option-allow_once"),
        ("mcp__bridge__create_file", ("allow_always", "reject_once"), "cancelled"),
        ("bridge_delete_file", ("allow_always", "allow_once", "reject_once"), "option-reject_once"),
        ("bridge_create_file; touch x", ("allow_once", "reject_once"), "option-reject_once"),
        ("Writing to a.txt", ("allow_once", "reject_always"), "cancelled"),
    ],
)
def test_permission_is_chosen_by_kind_and_by_the_whole_name(title: str, kinds: tuple[str, ...], chosen: str) -> None:
    assert permission(*kinds, title=title) == chosen
