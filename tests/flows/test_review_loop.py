"""The security review: blocking issues go back by id, at most three reviews, never clean by accident."""

from __future__ import annotations

import pytest

from harness import LIBRARY, git
from harness.place import BLOCKED, CLEAN, SPEC, Place, Rule, demo_reply

REVIEWER = {"system": "role `security_architect`"}


def reviews(place: Place) -> list[tuple[int, list[str], list[str]]]:
    """Iteration, blocking ids and advisory ids of each review."""
    given = place.events("review_given")
    return [(e["iteration"], [i["id"] for i in e["blocking"]], [i["id"] for i in e["advisory"]]) for e in given]


def stubborn() -> Rule:
    """A reviewer nothing ever satisfies."""
    return {"when": REVIEWER, "reply": demo_reply(BLOCKED)}


def test_a_blocking_issue_goes_back_by_its_id_and_is_reviewed_again(place: Place) -> None:
    done = place.design()
    assert (done.code, done.json["open_issues"]) == (0, [])
    assert reviews(place) == [(1, ["SEC-001"], ["SEC-002"]), (2, [], ["SEC-002"])]
    made = [(e["round"], e["answers"]) for e in place.events("artifact_made") if e["stage"] == "spec"]
    assert made == [(1, []), (2, ["SEC-001"])]
    _, revised = place.contexts("spec", "work")
    assert "A reviewer blocks the last version; answer every point by its id (iteration 1)" in revised
    assert "- SEC-001 (high) requirements.REQ-002: Every field of an item includes" in revised


def test_what_is_never_resolved_reaches_a_person_who_may_accept_it(place: Place) -> None:
    place.script(stubborn())
    done = place.design()
    assert (done.code, done.json["reason"], done.json["open_issues"]) == (3, "question", ["SEC-001"])
    assert [iteration for iteration, _, _ in reviews(place)] == [1, 2, 3]
    (escalation,) = done.json["escalations"]
    assert (escalation["reason"], escalation["choices"]) == ("review_unresolved", ["answer", "accept", "abort"])
    assert escalation["summary"] == "1 blocking issues are left after 3 reviews of spec"
    assert "- SEC-001 (high): Every field of an item includes" in escalation["questions"][0]["text"]
    assert place.run("resolve", "E-1", "--accept").code == 0
    gone = place.run("continue", "--json")
    assert (gone.code, gone.json["state"], gone.json["open_issues"]) == (0, "done", ["SEC-001"])
    passed = [e for e in place.events("stage_passed") if e["stage"] == "spec"]
    assert [(e["accepted_by_person"], e["open_issues"]) for e in passed] == [(True, ["SEC-001"])]
    stage = place.run("status", "last", "--stage", "spec", "--json").json
    assert (stage["accepted_by_person"], stage["blocking"]) == (True, ["SEC-001"])


def test_a_persons_answer_to_a_review_starts_it_afresh(place: Place) -> None:
    stuck = {"context": "^stage: spec$", "not": ["role `security_architect`", "The person answered"]}
    place.script({"when": stuck, "reply": demo_reply(SPEC)})
    assert place.design().code == 3
    assert place.run("resolve", "E-1", "Show name and count only").code == 0
    done = place.run("continue", "--json")
    assert (done.code, done.json["open_issues"]) == (0, [])
    assert [(number, blocking) for number, blocking, _ in reviews(place)] == [
        (1, ["SEC-001"]),
        (2, ["SEC-001"]),
        (3, ["SEC-001"]),
        (1, []),
    ]
    assert "Show name and count only" in place.contexts("spec", "work")[3]


def test_an_advisory_review_never_blocks(place: Place) -> None:
    text = (LIBRARY / "pipelines" / "design.yaml").read_text().replace("review_mode: blocking", "review_mode: advisory")
    override = place.home / "pipelines" / "design.yaml"
    override.parent.mkdir()
    override.write_text(text)
    git("add", "-f", str(override), cwd=place.repository)
    git("commit", "-q", "-m", "Advice only", cwd=place.repository)
    place.script(stubborn())
    done = place.design()
    assert (done.code, done.json["open_issues"]) == (0, [])
    assert reviews(place) == [(1, ["SEC-001"], ["SEC-002"])]
    assert place.events("review_given")[0]["mode"] == "advisory"


@pytest.mark.parametrize("severity", ["critical", "high"])
def test_an_advisory_issue_of_the_worst_severity_blocks(place: Place, severity: str) -> None:
    sly = demo_reply(CLEAN)
    sly["advisory_issues"][0] |= {"severity": severity, "id": "SEC-009"}
    place.script({"when": REVIEWER, "times": 1, "reply": sly})
    assert place.design().code == 0
    assert reviews(place)[0] == (1, ["SEC-009"], [])
    assert "- SEC-009" in place.contexts("spec", "work")[1]


def test_an_unreadable_review_is_asked_for_again_then_halts_and_can_go_on(place: Place) -> None:
    place.script({"when": REVIEWER, "reply": "Looks fine to me!"})
    done = place.design()
    assert (done.code, done.json["state"], done.json["reason"]) == (1, "halted", "check_broken")
    assert "the review of spec by security_architect could not be parsed" in done.json["detail"]
    contexts = place.contexts("spec", "review")
    assert ["your last answer was invalid" in context for context in contexts] == [False, True, True]
    assert (reviews(place), place.events("pipeline_exited")) == ([], [])
    place.script()
    again = place.run("continue", "--json")
    assert (again.code, again.json["state"]) == (0, "done")


def test_one_unreadable_review_does_not_stop_the_work(place: Place) -> None:
    incomplete = {key: value for key, value in demo_reply(CLEAN).items() if key != "blocking_issues"}
    place.script({"when": REVIEWER, "times": 1, "reply": incomplete})
    assert place.design().code == 0
    assert reviews(place) == [(1, ["SEC-001"], ["SEC-002"]), (2, [], ["SEC-002"])]
