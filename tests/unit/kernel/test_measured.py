"""What the engine measured: kept apart for task and stage, worthless once the inputs change."""

from __future__ import annotations

from thoughtforge.kernel import events as e
from unit.kernel.making import begun, story


def measured(what: str, stage: str = "spec", outcome: str = "pass") -> e.Measured:
    return e.Measured.model_validate({"what": what, "stage": stage, "outcome": outcome, "summary": "s"})


def test_what_holds_for_the_whole_task_is_kept_apart_from_what_holds_for_a_stage() -> None:
    state = story(measured("baseline", stage=""), begun("spec"), measured("exit"), measured("exit", outcome="fail"))
    assert [(what, one.outcome) for what, one in state.measured.items()] == [("baseline", "pass")]
    assert [(what, one.outcome) for what, one in state.stage("spec").measured.items()] == [("exit", "fail")]


def test_other_inputs_make_every_measurement_of_a_stage_worthless() -> None:
    again = story(begun("spec", "x"), measured("exit"), begun("spec", "y", round=2))
    assert again.stage("spec").measured == {}
    same = story(begun("spec", "x"), measured("exit"), begun("spec", "x", round=2))
    assert list(same.stage("spec").measured) == ["exit"]
