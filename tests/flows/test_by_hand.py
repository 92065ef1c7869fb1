"""A person answers the next call of a task; then its own providers go on."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread

import pytest

from flows.code_runs import build, make_tally, replies
from harness import configure
from harness.environments import warm
from harness.place import Place

REPLY = replies()["write_tests"]["reply"]


@pytest.fixture
def halted(tmp_path: Path) -> Place:
    """A task before its first call, with a script for every call and somebody who may answer instead."""
    place = make_tally(tmp_path)
    playbook = place.person / "playbook.yaml"
    playbook.write_text(json.dumps({"rules": list(replies().values())}))
    providers = {
        "script": {"kind": "scripted", "playbook": str(playbook)},
        "me": {"kind": "manual", "folder": "mine", "wait_seconds": 20},
    }
    configure(place.repository, providers=providers, provider="script")
    warm(place.home)
    assert build(place, "--max-steps", "0").code == 4
    return place


def test_the_next_call_alone_goes_to_a_person_and_is_on_record_like_any_other(halted: Place) -> None:
    request = halted.home / "mine" / "0001.request.md"

    def somebody() -> None:
        while not request.exists() or "# Limit" not in request.read_text():
            pass
        (halted.home / "mine" / "0001.reply.md").write_text(json.dumps(REPLY))

    answering = Thread(target=somebody, daemon=True)
    answering.start()
    done = halted.run("continue", halted.task, "--by-hand", "--max-steps", "50")
    answering.join()
    assert done.code == 0, done.out
    assert "the next call is answered by hand; me waits for somebody to answer: read " in done.err
    providers = [event["provider"] for event in halted.events("call_started")]
    assert (providers[0], set(providers[1:])) == ("me", {"script"})
    assert [event["model"] for event in halted.events("call_ended")][0] == "manual"
    assert json.loads(halted.blob(halted.events("call_ended")[0]["reply"])) == REPLY


def test_a_call_that_nobody_answers_uses_nothing_and_the_task_goes_on_without_anybody(halted: Place) -> None:
    configured = (halted.home / "config.yaml").read_text()
    (halted.home / "config.yaml").write_text(configured.replace("wait_seconds: 20", "wait_seconds: 0.3"))
    stopped = halted.run("continue", halted.task, "--by-hand", "--max-steps", "50", "--json")
    assert (stopped.code, stopped.json["reason"]) == (1, "provider_failed")
    (failed,) = halted.events("call_failed")
    assert failed["usage"] == {"input_tokens": 0, "output_tokens": 0, "cached_tokens": None}
    assert halted.run("status", halted.task, "--json").json["cost"]["tokens"] == 0
    done = halted.run("continue", halted.task, "--json")
    assert (done.code, done.json["state"]) == (0, "done")
    assert [event["provider"] for event in halted.events("call_started")][:2] == ["me", "script"]
