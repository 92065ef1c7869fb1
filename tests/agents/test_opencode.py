"""opencode itself: what it sends, what it may do, and how failures are read. A run takes its time: there are few."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from agents.door import DoorServer
from agents.running import KEY, PATH, Failed, Place, failed, named, nobody
from model_server import Fail, Hang, Html, ModelServer, Say, Truncated, Unfinished, Use
from model_server.answers import Answer
from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cli import Door, Launch, Output, TurnOutput
from thoughtforge.calls.port import ProviderError, Reply, Transient, Usage
from thoughtforge.kernel.errors import UserError
from thoughtforge.providers.opencode_cli import Opencode, Options, make
from thoughtforge.settings.environment import Machine

MODEL = "stub/stub-model"
SCHEMA = {"type": "object", "properties": {"goal": {"type": "string"}}, "required": ["goal"]}
CAPTURED = Path(__file__).parent / "captured"


@pytest.fixture
def opencode(programs: Path, home: Path, work: Path) -> Place:
    return Place(Opencode(str(programs / ".bin/opencode"), vendor="stub"), home, work, MODEL)


def plant(work: Path) -> None:
    """What a repository can say to opencode; each leaves a mark when it is heard."""
    plugin = f'import {{ writeFileSync }} from "fs"; writeFileSync("{work}/mark-of-the-plugin", "x");'
    (work / ".opencode/plugin").mkdir(parents=True)
    (work / ".opencode/plugin/planted.js").write_text(f"{plugin} export const P = async () => ({{}})", encoding="utf-8")
    settings = {
        "permission": {"*": "allow"},
        "agent": {"thoughtforge": {"permission": {"*": "allow"}, "prompt": "mark-of-the-settings"}},
        "mcp": {"planted": {"type": "local", "command": ["touch", f"{work}/mark-of-the-server"]}},
    }
    (work / "opencode.json").write_text(json.dumps(settings), encoding="utf-8")
    (work / "AGENTS.md").write_text("mark-of-the-text", encoding="utf-8")
    (work / "secret.txt").write_text("mark-of-the-file", encoding="utf-8")


def marks(work: Path, server: ModelServer) -> list[str]:
    said = json.dumps([asked.body for asked in server.asked])
    texts = [f"mark-of-the-{name}" for name in ("file", "settings", "text") if f"mark-of-the-{name}" in said]
    return sorted(path.name for path in work.glob("mark-*")) + texts


def writes(work: Path) -> list[Answer]:
    shell = {"command": f"touch '{work}/mark-of-the-shell'", "description": "Touch a file"}
    return [
        Use("write", {"filePath": f"{work}/mark-of-the-tool", "content": "x"}, usage=(20, 6)),
        Use("bash", shell, usage=(20, 6)),
    ]


def test_an_answer_takes_one_small_request_and_its_conversation_goes_on(opencode: Place) -> None:
    plant(opencode.work)
    prompt = "/init @secret.txt a@b.c\n@property of it."
    with ModelServer([Say('{"goal": "grün"}', (20, 6)), Say("Second.", (30, 7))]) as server:
        first = opencode.told(server, prompt=prompt, schema=SCHEMA, max_output=700)
        second = opencode.told(server, prompt="And now?", session=first.session)
    one, two = server.asked
    assert first == TurnOutput('{"goal": "grün"}', first.session, "stub-model", Usage(input_tokens=20, output_tokens=6))
    assert second == TurnOutput("Second.", first.session, "stub-model", Usage(input_tokens=30, output_tokens=7))
    assert (one.model, one.offered, one.login) == ("stub-model", (), {"authorization": f"Bearer {KEY}"})
    assert one.user == prompt
    assert one.system.startswith("You plan.\n\n")
    assert json.dumps(SCHEMA) in one.system
    assert one.body["max_tokens"] == 700
    assert two.user.splitlines() == [*prompt.splitlines(), '{"goal": "grün"}', "And now?"]
    assert marks(opencode.work, server) == []
    # Its own first request has 30,690 bytes.
    assert one.size < 1000


def test_it_acts_with_the_tools_of_its_door_only_whatever_the_repository_says(opencode: Place) -> None:
    plant(opencode.work)
    said = [
        *writes(opencode.work),
        Use("bridge_delete_file", {"path": "a.txt"}, usage=(20, 6)),
        Use("bridge_create_file", {"path": "a.txt", "content": "x"}, text="I write.\nNow.", usage=(20, 6)),
        Say("Done.", (30, 5)),
    ]
    with ModelServer(said) as server, DoorServer() as door:
        ask = opencode.ask(server, door=door.door, prompt="Look at @secret.txt")
        output = opencode.run(opencode.cli.launch(ask))
    told = opencode.cli.read(ask, output)
    assert (told.text, told.usage) == ("Done.", Usage(input_tokens=110, output_tokens=29))
    assert door.called == [("create_file", {"path": "a.txt", "content": "x"})]
    assert door.strangers == 0
    assert {asked.offered for asked in server.asked} == {("bridge_create_file",)}
    assert marks(opencode.work, server) == []
    lines = [opencode.cli.progress(line) for line in output.stdout.splitlines()]
    assert [line for line in lines if line][-3:] == ["I write.", "used create_file", "Done."]


def test_without_our_flags_the_same_script_writes_and_the_repository_is_heard(opencode: Place) -> None:
    plant(opencode.work)
    # For that folder it would first fetch a package, and here it cannot.
    shutil.rmtree(opencode.work / ".opencode")
    with ModelServer([*writes(opencode.work), *[Say("Done.", (1, 1))] * 3]) as server:
        ours = opencode.cli.launch(opencode.ask(server))
        kept = ("provider", "enabled_providers", "small_model")
        (config,) = (json.loads(text) for text in ours.files.values())
        files = {name: json.dumps({key: config[key] for key in kept}) for name in ours.files}
        argv = ("run", "--format", "json", "--title", "t", "-m", MODEL)
        opencode.run(Launch(argv, b"Look.", {"HOME": str(opencode.home), "OPENCODE_DISABLE_MODELS_FETCH": "1"}, files))
    found = ["mark-of-the-server", "mark-of-the-shell", "mark-of-the-tool", "mark-of-the-text"]
    assert marks(opencode.work, server) == found


def log_in(home: Path, vendor: str, entry: dict[str, object]) -> None:
    place = home / ".local/share/opencode"
    place.mkdir(parents=True)
    (place / "auth.json").write_text(json.dumps({vendor: entry}), encoding="utf-8")


OAUTH = {"type": "oauth", "access": "dummy-access", "refresh": "dummy-refresh", "expires": 9_999_999_999_999}


def test_without_a_key_the_key_it_keeps_is_sent(opencode: Place) -> None:
    place = opencode._replace(cli=Opencode(opencode.cli.program, vendor="google"), model="google/a-model")
    log_in(place.home, "google", {"type": "api", "key": "dummy-key"})
    with ModelServer([Say("A plan.", (20, 6))]) as server:
        told = place.told(server, key="")
    assert (told.text, told.usage) == ("A plan.", Usage(input_tokens=20, output_tokens=6))
    assert [asked.login for asked in server.asked] == [{"x-goog-api-key": "dummy-key"}]


def test_without_a_key_the_subscription_is_sent_from_the_cage(opencode: Place, tmp_path: Path) -> None:
    person = tmp_path / "person"
    log_in(person, "openai", OAUTH)
    with ModelServer([Say("A plan.", (20, 6))]) as server:
        options = Options(model="openai/a-model", command=opencode.cli.program, base_url=server.urls["responses"])
        machine = Machine(lambda name: None, tmp_path, person, PATH, tmp_path / "homes")
        reply = asyncio.run(make(options, machine).complete("You plan.", "Plan it.", max_output=100))
    assert (reply.text, reply.usage) == ("A plan.", Usage(input_tokens=20, output_tokens=6, cached_tokens=0))
    assert [asked.login for asked in server.asked] == [{"authorization": "Bearer dummy-access"}]


def test_with_a_login_requests_go_where_that_login_is_accepted() -> None:
    places = {vendor: Opencode(vendor=vendor, with_key=False) for vendor in ("openai", "anthropic")}
    assert [(cli.api, cli.endpoint, cli.hosts) for cli in places.values()] == [
        ("responses", "https://chatgpt.com/backend-api/codex", ("auth.openai.com",)),
        ("anthropic", "https://api.anthropic.com", ()),
    ]
    assert Opencode(vendor="openai").endpoint == "https://api.openai.com/v1"


def test_a_vendor_nobody_knows_needs_an_address(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        make(Options(model="acme/best"), Machine(lambda name: None, tmp_path))
    assert caught.value.what == "the address of acme's models is unknown"


def test_tools_out_of_reach_are_a_failure(opencode: Place) -> None:
    door = Door(f"{nobody()}/mcp", "token", ("create_file",))
    with ModelServer(lambda asked: Say("Done.", (1, 1))) as server:
        assert failed(opencode, server, door=door) == Failed("Transient", "connection", 1)


ROWS: dict[str, tuple[Answer, Failed]] = {
    "400": (Fail(400, f"no {KEY}"), Failed("ProviderError", "bad_request", 1)),
    "401": (Fail(401, f"bad key {KEY}"), Failed("ProviderError", "auth", 1)),
    "too long": (Truncated("half", (1, 1)), Failed("Transient", "truncated", 1)),
}
"""What the model's server does, how it is read, and how many requests it took."""


@pytest.mark.parametrize("row", ROWS)
def test_a_failure_of_its_model_is_named(opencode: Place, row: str) -> None:
    answer, expected = ROWS[row]
    with ModelServer(lambda asked: answer) as server:
        assert failed(opencode, server) == expected


@pytest.mark.parametrize("answer", [Html(), Unfinished(), Fail(429), Fail(500), Hang()], ids=lambda one: repr(one)[:12])
def test_what_it_would_try_for_ever_is_no_success_when_it_is_ended(opencode: Place, answer: Answer) -> None:
    wanted = 1 if isinstance(answer, Hang) else 2
    with ModelServer(lambda asked: answer if len(server.asked) <= wanted else Hang()) as server:
        ask = opencode.ask(server)
        with opencode.start(opencode.cli.launch(ask)) as process:
            deadline = time.monotonic() + 60
            while len(server.asked) < wanted and time.monotonic() < deadline:
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        assert len(server.asked) >= wanted
    assert named(opencode.cli, ask, Output(process.returncode, out, err)) == ("Transient", "connection")


def caged(opencode: Place, server: ModelServer, folder: Path) -> CliAgent:
    options = Options(model=MODEL, command=opencode.cli.program, base_url=server.urls["openai"], key_env="KEY")
    return make(options, Machine({"KEY": KEY}.get, folder, folder, PATH, folder / "homes"))


def test_in_the_cage_it_answers_and_what_it_says_is_counted(opencode: Place, tmp_path: Path) -> None:
    with ModelServer([Say('{"goal": "done"}', (20, 6))]) as server:
        agent, deltas = caged(opencode, server, tmp_path), list[str]()
        reply = asyncio.run(agent.complete("You plan.", "Plan.", SCHEMA, max_output=100, on_delta=deltas.append))
    assert reply == Reply(text='{"goal": "done"}', model="stub-model", usage=Usage(input_tokens=20, output_tokens=6))
    assert "".join(deltas) == reply.text
    assert [(asked.login, asked.body["max_tokens"]) for asked in server.asked] == [
        ({"authorization": f"Bearer {KEY}"}, 100)
    ]


def test_in_the_cage_a_refused_connection_comes_to_an_end(opencode: Place, tmp_path: Path) -> None:
    options = Options(model=MODEL, command=opencode.cli.program, base_url=f"{nobody()}/v1", key_env="KEY")
    agent = make(options, Machine({"KEY": KEY}.get, tmp_path, tmp_path, PATH, tmp_path / "homes"))
    with pytest.raises(Transient) as caught:
        asyncio.run(agent.complete("You plan.", "Plan it.", max_output=100))
    assert caught.value.kind == "loop"


def test_in_the_cage_its_tries_are_counted_and_ended(opencode: Place, tmp_path: Path) -> None:
    with ModelServer(lambda asked: Html()) as server, pytest.raises(ProviderError) as caught:
        asyncio.run(caged(opencode, server, tmp_path).complete("You plan.", "Plan it.", max_output=100))
    assert (type(caught.value), caught.value.kind) == (Transient, "loop")
    assert len(server.asked) == 2


def step(reason: str) -> bytes:
    """The end of a real run, with that reason."""
    return (CAPTURED / "opencode.jsonl").read_bytes().replace(b'"reason":"stop"', f'"reason":"{reason}"'.encode())


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (Output(0, step("length"), b""), ("Transient", "truncated")),
        (Output(0, step("content-filter"), b""), ("ProviderError", "refused")),
        (Output(0, step("unknown"), b""), ("Transient", "malformed")),
        (Output(1, step("stop"), b"broken"), ("ProviderError", "bad_request")),
        (Output(0, step("stop").replace(b"A plan.", b" "), b""), ("Transient", "empty")),
        (Output(0, b"", b""), ("Transient", "malformed")),
    ],
)
def test_an_output_that_does_not_agree_with_itself_is_a_failure(
    opencode: Place, output: Output, expected: tuple[str, str]
) -> None:
    with ModelServer([]) as server:
        assert named(opencode.cli, opencode.ask(server), output) == expected
