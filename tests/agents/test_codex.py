"""Codex itself: what it sends, what it may do, and how each failure is read."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agents.door import DoorServer
from agents.running import KEY, Failed, Place, failed, named, nobody
from model_server import Cut, Empty, Fail, Hang, Html, ModelServer, Refused, Say, Truncated, Unfinished, Use
from model_server.answers import Answer
from thoughtforge.agent_runtime.cli import Door, Launch, Output, TurnOutput
from thoughtforge.calls.port import Transient, Usage
from thoughtforge.providers.codex_cli import CONFIG, Codex, native

MODEL = "gpt-6.1-sol"
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"goal": {"type": "string"}},
    "required": ["goal"],
    "additionalProperties": False,
}


@pytest.fixture
def codex(programs: Path, home: Path, work: Path) -> Place:
    return Place(Codex(str(native(programs / ".bin/codex"))), home, work, MODEL)


def token(**claims: object) -> str:
    """A token of the usual form that nobody has signed."""
    parts = ({"alg": "none"}, {"exp": 9_999_999_999, **claims})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + ".x"


ACCOUNT = {"https://api.openai.com/auth": {"chatgpt_account_id": "account-1", "chatgpt_plan_type": "plus"}}
ACCESS = token(**ACCOUNT, kind="access")
LOGIN = {
    "OPENAI_API_KEY": None,
    "tokens": {
        "id_token": token(**ACCOUNT),
        "access_token": ACCESS,
        "refresh_token": "dummy-refresh",
        "account_id": "account-1",
    },
    "last_refresh": "2999-01-01T00:00:00Z",
}


def log_in(home: Path, login: dict[str, Any] = LOGIN) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/auth.json").write_text(json.dumps(login), encoding="utf-8")


def plant(work: Path) -> None:
    """Everything a repository can say to Codex; each leaves a mark when it is heard."""
    (work / ".codex").mkdir()
    touch = f"""command = "touch"\nargs = ['{work}/mark-of-the-server']"""
    (work / ".codex/config.toml").write_text(f"[mcp_servers.planted]\n{touch}\n", encoding="utf-8")
    (work / "AGENTS.md").write_text("mark-of-the-text", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(work)], check=True)


def marks(work: Path, server: ModelServer) -> list[str]:
    found = sorted(path.name for path in work.glob("mark-*"))
    return found + ["mark-of-the-text"] * any("mark-of-the-text" in json.dumps(asked.body) for asked in server.asked)


def test_an_answer_takes_one_small_request_without_tools_that_act(codex: Place) -> None:
    with ModelServer([Say("A plan.", (20, 6))]) as server:
        told = codex.told(server)
    (asked,) = server.asked
    assert told == TurnOutput("A plan.", told.session, MODEL, Usage(input_tokens=20, output_tokens=6), cumulative=True)
    assert told.session
    assert (asked.model, asked.offered) == (MODEL, ("request_user_input",))
    assert (asked.system, asked.user) == ("You plan.", "Plan it.")
    assert asked.login == {"authorization": f"Bearer {KEY}"}
    assert asked.size < 3300


def test_what_came_from_a_cache_was_sent_as_well(codex: Place) -> None:
    with ModelServer([Say("A plan.", (20, 6), cached=15)]) as server:
        assert codex.told(server).usage == Usage(input_tokens=20, output_tokens=6)


def test_an_answer_with_a_schema_is_asked_for_in_that_form(codex: Place) -> None:
    with ModelServer([Say('{"goal": "grün"}', (20, 6))]) as server:
        told = codex.told(server, schema=SCHEMA)
    assert told.text == '{"goal": "grün"}'
    assert [asked.schema for asked in server.asked] == [{key: SCHEMA[key] for key in SCHEMA if key != "$schema"}]


@pytest.mark.parametrize(
    "change",
    [
        {"additionalProperties": True},
        {"required": []},
        {"properties": {"goal": {"type": "object"}}},
        {"properties": {"goal": {"type": "array", "items": {"type": "string", "minLength": 1}}}},
        {"type": "array"},
    ],
)
def test_a_schema_that_openai_would_refuse_is_not_sent(codex: Place, change: dict[str, Any]) -> None:
    with ModelServer([]) as server:
        launch = codex.cli.launch(codex.ask(server, schema=SCHEMA | change))
    assert "--output-schema" not in launch.argv


def test_it_acts_with_the_tools_of_its_door_only(codex: Place) -> None:
    said = [
        Use("create_file", {"path": "a.txt", "content": "x"}, usage=(20, 6)),
        Use("delete_file", {"path": "a.txt"}, usage=(20, 6)),
        Say("Done.", (30, 5)),
    ]
    with ModelServer(said) as server, DoorServer() as door:
        told = codex.told(server, door=door.door)
    assert (told.text, told.usage) == ("Done.", Usage(input_tokens=70, output_tokens=17))
    assert door.called == [("create_file", {"path": "a.txt", "content": "x"})]
    assert door.strangers == 0
    resources = {"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"}
    assert {*server.asked[0].offered} - resources == {"request_user_input", "create_file"}


def test_progress_names_the_tool_and_the_words(codex: Place) -> None:
    said = [Use("create_file", {"path": "a"}, usage=(1, 1)), Say("Done.\nReally.", (1, 1))]
    with ModelServer(said) as server, DoorServer() as door:
        ask = codex.ask(server, door=door.door)
        output = codex.run(codex.cli.launch(ask))
    lines = [codex.cli.progress(line) for line in output.stdout.splitlines()]
    assert [line for line in lines if line] == ["uses create_file", "Done."]


PATCH = "*** Begin Patch\n*** Add File: patched.txt\n+x\n*** End Patch\n"


def writes() -> list[Answer]:
    shell = {"cmd": "touch touched.txt"}
    return [Use("exec_command", shell, usage=(1, 1)), Use("apply_patch", PATCH, usage=(1, 1)), Say("Done.", (1, 1))]


def test_its_own_ways_to_write_are_gone(codex: Place) -> None:
    with ModelServer(writes()) as server, DoorServer() as door:
        assert codex.told(server, door=door.door).text == "Done."
    assert sorted(codex.work.iterdir()) == []
    assert [result.text for result in server.asked[-1].results] == [
        "unsupported call: exec_command",
        "unsupported call: apply_patch",
    ]


def test_without_our_configuration_the_same_command_does_write(codex: Place) -> None:
    with ModelServer(writes()) as server:
        ours = codex.cli.launch(codex.ask(server, model="gpt-5.5"))
        config = "".join(line for line in ours.files[CONFIG].splitlines(True) if line.startswith("model_provider"))
        # Its own sandbox needs more than some machines allow; it is not what this test is about.
        argv = ("exec", "--json", "--skip-git-repo-check", "-s", "danger-full-access", "-m", "gpt-5.5", "-")
        codex.run(Launch(argv, ours.stdin, ours.env, {CONFIG: config}))
    assert sorted(path.name for path in codex.work.iterdir()) == ["touched.txt"]


def test_tools_out_of_reach_are_a_failure(codex: Place) -> None:
    with ModelServer(lambda asked: Say("Done.", (1, 1))) as server:
        door = Door(f"{nobody()}/mcp", "token", ("create_file",))
        assert failed(codex, server, door=door) == Failed("Transient", "connection", 0)


def test_a_conversation_goes_on_and_so_does_its_count(codex: Place) -> None:
    with ModelServer([Say("First.", (20, 6)), Say("Second.", (30, 7))]) as server:
        first = codex.told(server)
        second = codex.told(server, session=first.session, prompt="And now?")
    assert (second.text, second.session, second.cumulative) == ("Second.", first.session, True)
    assert second.usage == Usage(input_tokens=50, output_tokens=13)
    assert server.asked[1].user.splitlines() == ["Plan it.", "First.", "And now?"]


def test_an_unknown_conversation_is_no_new_one(codex: Place) -> None:
    with ModelServer([]) as server:
        found = failed(codex, server, session="00000000-0000-7000-8000-000000000000")
    assert found == Failed("ProviderError", "bad_request", 0)


@pytest.mark.parametrize("door", [False, True])
def test_without_a_key_the_login_is_sent(codex: Place, door: bool) -> None:
    log_in(codex.home)
    with ModelServer([Say("A plan.", (20, 6))]) as server, DoorServer() as tools:
        assert codex.told(server, key="", door=tools.door if door else None).text == "A plan."
    (asked,) = server.asked
    assert asked.login == {"authorization": f"Bearer {ACCESS}"}
    assert asked.headers["chatgpt-account-id"] == "account-1"


def test_a_login_with_a_key_is_sent_as_well(codex: Place) -> None:
    log_in(codex.home, {"OPENAI_API_KEY": "key-of-the-login"})
    with ModelServer([Say("A plan.", (20, 6))]) as server:
        assert codex.told(server, key="").text == "A plan."
    assert [asked.login for asked in server.asked] == [{"authorization": "Bearer key-of-the-login"}]


def test_without_key_and_login_it_says_how_to_log_in(codex: Place) -> None:
    with ModelServer(lambda asked: Fail(401)) as server:
        ask = codex.ask(server, key="")
        output = codex.run(codex.cli.launch(ask))
    with pytest.raises(Exception, match="not accepted") as caught:
        codex.cli.read(ask, output)
    assert (caught.value.kind, caught.value.do) == ("auth", "Log in: codex login")


@pytest.mark.parametrize("door", [False, True])
def test_what_a_repository_says_to_it_is_not_heard(codex: Place, door: bool) -> None:
    plant(codex.work)
    with ModelServer([Say("A plan.", (20, 6))]) as server, DoorServer() as tools:
        assert codex.told(server, door=tools.door if door else None).text == "A plan."
    assert marks(codex.work, server) == []


def test_without_our_configuration_the_repository_is_heard(codex: Place) -> None:
    plant(codex.work)
    with ModelServer(lambda asked: Say("A plan.", (20, 6))) as server:
        ours = codex.cli.launch(codex.ask(server))
        config = "".join(line for line in ours.files[CONFIG].splitlines(True) if line.startswith("model_provider"))
        trust = f'projects."{codex.work}".trust_level = "trusted"\n'
        codex.run(Launch(("exec", "--json", "-m", MODEL, "-"), ours.stdin, ours.env, {CONFIG: config + trust}))
    assert marks(codex.work, server) == ["mark-of-the-server", "mark-of-the-text"]


def test_every_setting_of_ours_is_known_to_it(codex: Place) -> None:
    with ModelServer([Say("A plan.", (20, 6))]) as server, DoorServer() as door:
        ask = codex.ask(server, door=door.door)
        launch = codex.cli.launch(ask)
        output = codex.run(launch._replace(argv=("exec", "--strict-config", *launch.argv[1:])))
    assert codex.cli.read(ask, output).text == "A plan."
    assert b"warning" not in output.stdout.lower()


ROWS: dict[str, tuple[Answer, Failed]] = {
    "400": (Fail(400), Failed("ProviderError", "bad_request", 1)),
    "401": (Fail(401, f"bad key {KEY}"), Failed("ProviderError", "auth", 1)),
    "402": (Fail(402), Failed("ProviderError", "quota", 1)),
    "429": (Fail(429), Failed("Transient", "rate_limited", 1)),
    "500": (Fail(500, f"no {KEY}"), Failed("Transient", "overloaded", 1)),
    "529": (Fail(529), Failed("Transient", "overloaded", 1)),
    "malformed": (Html(), Failed("Transient", "connection", 1)),
    "cut": (Cut(), Failed("Transient", "connection", 1)),
    "truncated": (Unfinished(), Failed("Transient", "connection", 1)),
    "empty": (Empty(usage=(1, 1)), Failed("Transient", "empty", 1)),
    "too long": (Truncated("half", (1, 1)), Failed("Transient", "truncated", 1)),
    "refused": (Refused(usage=(1, 1)), Failed("Transient", "empty", 1)),
}
"""What the model's server does, how it is read, and how many requests it took. Codex says the same of a page that is no
answer and of a broken answer, and nothing of a refusal."""


@pytest.mark.parametrize("row", ROWS)
def test_a_failure_of_its_model_is_named(codex: Place, row: str) -> None:
    answer, expected = ROWS[row]
    with ModelServer(lambda asked: answer) as server:
        assert failed(codex, server) == expected


def test_work_in_progress_is_tried_again_a_few_times_only(codex: Place) -> None:
    with ModelServer(lambda asked: Fail(500)) as server, DoorServer() as door:
        assert failed(codex, server, door=door.door) == Failed("Transient", "overloaded", 4)


def test_a_refused_connection_is_named(codex: Place) -> None:
    with ModelServer([]) as server:
        assert failed(codex, server, model_url=f"{nobody()}/v1") == Failed("Transient", "connection", 0)


def test_a_silent_model_is_waited_for_until_it_is_ended(codex: Place) -> None:
    with ModelServer(lambda asked: Hang()) as server:
        assert failed(codex, server, seconds=3) == Failed("Transient", "connection", 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_an_agent_that_is_ended_has_not_succeeded(codex: Place, number: signal.Signals) -> None:
    with ModelServer(lambda asked: Hang()) as server:
        ask = codex.ask(server)
        output = codex.interrupted(server, codex.cli.launch(ask), number=number)
    assert named(codex.cli, ask, output)[0] == "Transient"


def test_exit_code_0_alone_is_no_success() -> None:
    with ModelServer([]) as server:
        ask = Place(Codex(), Path("home"), Path("work"), MODEL).ask(server)
    with pytest.raises(Transient, match="ended with 0 and no last record"):
        Codex().read(ask, Output(0, b"", b""))
