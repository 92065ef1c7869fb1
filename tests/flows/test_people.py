"""A second process beside a run: look, hint, pause, abort, signals, and a run in the background."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from harness import REQUEST, Done, task_ids
from harness.place import PATIENCE, Place, ended, from_demo, make_place, running, until
from model_server import Answer, Asked, ModelServer


class Slow:
    """A server that keeps one stage waiting until the test lets it go."""

    def __init__(self, folder: Path, stage: str) -> None:
        self.answer = from_demo(folder)
        self.stage = f"stage: {stage}\n"
        self.reached = Event()
        self.go = Event()

    def __call__(self, asked: Asked) -> Answer:
        if self.stage in asked.user:
            self.reached.set()
            assert self.go.wait(PATIENCE)
        return self.answer(asked)


@contextmanager
def held(place: Place, folder: Path, *args: str, stage: str = "intake") -> Iterator[tuple[Slow, ModelServer, Done]]:
    """A design that waits for its model at one stage; the last value is how it ended, filled in at the end."""
    slow = Slow(folder, stage)
    with ModelServer(slow) as server:
        place.serve(server)
        with running(place.spawn("design", REQUEST, "--json", *args)) as process:
            try:
                until(slow.reached.is_set, f"a request at {stage}")
                yield slow, server, process
            finally:
                slow.go.set()


def test_a_look_and_a_hint_from_another_process(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with held(place, tmp_path, "--through", "analyze") as (slow, server, process):
        status = place.run("status", "last", "--json")
        assert (status.code, status.json["state"], status.json["stage"]) == (0, "running", "intake")
        assert f"(process {process.pid})" in status.json["runner"]
        hint = place.run("hint", "last", "The report is read by cron", "--json")
        assert (hint.code, f"(process {process.pid})" in hint.json["runner"]) == (0, True)
        second = place.run("continue", "last", "--json")
        assert (second.code, f"(process {process.pid})" in second.json["error"]["what"]) == (1, True)
        resolve = place.run("resolve", "E-1", "yes", "--json")
        assert (resolve.code, resolve.json["error"]["what"]) == (2, "there is no open question E-1")
        kept = place.run("prune", "--older-than", "0", "--halted", "--yes", "--json").json
        assert (kept["tasks"], kept["removed"]) == ([], [])
        slow.go.set()
        done = ended(process)
        assert done.code == 0
        told = ["- The report is read by cron" in asked.user for asked in server.asked]
    assert (told[0], told[1]) == (False, True)
    assert len(place.events("hint_given")) == 1
    assert list((place.folder / "inbox").iterdir()) == []
    assert place.run("verify").code == 0


def test_a_pause_lets_the_step_end_and_continue_finishes(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with held(place, tmp_path, "--through", "analyze") as (slow, server, process):
        assert place.run("pause").code == 0
        until(lambda: place.events("pause_asked"), "the pause on record")
        slow.go.set()
        done = ended(process)
        assert (done.code, done.json["state"], done.json["reason"]) == (3, "needs_person", "paused")
        assert [e["type"] for e in place.events() if e["type"].startswith("call_")] == ["call_started", "call_ended"]
        again = place.run("pause", "--json")
        assert (again.code, "there is nothing to pause" in again.json["error"]["what"]) == (2, True)
        asked = len(server.asked)
        assert place.run("continue", "--json").code == 0
        assert "stage: clarify\n" in server.asked[asked].user
    assert place.run("verify").code == 0


def test_an_abort_cancels_the_call_and_is_final(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with held(place, tmp_path, stage="analyze") as (slow, _, process):
        said = place.run("abort")
        assert said.code == 0
        done = ended(process)
        assert not slow.go.is_set()
        assert (done.code, done.json["state"], done.json["reason"]) == (1, "halted", "aborted")
    assert [(e["kind"], e["error"]) for e in place.events("call_failed")] == [("cancelled", "ended by an abort")]
    again = place.run("abort")
    assert again.code == 0
    assert f"see what it made: thoughtforge inspect {place.task}" in again.out
    kept = place.run("inspect", "--json").json["artifacts"]
    assert sorted(kept) == ["clarification", "intake_record"]
    refused = place.run("continue", "--json")
    assert (refused.code, refused.json["error"]["what"]) == (2, f"task {place.task} was aborted")
    hint = place.run("hint", "last", "too late", "--json")
    assert (hint.code, "(aborted)" in hint.json["error"]["what"]) == (2, True)
    assert place.run("status", "last").code == 0
    assert place.run("verify").code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_with_130_and_the_task_goes_on_later(tmp_path: Path, number: signal.Signals) -> None:
    place = make_place(tmp_path)
    with held(place, tmp_path, "--through", "analyze") as (slow, _, process):
        process.send_signal(number)
        done = ended(process)
        assert (done.code, done.json["state"], done.json["reason"]) == (130, "halted", "interrupted")
        assert done.json["next_action"] == f"Continue: thoughtforge continue {place.task}"
        slow.go.set()
        assert place.run("continue", "--json").code == 0
    assert " of these tokens are reserved by calls that were interrupted" in place.run("cost", "last").out
    assert place.run("verify").code == 0


def test_a_task_runs_in_the_background_and_can_be_watched(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(from_demo(tmp_path)) as server:
        place.serve(server, key_env="SOME_MODEL_KEY")
        begun = place.design("--detach", "--through", "analyze", SOME_MODEL_KEY="no-real-key-at-all")
        assert (begun.code, begun.json["task"]) == (0, place.task)
        watched = place.run("status", "last", "--watch")
        assert watched.code == 0
        state = place.run("status", "last", "--json").json
    assert (state["state"], state["runner"]) == ("done", None)
    assert watched.out.rstrip().endswith(f"→ Read the result: thoughtforge inspect {place.task}")
    assert "■ analysis (early exit at analyze)" in (place.folder / "run.log").read_text()


def test_watch_and_json_exclude_each_other(place: Place) -> None:
    done = place.run("status", "--watch", "--json")
    assert (done.code, done.json["error"]["do"]) == (2, "Use one of them.")
    assert task_ids(place.repository) == []
