"""Gemini CLI itself: what it sends, what it may do, and how each failure is read."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest

from agents.door import DoorServer
from agents.google_login import LOGIN, GoogleLogin
from agents.running import KEY, PATH, Failed, Place, failed, named, nobody
from caged import Counting
from model_server import (
    Call,
    Cut,
    Empty,
    Fail,
    Garbled,
    Hang,
    Html,
    ModelServer,
    Refused,
    Say,
    Truncated,
    Unfinished,
    Use,
)
from model_server.answers import Answer
from thoughtforge.agent_runtime.cli import Door, Launch, Output, TurnOutput
from thoughtforge.agent_runtime.turn import Turn
from thoughtforge.calls.port import Usage
from thoughtforge.providers.gemini_cli import IDLE_TOOL, Gemini, Options, make
from thoughtforge.settings.environment import Machine

MODEL = "gemini-2.5-pro"
SCHEMA = {"type": "object", "properties": {"goal": {"type": "string"}}, "required": ["goal"]}


@pytest.fixture
def gemini(programs: Path, home: Path, work: Path) -> Place:
    return Place(Gemini(str(programs / ".bin/gemini")), home, work, MODEL)


def test_an_answer_takes_one_small_request_and_its_conversation_goes_on(gemini: Place) -> None:
    prompt = "/help @planner a@b.c\n@property of it."
    with ModelServer([Say('{"goal": "grün"}', (20, 6)), Say("Second.", (30, 7))]) as server:
        first = gemini.told(server, prompt=prompt, schema=SCHEMA, max_output=700)
        second = gemini.told(server, prompt="And now?", session=first.session)
    one, two = server.asked
    assert first == TurnOutput('{"goal": "grün"}', first.session, MODEL, Usage(input_tokens=20, output_tokens=6))
    assert second == TurnOutput("Second.", first.session, MODEL, Usage(input_tokens=30, output_tokens=7))
    assert (one.model, one.offered, one.login) == (MODEL, (IDLE_TOOL,), {"x-goog-api-key": KEY})
    assert one.user.endswith(prompt)
    assert one.system.startswith("You plan.\n\n")
    assert json.loads(one.system.splitlines()[-1]) == SCHEMA
    assert one.body["generationConfig"]["maxOutputTokens"] == 700
    assert one.body["generationConfig"]["thinkingConfig"] == {"includeThoughts": True, "thinkingBudget": 350}
    assert [text in two.user for text in (prompt, '{"goal": "grün"}', "And now?")] == [True, True, True]
    assert two.system == "You plan."
    # Its own first request has 32,114 bytes.
    assert one.size < 1500


def plant(work: Path, settings: dict[str, object]) -> None:
    """What a repository can say to Gemini CLI; each leaves a mark when it is heard."""
    (work / ".gemini").mkdir()
    server = {"command": "sh", "args": ["-c", f"touch '{work}/mark-of-the-server'"]}
    given = {"mcpServers": {"planted": server}, **settings}
    (work / ".gemini/settings.json").write_text(json.dumps(given), encoding="utf-8")
    (work / "GEMINI.md").write_text("mark-of-the-text", encoding="utf-8")
    (work / "secret.txt").write_text("mark-of-the-file", encoding="utf-8")


def marks(work: Path, server: ModelServer) -> list[str]:
    said = json.dumps([asked.body for asked in server.asked])
    texts = [mark for mark in ("mark-of-the-file", "mark-of-the-text") if mark in said]
    return sorted(path.name for path in work.glob("mark-*")) + texts


def writes(work: Path) -> Use:
    shell = Call("run_shell_command", {"command": f"touch '{work}/mark-of-the-shell'"})
    return Use("write_file", {"file_path": f"{work}/mark-of-the-tool", "content": "x"}, usage=(20, 6), also=(shell,))


TOOLS = {"tools": {"core": ["write_file", "run_shell_command"], "allowed": ["write_file", "run_shell_command"]}}


def test_it_acts_with_the_tools_of_its_door_only_whatever_the_repository_says(gemini: Place) -> None:
    plant(gemini.work, {**TOOLS, "general": {"defaultApprovalMode": "auto_edit"}})
    said = [
        writes(gemini.work),
        Use("mcp_bridge_delete_file", {"path": "a.txt"}, usage=(20, 6)),
        Use("mcp_bridge_create_file", {"path": "a.txt", "content": "x"}, text="I write.\nNow.", usage=(20, 6)),
        Say("Done.", (30, 5)),
    ]
    with ModelServer(said) as server, DoorServer() as door:
        ask = gemini.ask(server, door=door.door, prompt="Look at @secret.txt")
        output = gemini.run(gemini.cli.launch(ask))
    told = gemini.cli.read(ask, output)
    assert (told.text, told.usage) == ("Done.", Usage(input_tokens=90, output_tokens=23))
    assert door.called == [("create_file", {"path": "a.txt", "content": "x"})]
    assert door.strangers == 0
    assert {asked.offered for asked in server.asked} == {("mcp_bridge_create_file",)}
    assert [result.is_error for result in server.asked[-1].results] == [True, True, True, False]
    # That text is kept from it by the cage alone; see below.
    assert marks(gemini.work, server) == ["mark-of-the-text"]
    lines = [gemini.cli.progress(line) for line in output.stdout.splitlines()]
    assert [line for line in lines if line.startswith("uses")][-1] == "uses create_file"
    assert "".join(lines).endswith("Done.")


def test_without_our_rules_the_same_script_writes_and_the_repository_is_heard(gemini: Place) -> None:
    plant(gemini.work, TOOLS)
    with ModelServer([writes(gemini.work), Say("Done.", (1, 1))]) as server:
        ours = gemini.cli.launch(gemini.ask(server, prompt="Look at @secret.txt"))
        env = {name: value for name, value in ours.env.items() if name != "GEMINI_SYSTEM_MD"}
        security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
        settings = {"security": security, "general": {"maxAttempts": 1}}
        files = {".gemini/settings.json": json.dumps(settings)}
        gemini.run(Launch(("-m", MODEL, "--skip-trust"), ours.stdin, env, files))
    assert marks(gemini.work, server) == [
        "mark-of-the-server",
        "mark-of-the-shell",
        "mark-of-the-tool",
        "mark-of-the-file",
        "mark-of-the-text",
    ]


def test_in_the_cage_the_repository_is_not_heard_at_all(gemini: Place, tmp_path: Path) -> None:
    hook = {"hooks": [{"type": "command", "command": f"touch '{tmp_path}/mark-of-the-hook' mark-of-the-hook"}]}
    plant(gemini.work, {**TOOLS, "hooksConfig": {"enabled": True}, "hooks": {"SessionStart": [hook]}})
    said = [writes(gemini.work), Use("mcp_bridge_create_file", {"path": "a"}, usage=(20, 6)), Say("Done.", (30, 5))]
    with ModelServer(said) as server, DoorServer() as door:
        options = Options(command=gemini.cli.program, base_url=server.urls["google"], key_env="KEY")
        machine = Machine({"KEY": KEY}.get, tmp_path, tmp_path, PATH, tmp_path / "homes")
        turn = Turn("You build.", "@secret.txt", gemini.work, ("create_file",), door.asgi, "token", Counting(), "green")
        ended = asyncio.run(make(options, machine).turn(turn._replace(hidden=(".gemini", "GEMINI.md"))))
    assert (ended.text, ended.notes) == ("Done.", ())
    assert door.called == [("create_file", {"path": "a"})]
    assert marks(gemini.work, server) == []
    assert not list(tmp_path.glob("mark-*"))
    assert [asked.login for asked in server.asked] == [{"x-goog-api-key": KEY}] * 3


def test_without_a_key_the_login_is_sent(gemini: Place) -> None:
    (gemini.home / ".gemini").mkdir()
    (gemini.home / ".gemini/oauth_creds.json").write_text(json.dumps(LOGIN), encoding="utf-8")
    with ModelServer([]) as server, GoogleLogin("A plan.", (20, 6)) as google:
        ask = gemini.ask(server, key="", model_url=google.url)
        ours = gemini.cli.launch(ask)
        output = gemini.run(ours._replace(env={**ours.env, **google.env}))
    told = gemini.cli.read(ask, output)
    assert (told.text, told.usage) == ("A plan.", Usage(input_tokens=20, output_tokens=6))
    assert {request.login for request in google.asked} == {f"Bearer {LOGIN['access_token']}"}
    assert google.reached == set(gemini.cli.hosts)
    assert google.asked[-1].path == "/v1internal:streamGenerateContent"
    assert google.asked[-1].body["request"]["systemInstruction"]["parts"] == [{"text": "You plan."}]


def test_without_key_and_login_it_says_how_to_log_in(gemini: Place) -> None:
    with ModelServer([]) as server:
        ask = gemini.ask(server, key="")
        output = gemini.run(gemini.cli.launch(ask))
    with pytest.raises(Exception, match="not accepted") as caught:
        gemini.cli.read(ask, output)
    assert (caught.value.kind, caught.value.do) == ("auth", f"Log in: {gemini.cli.log_in}")


def test_tools_out_of_reach_are_a_failure(gemini: Place) -> None:
    door = Door(f"{nobody()}/mcp", "token", ("create_file",))
    with ModelServer(lambda asked: Say("Done.", (1, 1))) as server:
        assert failed(gemini, server, door=door) == Failed("Transient", "connection", 1)


ROWS: dict[str, tuple[Answer, Failed]] = {
    "400": (Fail(400), Failed("ProviderError", "bad_request", 1)),
    "401": (Fail(401, f"bad key {KEY}"), Failed("ProviderError", "auth", 1)),
    "429": (Fail(429), Failed("Transient", "rate_limited", 1)),
    "500": (Fail(500, f"no {KEY}"), Failed("Transient", "overloaded", 1)),
    "malformed": (Html(), Failed("Transient", "malformed", 1)),
    "garbled": (Garbled(), Failed("Transient", "malformed", 1)),
    "cut": (Cut(), Failed("Transient", "connection", 1)),
    "truncated": (Unfinished(), Failed("Transient", "connection", 1)),
    "too long": (Truncated("half", (1, 50)), Failed("Transient", "truncated", 1)),
    "empty": (Empty(usage=(1, 1)), Failed("Transient", "empty", 1)),
    "refused": (Refused(usage=(1, 1)), Failed("ProviderError", "refused", 1)),
}
"""What the model's server does, how it is read, and how many requests it took."""


@pytest.mark.parametrize("row", ROWS)
def test_a_failure_of_its_model_is_named(gemini: Place, row: str) -> None:
    answer, expected = ROWS[row]
    with ModelServer(lambda asked: answer) as server:
        assert failed(gemini, server, max_output=50) == expected


def test_a_refused_connection_is_named(gemini: Place) -> None:
    with ModelServer([]) as server:
        assert failed(gemini, server, model_url=nobody()) == Failed("Transient", "connection", 0)


def test_an_unknown_conversation_is_no_new_one(gemini: Place) -> None:
    with ModelServer([]) as server:
        found = failed(gemini, server, session="00000000-0000-4000-8000-000000000000")
    assert (found.error, found.requests) == ("ProviderError", 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_silent_model_is_waited_for_and_an_ended_agent_has_not_succeeded(
    gemini: Place, number: signal.Signals
) -> None:
    with ModelServer(lambda asked: Hang()) as server:
        ask = gemini.ask(server)
        output = gemini.interrupted(server, gemini.cli.launch(ask), number=number)
    assert output.code == {signal.SIGTERM: 0, signal.SIGKILL: -9}[number]
    assert named(gemini.cli, ask, output) == ("Transient", "connection")


def test_an_answer_beside_an_error_is_none(gemini: Place) -> None:
    lines = [
        {"type": "message", "role": "assistant", "content": "An answer without an", "delta": True},
        {"type": "result", "status": "success", "error": {"type": "INVALID_STREAM", "message": "no finish reason"}},
    ]
    output = Output(0, "\n".join(map(json.dumps, lines)).encode(), b"")
    with ModelServer([]) as server:
        assert named(gemini.cli, gemini.ask(server), output)[0] == "ProviderError"
