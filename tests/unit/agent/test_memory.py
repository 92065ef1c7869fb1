"""What an agent remembers of its stage, and what it forgets when."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.memory import KEPT_NOTES, KEPT_TRAIL, MEMORIES, Memory
from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
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
