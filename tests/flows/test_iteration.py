"""A person at the wheel: approve, ask for a revision, send back, end here; and no pause nobody asked for."""

from __future__ import annotations

import pytest
import yaml

from harness import REQUEST
from harness.place import CLEAN, Place, demo_reply

CONTENT = {"when": {"system": "role `security_architect`"}, "reply": demo_reply(CLEAN)}
"""A reviewer who blocks nothing."""


def go_on(place: Place) -> tuple[int, str]:
    """Continue: exit code and reason."""
    done = place.run("continue", "--json")
    return done.code, done.json["reason"]


def test_iterate_pauses_at_the_specification_and_says_how_to_go_on(place: Place) -> None:
    done = place.run("design", REQUEST, "--iterate")
    assert done.code == 3
    task = place.task
    assert "waits for you: spec, version 1" in done.out
    assert (
        f"→ Decide: thoughtforge approve {task} | feedback {task} TEXT | reject {task} TEXT | approve {task} --exit"
        in done.out
    )
    assert go_on(place) == (3, "approval")
    assert place.run("approve", task).code == 0
    assert go_on(place) == (0, "done")
    assert [e["stage"] for e in place.events("iteration_presented")] == ["spec"]
    assert place.events("decision_made")[0]["decision"] == "approve"


def test_feedback_leads_to_a_revision_that_has_it_and_the_review_starts_afresh(place: Place) -> None:
    assert place.design("--iterate").code == 3
    assert place.run("feedback", "last", "Say what happens to an empty file").code == 0
    assert go_on(place) == (3, "approval")
    revision = place.contexts("spec", "work")[2]
    assert "### The person asks for a revision (iteration 1)\n- Say what happens to an empty file" in revision
    assert "### your last version" in revision


def test_structured_feedback_is_told_in_order_of_weight(place: Place) -> None:
    place.script(CONTENT)
    assert place.design("--iterate").code == 3
    issues = [
        {"issue": "Name the encoding", "priority": "should_consider"},
        {
            "issue": "No criterion for errors",
            "location": "REQ-001",
            "suggestion": "add one",
            "priority": "must_address",
        },
    ]
    file = place.repository / "feedback.yaml"
    file.write_text(yaml.safe_dump({"overall_comments": "Nearly there", "specific_issues": issues}))
    assert place.run("feedback", "last", "--file", str(file)).code == 0
    assert go_on(place) == (3, "approval")
    points = (
        "- Nearly there",
        "- [must address] REQ-001: No criterion for errors — add one",
        "- [should consider] Name the encoding",
    )
    told = "\n".join(points)
    assert told in place.contexts("spec", "work")[1]


@pytest.mark.parametrize(
    ("feedback", "what"),
    [
        ({"specific_issues": [{"issue": "x", "priority": "urgent"}]}, "unknown priority urgent"),
        ({"specific_issues": [{"location": "x"}]}, "specific_issues must be a list of points with `issue`"),
        ({}, "there is no feedback"),
    ],
)
def test_feedback_that_says_nothing_is_refused(place: Place, feedback: dict[str, object], what: str) -> None:
    file = place.repository / "feedback.yaml"
    file.write_text(yaml.safe_dump(feedback))
    place.home.joinpath("tasks").mkdir()
    done = place.run("feedback", "last", "--file", str(file), "--json")
    assert (done.code, what in done.json["error"]["what"]) == (2, True)


def test_the_fifth_version_is_the_last_and_the_rest_is_offered(place: Place) -> None:
    place.script(CONTENT)
    assert place.design("--iterate").code == 3
    for _ in range(4):
        assert place.run("feedback", "last", "Once more").code == 0
        assert go_on(place) == (3, "approval")
    refused = place.run("feedback", "last", "Once more", "--json")
    assert (refused.code, refused.json["error"]["do"]) == (
        2,
        "Choose: approve, reject, or approve --exit to keep this version.",
    )
    assert [e["iteration"] for e in place.events("iteration_presented")] == [1, 2, 3, 4, 5]
    assert place.run("approve", "last", "--exit").code == 0
    assert go_on(place) == (0, "done")
    (exited,) = place.events("pipeline_exited")
    assert (exited["stage"], exited["exit_type"]) == ("spec", "user")


def test_reject_goes_back_to_the_stage_before_with_the_reason(place: Place) -> None:
    place.script(CONTENT)
    assert place.design("--iterate").code == 3
    assert place.run("reject", "last", "You looked at the wrong module").code == 0
    before = len(place.events("call_started"))
    assert go_on(place) == (3, "approval")
    stages = [e["stage"] for e in place.events("call_started")[before:]]
    assert (stages[0], stages[-1]) == ("analyze", "spec")
    again = [e["round"] for e in place.events("stage_started") if e["stage"] == "analyze"]
    assert again == [1, 2]
    first_again = place.contexts("analyze")[3]
    assert "- You looked at the wrong module" in first_again


def test_supervised_pauses_after_every_stage(place: Place) -> None:
    assert place.design("--supervised", "--through", "analyze").code == 3
    ends = []
    for _ in range(3):
        assert place.run("approve").code == 0
        ends.append(go_on(place))
    assert ends == [(3, "approval"), (3, "approval"), (0, "done")]
    assert [e["stage"] for e in place.events("iteration_presented")] == ["intake", "clarify", "analyze"]


def test_a_pause_can_be_asked_for_at_one_stage(place: Place) -> None:
    unknown = place.design("--approve", "nonsense")
    assert (unknown.code, unknown.json["error"]["do"]) == (2, "Stages: intake, clarify, analyze, spec")
    assert place.design("--approve", "analyze").code == 3
    assert [(e["stage"], e["iteration"]) for e in place.events("iteration_presented")] == [("analyze", 1)]
    assert place.run("approve", "--exit").code == 0
    assert go_on(place) == (0, "done")
    (exited,) = place.events("pipeline_exited")
    assert (exited["stage"], exited["deliverable"]) == ("analyze", "analysis")


def test_deciding_when_nothing_waits_says_how_the_task_stands(place: Place) -> None:
    done = place.design()
    assert (done.code, place.events("iteration_presented")) == (0, [])
    size = len(place.events())
    for args in (("approve", "last"), ("reject", "last", "no"), ("feedback", "last", "more")):
        refused = place.run(*args, "--json")
        why = "feedback does not fit here" if args[0] == "feedback" else "nothing waits for a decision"
        what = f"{why}; task {place.task} is done (done)"
        assert (refused.code, refused.json["error"]["what"]) == (2, what)
    assert len(place.events()) == size
