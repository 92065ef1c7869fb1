"""Claude Code itself: what it sends, what it may do, and how each failure is read."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from agents.door import DoorServer
from agents.running import KEY, Failed, Place, failed, named, nobody
from model_server import Cut, Empty, Fail, Hang, Html, ModelServer, Refused, Say, Truncated, Unfinished, Use
from model_server.answers import Answer
from thoughtforge.agent_runtime.cli import Door, Launch, Output, TurnOutput
from thoughtforge.calls.port import Transient, Usage
from thoughtforge.providers.claude_cli import Claude

MODEL = "claude-sonnet-4-5"
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"goal": {"type": "string"}},
    "required": ["goal"],
}
LOGIN = {
    "accessToken": "sk-ant-oat01-dummy-access",
    "refreshToken": "sk-ant-ort01-dummy-refresh",
    "expiresAt": 9_999_999_999_999,
    "scopes": ["user:inference", "user:profile"],
    "subscriptionType": "max",
}


@pytest.fixture
def claude(programs: Path, home: Path, work: Path) -> Place:
    return Place(Claude(str(programs / ".bin/claude")), home, work, MODEL)


def log_in(home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/.credentials.json").write_text(json.dumps({"claudeAiOauth": LOGIN}), encoding="utf-8")


def plant(work: Path) -> None:
    """Everything a repository can say to Claude Code; each leaves a mark when it is heard."""
    hook = {"hooks": [{"type": "command", "command": f"touch '{work}/mark-of-the-hook'"}]}
    server = {"command": "sh", "args": ["-c", f"touch '{work}/mark-of-the-server'"]}
    (work / ".claude").mkdir()
    (work / ".claude/settings.json").write_text(json.dumps({"hooks": {"SessionStart": [hook]}}), encoding="utf-8")
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"planted": server}}), encoding="utf-8")
    (work / "CLAUDE.md").write_text("mark-of-the-text", encoding="utf-8")


def marks(work: Path, server: ModelServer) -> list[str]:
    found = sorted(path.name for path in work.glob("mark-*"))
    return found + ["mark-of-the-text"] * any("mark-of-the-text" in json.dumps(asked.body) for asked in server.asked)


def test_an_answer_takes_one_small_request_without_tools(claude: Place) -> None:
    with ModelServer([Say("A plan.", (20, 6))]) as server:
        told = claude.told(server, max_output=700)
    (asked,) = server.asked
    assert told == TurnOutput("A plan.", told.session, MODEL, Usage(input_tokens=20, output_tokens=6), True, told.usd)
    assert told.session
    assert told.usd == pytest.approx(20 * 3e-6 + 6 * 15e-6)
    assert (asked.model, asked.offered, asked.login) == (MODEL, (), {"x-api-key": KEY})
    assert asked.user == "Plan it."
    assert asked.system.endswith("You plan.")
    assert asked.body["max_tokens"] == 700
    assert asked.size < 900


def test_what_came_from_a_cache_was_sent_as_well(claude: Place) -> None:
    with ModelServer([Say("A plan.", (20, 6), cached=15)]) as server:
        assert claude.told(server).usage == Usage(input_tokens=20, output_tokens=6)


def test_an_answer_with_a_schema_is_its_json(claude: Place) -> None:
    with ModelServer([Say('{"goal": "grün"}', (20, 6))]) as server:
        told = claude.told(server, schema=SCHEMA)
    assert told.text == '{"goal": "grün"}'
    assert [asked.offered for asked in server.asked] == [("StructuredOutput",)]
    assert server.asked[0].schema == {key: value for key, value in SCHEMA.items() if key != "$schema"}


@pytest.mark.parametrize("text", ["No JSON.", '{"aim": "grün"}'])
def test_an_answer_that_does_not_fit_its_schema_is_none(claude: Place, text: str) -> None:
    with ModelServer(lambda asked: Say(text, (20, 6))) as server:
        assert failed(claude, server, schema=SCHEMA) == Failed("Transient", "malformed", 2)


def test_it_acts_with_the_tools_of_its_door_only(claude: Place) -> None:
    said = [
        Use("mcp__bridge__create_file", {"path": "a.txt", "content": "x"}, usage=(20, 6)),
        Use("mcp__bridge__delete_file", {"path": "a.txt"}, usage=(20, 6)),
        Say("Done.", (30, 5)),
    ]
    with ModelServer(said) as server, DoorServer() as door:
        told = claude.told(server, door=door.door)
    assert (told.text, told.usage) == ("Done.", Usage(input_tokens=70, output_tokens=17))
    assert door.called == [("create_file", {"path": "a.txt", "content": "x"})]
    assert door.strangers == 0
    assert {name.rpartition("__")[0] for asked in server.asked for name in asked.offered} == {"mcp__bridge"}


def test_progress_names_the_tool_and_the_words(claude: Place) -> None:
    said = [Use("mcp__bridge__create_file", {"path": "a"}, usage=(1, 1)), Say("Done.\nReally.", (1, 1))]
    with ModelServer(said) as server, DoorServer() as door:
        ask = claude.ask(server, door=door.door)
        output = claude.run(claude.cli.launch(ask))
    lines = [claude.cli.progress(line) for line in output.stdout.splitlines()]
    assert [line for line in lines if line] == ["uses create_file", "Done."]


def writes(work: Path) -> list[Answer]:
    file = {"file_path": str(work / "written.txt"), "content": "x"}
    shell = {"command": f"touch '{work}/touched.txt'", "description": "Touch a file"}
    return [Use("Write", file, usage=(1, 1)), Use("Bash", shell, usage=(1, 1)), Say("Done.", (1, 1))]


def test_its_own_ways_to_write_are_gone(claude: Place) -> None:
    with ModelServer(writes(claude.work)) as server, DoorServer() as door:
        assert claude.told(server, door=door.door).text == "Done."
    assert sorted(claude.work.iterdir()) == []
    assert [result.is_error for result in server.asked[-1].results] == [True, True]


def test_without_our_flags_the_same_script_does_write(claude: Place) -> None:
    with ModelServer(writes(claude.work)) as server:
        ours = claude.cli.launch(claude.ask(server))
        claude.run(Launch(("-p", "--allowedTools", "Write,Bash"), ours.stdin, ours.env))
    assert sorted(path.name for path in claude.work.iterdir()) == ["touched.txt", "written.txt"]


def test_tools_out_of_reach_are_a_failure(claude: Place) -> None:
    with ModelServer(lambda asked: Say("Done.", (1, 1))) as server:
        door = Door(f"{nobody()}/mcp", "token", ("create_file",))
        assert failed(claude, server, door=door)[:2] == ("Transient", "connection")


def test_a_conversation_goes_on_and_so_does_its_count(claude: Place) -> None:
    with ModelServer([Say("First.", (20, 6)), Say("Second.", (30, 7))]) as server:
        first = claude.told(server)
        second = claude.told(server, session=first.session, prompt="And now?")
    assert (second.text, second.session, second.cumulative) == ("Second.", first.session, True)
    assert second.usage == Usage(input_tokens=50, output_tokens=13)
    assert second.usd == pytest.approx(50 * 3e-6 + 13 * 15e-6)
    assert server.asked[1].user.splitlines() == ["Plan it.", "First.", "And now?"]


def test_an_unknown_conversation_is_no_new_one(claude: Place) -> None:
    with ModelServer([]) as server:
        found = failed(claude, server, session="00000000-0000-4000-8000-000000000000")
    assert found == Failed("ProviderError", "bad_request", 0)


@pytest.mark.parametrize("door", [False, True])
def test_without_a_key_the_login_is_sent(claude: Place, door: bool) -> None:
    log_in(claude.home)
    with ModelServer([Say("A plan.", (20, 6))]) as server, DoorServer() as tools:
        assert claude.told(server, key="", door=tools.door if door else None).text == "A plan."
    (asked,) = server.asked
    assert asked.login == {"authorization": "Bearer sk-ant-oat01-dummy-access"}
    assert "oauth-2025-04-20" in asked.headers["anthropic-beta"].split(",")


def test_without_key_and_login_it_says_how_to_log_in(claude: Place) -> None:
    with ModelServer([]) as server:
        ask = claude.ask(server, key="")
        output = claude.run(claude.cli.launch(ask))
    with pytest.raises(Exception, match="not accepted") as caught:
        claude.cli.read(ask, output)
    assert (caught.value.kind, caught.value.do) == ("auth", "Log in: claude auth login")


@pytest.mark.parametrize("key", [KEY, ""])
@pytest.mark.parametrize("door", [False, True])
def test_what_a_repository_says_to_it_is_not_heard(claude: Place, key: str, door: bool) -> None:
    log_in(claude.home)
    plant(claude.work)
    with ModelServer([Say("A plan.", (20, 6))]) as server, DoorServer() as tools:
        assert claude.told(server, key=key, door=tools.door if door else None).text == "A plan."
    assert marks(claude.work, server) == []


def test_without_our_flags_the_repository_is_heard(claude: Place) -> None:
    plant(claude.work)
    with ModelServer(lambda asked: Say("A plan.", (20, 6))) as server:
        env = {"HOME": str(claude.home), "ANTHROPIC_BASE_URL": server.urls["anthropic"], "ANTHROPIC_API_KEY": KEY}
        claude.run(Launch(("-p", "--model", MODEL), b"Plan it.", env | {"DISABLE_TELEMETRY": "1"}))
    assert marks(claude.work, server) == ["mark-of-the-hook", "mark-of-the-server", "mark-of-the-text"]


@pytest.mark.parametrize("prompt", ["/context", "look at @secret.txt", "!touch x", "# remember"])
def test_a_prompt_is_only_text(claude: Place, prompt: str) -> None:
    (claude.work / "secret.txt").write_text("mark-of-the-file", encoding="utf-8")
    with ModelServer([Say("A plan.", (20, 6))]) as server:
        assert claude.told(server, prompt=prompt).text == "A plan."
    (asked,) = server.asked
    assert asked.user.removeprefix("Request:\n") == prompt
    assert [path.name for path in claude.work.iterdir()] == ["secret.txt"]


ROWS: dict[str, tuple[Answer, Failed]] = {
    "400": (Fail(400), Failed("ProviderError", "bad_request", 1)),
    "401": (Fail(401, f"bad key {KEY}"), Failed("ProviderError", "auth", 1)),
    "402": (Fail(402), Failed("ProviderError", "quota", 1)),
    "429": (Fail(429), Failed("Transient", "rate_limited", 1)),
    "500": (Fail(500, f"no {KEY}"), Failed("Transient", "overloaded", 1)),
    "529": (Fail(529), Failed("Transient", "overloaded", 1)),
    "malformed": (Html(), Failed("Transient", "malformed", 1)),
    "cut": (Cut(), Failed("Transient", "connection", 1)),
    "truncated": (Unfinished(), Failed("Transient", "connection", 1)),
    "empty": (Empty(usage=(1, 1)), Failed("Transient", "empty", 2)),
    "too long": (Truncated("half", (1, 1)), Failed("Transient", "truncated", 4)),
    "refused": (Refused(usage=(1, 1)), Failed("ProviderError", "refused", 1)),
}
"""What the model's server does, how it is read, and how many requests it took."""


@pytest.mark.parametrize("row", ROWS)
def test_a_failure_of_its_model_is_named(claude: Place, row: str) -> None:
    answer, expected = ROWS[row]
    with ModelServer(lambda asked: answer) as server:
        assert failed(claude, server) == expected


def test_work_in_progress_is_tried_again_a_few_times_only(claude: Place) -> None:
    with ModelServer(lambda asked: Fail(500)) as server, DoorServer() as door:
        assert failed(claude, server, door=door.door) == Failed("Transient", "overloaded", 3)


def test_only_the_last_part_of_an_answer_is_none(claude: Place) -> None:
    with ModelServer([Truncated("One half, ", (1, 1)), Say("the other.", (1, 1))]) as server:
        assert failed(claude, server) == Failed("Transient", "truncated", 2)


def test_a_refused_connection_is_named(claude: Place) -> None:
    with ModelServer([]) as server:
        assert failed(claude, server, model_url=nobody()) == Failed("Transient", "connection", 0)


def test_a_silent_model_is_waited_for_until_it_is_ended(claude: Place) -> None:
    with ModelServer(lambda asked: Hang()) as server:
        assert failed(claude, server, seconds=3) == Failed("Transient", "connection", 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_agent_that_is_ended_has_not_succeeded(claude: Place, number: signal.Signals) -> None:
    with ModelServer(lambda asked: Hang()) as server:
        ask = claude.ask(server)
        output = claude.interrupted(server, claude.cli.launch(ask), number=number)
    assert named(claude.cli, ask, output) == ("Transient", "connection")


def test_an_interrupted_agent_has_not_succeeded_although_it_ends_with_0(claude: Place) -> None:
    with ModelServer(lambda asked: Hang()) as server:
        ask = claude.ask(server)
        output = claude.interrupted(server, claude.cli.launch(ask), number=signal.SIGINT)
    assert output.code == 0
    assert named(claude.cli, ask, output)[0] == "Transient"


def test_exit_code_0_alone_is_no_success() -> None:
    with ModelServer([]) as server:
        ask = Place(Claude(), Path("home"), Path("work"), MODEL).ask(server)
    with pytest.raises(Transient, match="ended with 0 and no last record"):
        Claude().read(ask, Output(0, b"", b""))
