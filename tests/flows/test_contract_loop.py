"""An artifact that breaks its contract goes back with everything that is wrong, twice, and then to a person."""

from __future__ import annotations

import pytest

from harness.place import ANALYSIS, CLEAN, READ_REPORT, SPEC, Place, Rule, demo_reply

SPEC_STAGE = {"context": "^stage: spec$", "not": "role `security_architect`"}

BEGIN = {"when": {"context": "^stage: analyze$", "not": "path=shelf/"}, "reply": demo_reply(READ_REPORT)}
"""Where the analysis begins, also after something else was tried."""


def broken() -> dict[str, object]:
    """A specification with three things wrong."""
    reply = demo_reply(SPEC)
    reply["title"] = ""
    reply["requirements"][0]["trace"] = "nobody ever said so"
    reply["files_to_modify"] = ["../outside.py"]
    return reply


def test_violations_go_back_twice_and_then_to_a_person(place: Place) -> None:
    stuck = {"context": "^stage: spec$", "not": ["role `security_architect`", "The person answered"]}
    content = {"when": {"system": "role `security_architect`"}, "reply": demo_reply(CLEAN)}
    place.script({"when": stuck, "reply": broken()}, content)
    done = place.design()
    assert (done.code, done.json["reason"]) == (3, "question")
    gates = [e["verdict"] for e in place.events("gate_decided") if e["stage"] == "spec"]
    assert [verdict["outcome"] for verdict in gates] == ["fail"] * 3
    wrong = [f"{p['where']}: {p['what']}" for p in gates[0]["problems"]]
    places = {"title", "requirements[0].trace", "files_to_modify[0]", "requirements_addressed"}
    assert {p["where"] for p in gates[0]["problems"]} == places
    first, second, third = place.contexts("spec")
    told = [[line in context for line in wrong] for context in (first, second, third)]
    assert told == [[False] * len(wrong), [True] * len(wrong), [True] * len(wrong)]
    assert "The last version broke its contract; fix every point (iteration 2)" in third
    (escalation,) = done.json["escalations"]
    assert (escalation["stage"], escalation["reason"]) == ("spec", "contract_violations")
    assert [line in escalation["questions"][0]["text"] for line in wrong] == [True] * len(wrong)
    assert place.run("resolve", "E-1", "Name the files that exist").code == 0
    assert place.run("continue", "--json").code == 0
    assert (
        "### The person answered\n- How should specification be fixed? → Name the files that exist"
        in place.contexts("spec")[3]
    )


@pytest.mark.parametrize(
    "spoilt",
    [
        {"reply": broken()},
        {"malformed": True},
        {"reply": "I would rather talk about it first."},
        {"reply": ["a list", "is no object"]},
    ],
)
def test_an_honest_repair_after_one_violation_ends_done(place: Place, spoilt: Rule) -> None:
    place.script({"when": SPEC_STAGE, "times": 1, **spoilt})
    assert place.design().code == 0
    outcomes = [e["verdict"]["outcome"] for e in place.events("gate_decided") if e["stage"] == "spec"]
    assert outcomes == ["fail", "pass", "pass"]
    assert [r["id"] for r in place.specification()["requirements"]] == ["REQ-001", "REQ-002", "REQ-003", "REQ-004"]


def test_an_action_that_is_no_action_costs_a_step_and_is_told(place: Place) -> None:
    place.script({"when": {"context": "^stage: analyze$"}, "times": 1, "reply": "Let me think."}, BEGIN)
    assert place.design("--through", "analyze").code == 0
    taken = [(e["tool"], e["outcome"]) for e in place.events("action_taken") if e["stage"] == "analyze"]
    assert taken == [("none", "error"), ("read_file", "ok"), ("read_file", "ok"), ("complete", "ok")]
    assert "the answer was not one JSON object" in place.contexts("analyze")[1]


def test_an_analysis_whose_evidence_is_made_up_goes_back(place: Place) -> None:
    reply = demo_reply(ANALYSIS)
    reply["params"]["artifact"]["evidence"][0]["snippet"] = "ordered = random.shuffle(items)"
    place.script({"when": {"context": ["^stage: analyze$", "path=shelf/cli.py"]}, "times": 1, "reply": reply})
    assert place.design("--through", "analyze").code == 0
    verdicts = [e["verdict"] for e in place.events("gate_decided") if e["stage"] == "analyze"]
    assert [v["outcome"] for v in verdicts] == ["fail", "pass"]
    assert [p["where"] for p in verdicts[0]["problems"]] == ["evidence"]


def test_an_analysis_that_quotes_nothing_is_sent_back(place: Place) -> None:
    lazy = demo_reply(ANALYSIS)
    lazy["params"]["artifact"]["evidence"] = []
    place.script(
        BEGIN,
        {"when": {"context": ["^stage: analyze$", "path=shelf/cli.py"], "not": "it quotes nothing"}, "reply": lazy},
    )
    done = place.design("--through", "analyze")
    gates = [e["verdict"] for e in place.events("gate_decided") if e["stage"] == "analyze"]
    assert (done.code, [verdict["outcome"] for verdict in gates]) == (0, ["fail", "pass"])
    assert [p["where"] for p in gates[0]["problems"]] == ["evidence"]
