"""What an agent remembers of its stage, and what it forgets when."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.memory import KEPT_NOTES, KEPT_TRAIL, MEMORIES, Memory
from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Issue
from unit.kernel.making import begun, folded, raised

HELPED = e.EscalationResolved(id="E-1", answers={"*": "Look elsewhere"}, by="ada")


def measured(what: str, outcome: str = "pass") -> e.Measured:
    return e.Measured.model_validate({"what": what, "stage": "spec", "outcome": outcome, "summary": "s"})


def acted(tool: str = "edit_file", *, step: int = 1, tree: str = "", **fields: Any) -> ActionTaken:
    given = {"stage": "spec", "round": 1, "step": step, "role": "r", "tool": tool, "outcome": "ok", "summary": "s"}
    return ActionTaken.model_validate({**given, "tree": tree, **fields})


def remembered(*events: e.Event) -> Memory:
    """What the agent of `spec` remembers after these events."""
    return folded(MEMORIES, *events).stage("spec")


def test_the_newest_notes_and_actions_are_kept() -> None:
    mine = remembered(*(acted(step=n, note=f"n{n}") for n in range(60)))
    assert mine.notes == tuple(f"n{n}" for n in range(60))[-KEPT_NOTES:]
    assert [action.step for action in mine.recent] == [57, 58, 59]


def test_the_same_action_with_the_same_result_leaves_the_same_mark_and_another_result_another() -> None:
    same = [acted(params={"path": "a.py"}, step=step, tree="T") for step in (1, 2)]
    first, second, third = remembered(
        begun("spec"), *same, acted(params={"path": "a.py"}, summary="other", tree="T")
    ).trail
    assert first == second
    assert (third.tree, third.mark == first.mark) == ("T", False)
    assert len(remembered(begun("spec"), *(acted(step=step) for step in range(KEPT_TRAIL + 5))).trail) == KEPT_TRAIL


def test_once_told_of_circles_the_trail_begins_again_and_a_persons_help_takes_the_word_back() -> None:
    circles = measured("circles", outcome="fail")
    told = remembered(begun("spec"), acted(), acted(), circles)
    assert (told.trail, told.circles) == ((), circles)
    helped = remembered(begun("spec"), circles, acted(), raised("spec", "no_progress"), HELPED)
    assert (helped.trail, helped.circles) == ((), None)


def test_a_round_that_begins_again_forgets_actions_and_circles_but_not_notes() -> None:
    again = remembered(begun("spec"), acted(note="n"), measured("circles"), begun("spec", round=2))
    assert (again.notes, again.recent, again.trail, again.circles) == (("n",), (), (), None)


def test_refutations_are_counted_until_a_person_helps_or_the_inputs_change() -> None:
    refuted = [measured("held_back", outcome="fail"), measured("exit", outcome="fail")] * 2
    assert remembered(begun("spec"), *refuted).refuted == 2
    assert remembered(begun("spec"), measured("held_back_cases")).refuted == 0
    assert remembered(begun("spec"), *refuted, raised("spec"), HELPED).refuted == 0
    assert remembered(begun("spec"), *refuted, begun("spec", round=2)).refuted == 2
    assert remembered(begun("spec"), *refuted, begun("spec", "other", round=2)).refuted == 0


def test_an_abort_is_no_help() -> None:
    refuted = measured("held_back", outcome="fail")
    ended = e.EscalationResolved(id="E-1", choice="abort", by="ada")
    assert remembered(begun("spec"), refuted, raised("spec"), ended).refuted == 1


def exit_with(*failing: tuple[str, str]) -> e.Measured:
    rows = [{"name": name, "outcome": "fail", "detail": detail} for name, detail in failing]
    given = {"what": "exit", "stage": "spec", "outcome": "fail" if failing else "pass", "summary": "s"}
    return e.Measured.model_validate({**given, "criteria": rows})


def test_what_was_refused_in_a_round_is_remembered_until_the_exit_holds_or_the_round_ends() -> None:
    early, late = ("all_tests_fail", "test_a passed"), ("tests_exist", "no test decides REQ-004.1")
    refused = [begun("spec"), exit_with(early), exit_with(late), exit_with(late)]
    assert remembered(*refused).refusals == (early, late)
    assert remembered(*refused, exit_with()).refusals == ()
    assert remembered(*refused, begun("spec", round=2)).refusals == ()


def test_a_note_sent_with_an_action_that_was_not_done_is_not_kept() -> None:
    mine = remembered(begun("spec"), acted(note="done", outcome="error"), acted(note="seen"))
    assert mine.notes == ("seen",)


def test_hand_ins_last_for_a_round_and_issues_of_reviews_as_long_as_the_inputs() -> None:
    issue = Issue(id="SEC-001", severity="high", location="here", description="a hole", remediation="close it")
    given = e.ReviewGiven(
        stage="spec",
        round=1,
        iteration=1,
        reviewer="x",
        mode="blocking",
        artifact="a" * 64,
        review="b" * 64,
        blocking=(issue,),
    )
    events = (begun("spec"), acted("complete", output="c" * 64), acted("read_file", output="d" * 64), given)
    told = ("SEC-001 (high) here: a hole → close it",)
    now, next_round = remembered(*events), remembered(*events, begun("spec", round=2))
    other = begun("spec", "e" * 64, round=2)
    assert (now.handed, now.raised) == (("c" * 64,), told)
    assert (next_round.handed, next_round.raised) == ((), told)
    assert (remembered(*events, other).handed, remembered(*events, other).raised) == ((), ())
