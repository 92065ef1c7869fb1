"""Agents that act by themselves and fail: caps hold, they are tried once more or waited for, then another goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.played import KEY, played, said
from harness import PLAYBOOK, REQUEST, Done, configure
from harness.place import Place, make_place
from model_server import Fail, ModelServer, Say
from thoughtforge.agent_runtime.agent import FRAMING

SCRIPT = {"kind": "scripted", "playbook": str(PLAYBOOK)}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


def start(place: Place, providers: dict[str, Any], **config: Any) -> Done:
    """The usual task; the first of these agents writes the tests, a script does the rest."""
    roles = {"test_engineer": {"provider": next(iter(providers))}}
    configure(place.repository, providers={"script": SCRIPT, **providers}, roles=roles, **config)
    return place.run("start", REQUEST, "--json", timeout=300, **{KEY: "the-real-key"})


def turns(place: Place) -> list[str]:
    """What was found after each turn."""
    return [e["summary"] for e in place.events("measured") if e["what"] == "turn"]


def warnings(place: Place, code: str) -> list[str]:
    return [e["text"] for e in place.events("warning_given") if e["code"] == code]


def test_a_turn_ends_with_the_time_of_the_task(place: Place) -> None:
    play = """
    while True:
        time.sleep(0.5); progress(".")
    """
    with ModelServer([]) as server:
        done = start(place, {"slow": played(place, server, play)}, limits={"wall_seconds": 10})
    assert (done.code, done.json["reason"], len(turns(place))) == (4, "budget_wall", 1), done.out
    assert done.json["cost"]["caps"]["wall_seconds"] == 10
    assert done.json["wall_seconds"] < 20


def test_an_agent_that_uses_a_tool_and_dies_is_tried_once_more(place: Place) -> None:
    play = """
    use("search_codebase", pattern=f"x{turn()}")
    os._exit(1)
    """
    with ModelServer([]) as server:
        done = start(place, {"dying": played(place, server, play)})
    assert (done.code, done.json["reason"]) == (1, "provider_failed")
    assert done.json["detail"].startswith("dying (connection): played returned no answer")
    assert len(turns(place)) == 2


def test_a_failure_after_work_that_changed_files_is_the_first_again(place: Place) -> None:
    play = """
    number = turn()
    if number <= 2:
        use("create_file", path=f"tests/test_{number}.py", content="def test_it() -> None:\\n    assert False\\n")
    os._exit(1)
    """
    with ModelServer([]) as server:
        done = start(place, {"dying": played(place, server, play)})
    assert (done.code, done.json["reason"]) == (1, "provider_failed")
    assert len(turns(place)) == 3


def test_a_tool_used_beside_a_hand_in_does_not_undo_it(place: Place) -> None:
    play = """
    artifact = {"test_files": [{"path": "tests/test_json_report.py", "tests": []}], "held_back": []}
    calls = [("run_tests", {}), ("complete", {"artifact": artifact}), ("search_codebase", {"pattern": "x"})]
    threads = [threading.Thread(target=lambda call=call: log(call[0], use(call[0], **call[1])[1])) for call in calls]
    for thread in threads:
        thread.start(); time.sleep(0.15)
    for thread in threads:
        thread.join()
    """
    with ModelServer([]) as server:
        start(place, {"hasty": played(place, server, play)}, limits={"steps": 11})
    first = [e["tool"] for e in place.events("action_taken") if e["stage"] == "red"][:3]
    assert first[:2] == ["run_tests", "complete"]
    assert "search_codebase" not in first
    answers = dict(line for line in said(place) if line[0] == "search_codebase")
    assert "This stage is over" in answers["search_codebase"]


def test_a_rate_limit_is_waited_for_and_costs_nothing(place: Place) -> None:
    play = """
    status, answer = model()
    ERROR = f"API error {status}: too many requests"
    """
    with ModelServer(lambda asked: Fail(429)) as server:
        done = start(place, {"busy": played(place, server, play)}, rate_limit_seconds=4)
    assert (done.code, done.json["reason"], len(server.asked)) == (1, "provider_failed", 3)
    assert done.json["detail"].startswith("busy (rate_limited): ")
    assert warnings(place, "waiting") == ["busy is rate-limited; retrying in 2 s"]
    assert [(e["kind"], e["usd"]) for e in place.events("call_failed")] == [("status_429", 0.0)] * 3


def test_another_provider_goes_on_for_an_agent_that_fails_for_good(place: Place) -> None:
    with ModelServer([]) as server:
        done = start(place, {"dying": played(place, server, "os._exit(1)")}, fallback="script")
    assert (done.code, done.json["state"], len(turns(place))) == (0, "done", 2)
    (told,) = warnings(place, "fallback")
    assert told.startswith("dying (connection): ")
    assert told.endswith("; using script instead")


def test_another_agent_goes_on_with_a_conversation_of_its_own(place: Place) -> None:
    talks = "os._exit(1) if turn() > 1 else None"
    with ModelServer([]) as server:
        agents = {
            "first": played(place, server, talks, keep_conversation=True),
            "second": played(place, server, "os._exit(1)", keep_conversation=True),
        }
        done = start(place, agents, fallback="second")
    assert (done.code, done.json["reason"]) == (1, "provider_failed")
    assert said(place, "first") == [["session/new", ""], ["session/load", "s1"], ["session/new", ""]]
    assert said(place, "second") == [["session/new", ""], ["session/new", ""]]


@pytest.mark.parametrize("role", ["test_engineer", "business_analyst"], ids=["worker", "model"])
def test_another_provider_goes_on_for_an_agent_that_is_not_there(place: Place, role: str) -> None:
    missing = {"kind": "claude_cli", "command": "no-such-claude", "key_env": KEY, "price": {}}
    missing["price"] = {"input_per_million": 1, "output_per_million": 1}
    roles = {role: {"provider": "missing", "fallback": "script"}}
    configure(place.repository, provider="script", providers={"script": SCRIPT, "missing": missing}, roles=roles)
    done = place.run("start", REQUEST, "--json", timeout=300, **{KEY: "the-real-key"})
    assert (done.code, done.json["state"]) == (0, "done")
    told = warnings(place, "fallback")
    assert told
    assert {text for text in told} == {"missing: no-such-claude is not installed or not on PATH; using script instead"}
    assert {(e["kind"], e["usd"]) for e in place.events("call_failed")} <= {("not_ready", 0.0)}


def test_the_longest_answer_sent_is_the_one_reserved(place: Place) -> None:
    play = """
    log(model(max_tokens=999999))
    log(model(max_tokens=10))
    log(model())
    """
    with ModelServer(lambda asked: Say("hello", usage=(100, 50))) as server:
        start(place, {"wordy": played(place, server, play, max_output_tokens=1000)}, limits={"steps": 13})
    assert [asked.body["max_tokens"] for asked in server.asked] == [1000, 10, 1000]
    calls = [e for e in place.events("call_started") if e["provider"] == "wordy"]
    given = [len(place.blob(e["context"]).encode()) + FRAMING for e in calls]
    assert [e["reserved"]["tokens"] - most for e, most in zip(calls, given, strict=True)] == [1000, 10, 1000]


def test_what_the_repository_hides_is_hidden_from_the_program_too(tmp_path: Path) -> None:
    files = {
        ".env": "DB_PASSWORD=hunter2\n",
        "private/plan.txt": "the secret plan\n",
        ".claude/settings.json": "{}\n",
        "CLAUDE.md": "obey the repository\n",
        ".thoughtforgeignore": "private/\n.claude/\nCLAUDE.md\n",
    }
    place = make_place(tmp_path, files)
    play = """
    def read(path):
        try:
            return open(path).read()
        except OSError:
            return ""
    for path in (".env", "private/plan.txt", ".claude/settings.json", "CLAUDE.md", "README.md"):
        log(path, bool(read(path)))
    os._exit(1)
    """
    with ModelServer([]) as server:
        start(place, {"curious": played(place, server, play)})
    seen = dict(line for line in said(place) if not line[0].startswith("session/"))
    assert seen == {
        ".env": False,
        "private/plan.txt": False,
        ".claude/settings.json": False,
        "CLAUDE.md": False,
        "README.md": True,
    }
