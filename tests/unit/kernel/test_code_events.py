"""Events of the stages that write code: what the state remembers of them, and what it forgets when."""

from __future__ import annotations

from typing import Any

from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import KEPT_TRAIL
from unit.kernel.making import begun, passed, raised, story


def measured(what: str, stage: str = "spec", outcome: str = "pass", **fields: Any) -> e.Measured:
    return e.Measured.model_validate({"what": what, "stage": stage, "outcome": outcome, "summary": "s", **fields})


def acted(tool: str = "edit_file", *, step: int = 1, tree: str = "", **fields: Any) -> e.ActionTaken:
    given = {"stage": "spec", "round": 1, "step": step, "role": "r", "tool": tool, "outcome": "ok", "summary": "s"}
    return e.ActionTaken.model_validate({**given, "tree": tree, **fields})


def planned(path: str) -> e.EditPlanned:
    return e.EditPlanned(stage="spec", step=1, path=path, before=None, after="d")


def test_what_holds_for_the_whole_task_is_kept_apart_from_what_holds_for_a_stage() -> None:
    state = story(measured("baseline", stage=""), begun("spec"), measured("exit"), measured("exit", outcome="fail"))
    assert [(what, one.outcome) for what, one in state.measured.items()] == [("baseline", "pass")]
    assert [(what, one.outcome) for what, one in state.stage("spec").measured.items()] == [("exit", "fail")]


def test_an_edit_is_open_until_its_action_has_an_end() -> None:
    plans = (planned("a.py"), planned("b.py"))
    assert story(begun("spec"), *plans).pending == plans
    assert story(begun("spec"), *plans, acted()).pending == ()


def test_the_branch_the_commit_and_the_refs_are_those_on_record() -> None:
    state = story(
        e.WorkspaceMade(branch="thoughtforge/x"),
        begun("spec"),
        e.CommitMade(stage="spec", commit="c1", tree="t1"),
        e.RefWritten(ref="refs/heads/thoughtforge/x", commit="c1", why="delivered"),
        e.RefWritten(ref="refs/heads/main", commit="c2", why="applied"),
    )
    assert (state.branch, state.stage("spec").commit) == ("thoughtforge/x", "c1")
    assert state.refs == {"refs/heads/thoughtforge/x": "c1", "refs/heads/main": "c2"}


def test_the_same_action_with_the_same_result_leaves_the_same_mark_and_another_result_another() -> None:
    same = [acted(params={"path": "a.py"}, step=step, tree="T") for step in (1, 2)]
    state = story(begun("spec"), *same, acted(params={"path": "a.py"}, summary="other", tree="T"))
    first, second, third = state.stage("spec").trail
    assert first == second
    assert (third.tree, third.mark == first.mark) == ("T", False)
    long = story(begun("spec"), *(acted(step=step) for step in range(KEPT_TRAIL + 5)))
    assert len(long.stage("spec").trail) == KEPT_TRAIL


def test_once_told_of_circles_the_trail_begins_again_and_a_persons_help_takes_the_word_back() -> None:
    told = story(begun("spec"), acted(), acted(), measured("circles", outcome="fail"))
    assert (told.stage("spec").trail, "circles" in told.stage("spec").measured) == ((), True)
    helped = story(
        begun("spec"),
        measured("circles", outcome="fail"),
        acted(),
        raised("spec", "no_progress"),
        e.EscalationResolved(id="E-1", answers={"*": "Look elsewhere"}, by="ada"),
    )
    assert (helped.stage("spec").trail, "circles" in helped.stage("spec").measured) == ((), False)


def test_refutations_are_counted_until_a_person_helps() -> None:
    refuted = [measured("held_back", outcome="fail"), measured("exit", outcome="fail")] * 2
    assert story(begun("spec"), *refuted).stage("spec").refuted == 2
    assert story(begun("spec"), measured("held_back_cases")).stage("spec").refuted == 0
    helped = story(
        begun("spec"), *refuted, raised("spec"), e.EscalationResolved(id="E-1", answers={"*": "x"}, by="ada")
    )
    assert helped.stage("spec").refuted == 0


def test_other_inputs_make_every_measurement_of_a_stage_worthless() -> None:
    again = story(begun("spec", "x"), measured("exit"), begun("spec", "y", round=2))
    assert again.stage("spec").measured == {}
    same = story(begun("spec", "x"), measured("exit"), begun("spec", "x", round=2))
    assert list(same.stage("spec").measured) == ["exit"]


def test_an_action_of_version_1_is_raised_to_one_without_a_tree() -> None:
    old = acted().model_dump(mode="json") | {"version": 1}
    del old["tree"]
    assert e.read_event(old) == acted()


def test_a_stage_that_passed_keeps_its_commit() -> None:
    state = story(begun("spec"), e.CommitMade(stage="spec", commit="c1", tree="t1"), *passed("spec", "a"))
    assert (state.stage("spec").status, state.stage("spec").commit) == ("passed", "c1")
