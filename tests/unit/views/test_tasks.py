"""Views: plain values from a state, the same for people and scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thoughtforge.calls.events import ActionTaken, CallFailed
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.kernel.model import Caps, Criterion, Question
from thoughtforge.kernel.stops import StopReason
from thoughtforge.store.log import read_records
from thoughtforge.views import timeline
from thoughtforge.views.tasks import cost, details, live, progress, run_end, stage_view, stages_until_exit, summary
from thoughtforge.views.values import TaskSummary, as_data
from thoughtforge.workspaces.events import CommitMade, RefWritten, WorkspaceMade
from unit.kernel.making import (
    FAILED,
    RUNNER,
    at,
    begun,
    call,
    ended,
    judged,
    made,
    passed,
    raised,
    reviewed,
    story,
    task,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "v1"
FRESH = {
    "task": "20260101-abcd-a-task",
    "request": "Add a flag",
    "goal": "g",
    "repository": "/repository",
    "state": "pending",
    "reason": None,
    "detail": None,
    "next_action": "Continue: thoughtforge continue 20260101-abcd-a-task",
    "next_actions": [{"label": "Continue", "command": "thoughtforge continue 20260101-abcd-a-task"}],
    "stage": "intake",
    "progress": 0.0,
    "started_at": at(0),
    "last_activity": at(1),
    "wall_seconds": 0.0,
    "last_action": None,
    "waiting": None,
    "labels": [],
    "phase": None,
    "halted_in": None,
    "halt_reason": None,
    "cost": {
        "steps": 0,
        "tokens": 0,
        "input_tokens_reported": 0,
        "output_tokens_reported": 0,
        "calls_with_estimated_tokens": 0,
        "usd": 0.0,
        "usd_unknown_calls": 0,
        "caps": {
            "usd": None,
            "tokens": None,
            "steps": None,
            "wall_seconds": None,
            "stage_steps": 100,
            "unknown_usd": False,
        },
        "reserved_tokens": 0,
        "reserved_usd": 0.0,
    },
}


def test_the_summary_of_a_new_task() -> None:
    assert as_data(summary(story())) == FRESH


def test_the_summary_of_a_task_that_waits_for_an_answer() -> None:
    events = [
        RUNNER,
        *passed("intake", "a"),
        begun("clarify", "a"),
        raised("clarify", questions=(Question(id="Q", text="t"),)),
    ]
    shown = as_data(summary(story(*events, e.RunnerStopped(reason=StopReason.question))))
    changed = {key: value for key, value in shown.items() if value != FRESH[key]}
    assert changed == {
        "state": "needs_person",
        "reason": "question",
        "next_action": "Answer: thoughtforge resolve 20260101-abcd-a-task:E-1 ANSWER; "
        "list all questions: thoughtforge escalations list",
        "next_actions": [
            {"label": "Answer", "command": "thoughtforge resolve 20260101-abcd-a-task:E-1 ANSWER"},
            {"label": "list all questions", "command": "thoughtforge escalations list"},
        ],
        "stage": "clarify",
        "progress": 0.33,
        "last_activity": at(9),
        "wall_seconds": 7.0,
        "waiting": "E-1: s",
    }


def test_the_summary_of_a_task_that_shows_a_version() -> None:
    shown = summary(story(e.IterationPresented(stage="spec", iteration=2, artifact="s")))
    assert (shown.state, shown.reason, shown.waiting) == (
        "needs_person",
        "approval",
        "your decision on spec, version 2",
    )


def test_a_long_request_is_cut_in_the_summary_only() -> None:
    long = task(request="x" * 900)
    assert summary(story(of=long)).request == "x" * 200


def test_what_was_used_is_shown_with_what_is_unknown() -> None:
    state = story(call(1), ended(1, usd=None), call(2), ended(2, tokens=(None, 3)), of=task(caps=Caps(usd=9)))
    assert as_data(cost(state)) == {
        "steps": 2,
        "tokens": 113,
        "input_tokens_reported": 50,
        "output_tokens_reported": 23,
        "calls_with_estimated_tokens": 1,
        "usd": 1.5,
        "usd_unknown_calls": 1,
        "caps": {
            "usd": 9.0,
            "tokens": None,
            "steps": None,
            "wall_seconds": None,
            "stage_steps": 100,
            "unknown_usd": False,
        },
        "reserved_tokens": 0,
        "reserved_usd": 0.0,
    }


def test_what_is_reserved_is_told_apart_from_what_was_spent() -> None:
    lost = CallFailed(call="C-2", kind="aborted", error="ended")
    working = story(call(1), ended(1), call(2), of=task(caps=Caps(usd=9)))
    failed = story(call(1), ended(1), call(2), lost, of=task(caps=Caps(usd=9)))
    for state in (working, failed):
        told = cost(state)
        assert told.reserved_tokens == state.used.tokens - told.input_tokens_reported - told.output_tokens_reported > 0
        spent = told.input_tokens_reported + told.output_tokens_reported
        assert f", {spent:,} tokens, $" in told.told()
        assert f"; {told.reserved_tokens:,} tokens, " in told.told()
        assert told.told().endswith(" reserved")


@pytest.mark.parametrize(("done", "share"), [(0, 0.0), (1, 0.33), (2, 0.67), (3, 1.0)])
def test_progress_counts_the_stages_behind_us(done: int, share: float) -> None:
    events = [*passed("intake", "a"), e.StageSkipped(stage="clarify", reason="r"), *passed("spec", "s", "a")]
    assert progress(story(*events[: {0: 0, 1: 4, 2: 5, 3: 9}[done]])) == share


def test_an_earlier_exit_makes_the_way_shorter() -> None:
    state = story(*passed("intake", "a"), of=task(exit_stage="intake"))
    assert (stages_until_exit(state), progress(state)) == (["intake"], 1.0)


def test_the_view_of_a_stage_says_what_the_gate_and_the_reviewers_said() -> None:
    events = [begun("spec"), made("spec", "s"), judged("spec", "s", FAILED), begun("spec", round=2), made("spec", "s2")]
    state = story(*events, judged("spec", "s2"), reviewed("spec", "s2", "security", "SEC-1"))
    assert as_data(stage_view(state.stage("spec"))) == {
        "status": "made",
        "round": 2,
        "artifact": "s2",
        "versions": 2,
        "verdict": "pass",
        "measured": {},
        "problems": [],
        "blocking": ["SEC-1"],
        "advisory": [],
        "accepted_by_person": False,
        "iteration": 0,
        "skipped": None,
        "exit": [],
        "commit": None,
        "steps": 0,
        "started_at": at(2),
        "ended_at": None,
    }
    failed = stage_view(story(*events[:3]).stage("spec"))
    assert (failed.verdict, failed.problems) == ("fail", ("title: is missing",))


def test_the_view_of_a_stage_that_writes_has_its_exit_condition_by_condition_and_its_commit() -> None:
    failed = Criterion(name="all_tests_pass", outcome="fail", detail="test_a failed")
    held = Criterion(name="all_tests_pass", outcome="pass", detail="3 tests")
    first = e.Measured(stage="spec", what="exit", outcome="fail", summary="s", criteria=(failed,))
    last = e.Measured(stage="spec", what="exit", outcome="pass", summary="s", criteria=(held,))
    state = story(begun("spec"), first, last, CommitMade(stage="spec", commit="c1", tree="t"))
    view = stage_view(state.stage("spec"))
    assert view.exit == ({"name": "all_tests_pass", "outcome": "pass", "detail": "3 tests"},)
    assert view.commit == "c1"


def test_the_status_names_the_branch_and_what_was_written_into_the_repository() -> None:
    written = RefWritten(ref="refs/heads/thoughtforge/x", commit="c1", why="delivered")
    baseline = e.Measured(what="baseline", outcome="pass", summary="3 tests pass")
    told = as_data(details(story(WorkspaceMade(branch="thoughtforge/x"), baseline, written)))
    assert (told["branch"], told["refs"]) == ("thoughtforge/x", {"refs/heads/thoughtforge/x": "c1"})
    assert told["measured"] == {"baseline": {"outcome": "pass", "summary": "3 tests pass"}}
    fresh = as_data(details(story()))
    assert (fresh["branch"], fresh["refs"], fresh["measured"]) == (None, {}, {})


def test_the_full_status_of_a_finished_task_is_plain_json() -> None:
    state = fold(EMPTY, read_records(GOLDEN))
    shown = as_data(details(state))
    assert json.loads(json.dumps(shown)) == shown
    assert {key: shown[key] for key in ("state", "pipeline", "exit_stage", "hints", "events", "escalations")} == {
        "state": "done",
        "pipeline": "design",
        "exit_stage": "spec",
        "hints": ["Keep the text form as it is"],
        "events": 78,
        "escalations": [],
    }
    assert {name: stage["status"] for name, stage in shown["stages"].items()} == dict.fromkeys(
        ("intake", "clarify", "analyze", "spec"), "passed"
    )
    assert shown["exit"]["exit_type"] == "default"
    assert shown["continuation"]["provides"] == ["specification"]


def test_each_call_is_shown_with_its_end_and_what_was_done_with_it() -> None:
    failed = CallFailed(call="C-2", kind="timeout", error="no answer")
    action = ActionTaken(
        stage="intake", round=1, step=1, role="r", tool="read", params={"p": 1}, outcome="ok", summary="s"
    )
    log = [
        e.Record(n, at(n), event) for n, event in enumerate([call(1), ended(1), action, call(2), failed, call(3)], 1)
    ]
    first, second, third = timeline.steps(log)
    assert (first.result, first.prompt_tokens, first.usd, first.reply) == ("ok", 50, 0.5, "reply-1")
    assert first.action == {
        "tool": "read",
        "params": {"p": 1},
        "outcome": "ok",
        "summary": "s",
        "output": None,
        "note": "",
    }
    assert (second.result, second.error) == ("failed: timeout", "no answer")
    assert (third.result, third.reserved) == ("no end on record", {"tokens": 100, "usd": 1.0})
    assert [row.step for row in (first, second, third)] == [1, 2, 3]


def test_the_steps_of_a_real_task_are_all_there() -> None:
    rows = timeline.steps(read_records(GOLDEN))
    assert [row.step for row in rows] == list(range(1, 15))
    assert {row.result for row in rows} == {"ok"}
    assert [row.action["tool"] for row in rows if row.action] == [
        "search_codebase",
        "complete",
        "read_file",
        "read_file",
        "complete",
    ]


def test_a_summary_is_the_same_value_again_from_its_data() -> None:
    shown = summary(story(call(1), ended(1)))
    assert TaskSummary.of(json.loads(json.dumps(as_data(shown)))) == shown
    damaged = TaskSummary.damaged("20260101-abcd-a-task", "line 3 is broken")
    assert TaskSummary.of(as_data(damaged)) == damaged


def test_a_summary_without_the_fields_of_newer_versions_can_be_read() -> None:
    row = {key: value for key, value in FRESH.items() if key not in ("next_actions", "phase", "halted_in")}
    assert TaskSummary.of({**row, "something_else": 1}).next_actions == ()


@pytest.mark.parametrize(
    ("runner", "label"), [(None, "Its process is gone; continue"), ("ada (process 7)", "Watch it")]
)
def test_only_a_look_at_the_lease_tells_what_to_do_with_a_task_at_work(runner: str | None, label: str) -> None:
    state = story(RUNNER)
    assert summary(state).next_action is None
    shown = live(state, runner)
    assert (shown.runner, shown.summary.next_actions[0].label) == (runner, label)
    assert as_data(shown)["next_action"].startswith(f"{label}: thoughtforge ")
    assert shown.waits == (runner is None)


def test_the_end_of_a_run_gives_the_reason_also_when_it_is_not_on_record(tmp_path: Path) -> None:
    end = run_end(story(RUNNER), folder=tmp_path, reason=StopReason.file_system_error, detail="the disk is full")
    shown = as_data(end)
    assert (shown["exit_code"], shown["reason"], shown["state"], shown["detail"]) == (
        1,
        "file_system_error",
        "halted",
        "the disk is full",
    )
    assert shown["next_action"].startswith("Remove the cause it names")


def test_the_fields_of_a_short_value_stand_beside_those_of_a_longer_one() -> None:
    state = story()
    full = as_data(live(state, None))
    assert "overview" not in full
    assert {key: full[key] for key in FRESH} == FRESH
    assert as_data({"path": Path("a"), "many": ({"b": None},), "kept": frozenset([1])}) == {
        "path": "a",
        "many": [{"b": None}],
        "kept": [1],
    }
