"""Questions: what the repository answers is answered from it, the rest reaches a person, all at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.place import ANSWERS, INTAKE, READ_REPORT, SPEC, Place, Rule, demo_reply, demo_rules, from_demo, make_place
from model_server import ModelServer

COLOUR = {"area": "colour", "question": "Should the JSON be coloured?", "impact": "blocking"}
README = "Reports list every item, also those with nothing in stock"
SURELY = "Surely, also those with nothing in stock."
"""The specification of the demonstration traces a requirement to these words."""
HOLDS = {"file": "README.md", "line": 6, "snippet": README}


def intake(*ambiguities: dict[str, str]) -> Rule:
    """An intake record with these open questions."""
    return {
        "when": {"context": "^stage: intake$"},
        "reply": {**demo_reply(INTAKE), "identified_ambiguities": ambiguities},
    }


def answers(*rows: dict[str, Any]) -> Rule:
    """A clarify stage that hands in these answers at once."""
    reply = demo_reply(ANSWERS)
    reply["params"]["artifact"]["answers"] = list(rows)
    return {"when": {"context": "^stage: clarify$"}, "reply": reply}


def row(number: int, confidence: float, *evidence: dict[str, Any]) -> dict[str, Any]:
    """One answer of the agent."""
    return {"question_id": f"Q-00{number}", "answer": SURELY, "confidence": confidence, "evidence": list(evidence)}


def asking(place: Place) -> None:
    """A request with two questions only a person can answer, and a third the agent may assume."""
    significant, minor = demo_reply(INTAKE)["identified_ambiguities"]
    place.script(
        intake(COLOUR, significant, minor),
        answers(row(1, 0.99), row(2, 0.3, HOLDS), row(3, 0.4)),
    )


def settled(place: Place) -> list[dict[str, Any]]:
    """The accepted clarification."""
    made = place.run("inspect", "--artifact", "clarification", "--json").json
    found: list[dict[str, Any]] = made["artifacts"]["clarification"]["questions"]
    return found


def test_unanswered_questions_reach_a_person_together_and_the_answers_are_used(place: Place) -> None:
    asking(place)
    done = place.design()
    assert (done.code, done.json["state"], done.json["reason"]) == (3, "needs_person", "question")
    (escalation,) = done.json["escalations"]
    assert (escalation["id"], escalation["stage"], escalation["reason"]) == ("E-1", "clarify", "ambiguity")
    assert [(q["id"], q["impact"]) for q in escalation["questions"]] == [
        ("Q-001", "blocking"),
        ("Q-002", "significant"),
    ]
    (listed,) = place.run("escalations", "list", "--json").json["escalations"]
    assert (listed["task"], listed["status"], listed["questions"]) == (place.task, "pending", escalation["questions"])
    text = place.run("escalations", "list").out
    assert "Should the JSON be coloured?" in text
    assert f"→ thoughtforge resolve {place.task}:E-1 ANSWER" in text
    half = place.run("resolve", "E-1", "--answer", "Q-001=Never in colour")
    assert (half.code, "no answer for Q-002" in half.err) == (2, True)
    wrong = place.run("resolve", "E-1", "--answer", "Q-009=What?", "--answer", "Q-001=x", "--answer", "Q-002=y")
    assert (wrong.code, "E-1 does not ask Q-009" in wrong.err) == (2, True)
    assert place.run("resolve", "E-1", "--answer", "Q-001=Never in colour", "--answer", "Q-002=All of them").code == 0
    assert place.run("escalations", "list").out == "nothing waits for you\n"
    before = len(place.events("call_started"))
    assert place.run("continue", "--json").code == 0
    later = place.events("call_started")[before:]
    assert "clarify" not in {call["stage"] for call in later}
    assert [(q["source"], q["answer"]) for q in settled(place)] == [
        ("human_escalation", "Never in colour"),
        ("human_escalation", "All of them"),
        ("assumption", SURELY),
    ]


def test_who_accepts_a_proposal_answers_with_it(place: Place) -> None:
    place.script(intake(COLOUR), answers(row(1, 0.2)))
    assert place.design().code == 3
    assert place.run("resolve", "E-1", "Yes, as proposed").code == 0
    told = f'as proposed: {SURELY} (the answer was "Yes, as proposed")'
    assert [e["answers"] for e in place.events("escalation_resolved")] == [{"Q-001": told}]
    place.run("continue", "--json")
    assert [q["answer"] for q in settled(place)] == [told]


@pytest.mark.parametrize(
    ("args", "stdin"),
    [
        (("E-1", "Never in colour"), ""),
        (("E-1", "-"), "Never in colour\n"),
        (("E-1", "--file", "-"), "Never in colour\n"),
        (("E-1", "--file", "answer.txt"), ""),
        (("last:E-1", "--answer", "*=Never in colour"), ""),
    ],
)
def test_an_answer_comes_as_argument_stdin_or_file(place: Place, args: tuple[str, ...], stdin: str) -> None:
    place.script(intake(COLOUR), answers(row(1, 0.2)))
    assert place.design().code == 3
    (place.repository / "answer.txt").write_text("Never in colour\n")
    assert place.run("resolve", *args, stdin=stdin).code == 0
    (resolved,) = place.events("escalation_resolved")
    assert (resolved["id"], resolved["choice"], resolved["answers"]) == ("E-1", "answer", {"*": "Never in colour"})


def test_resolving_without_an_answer_or_an_open_question_is_refused(place: Place) -> None:
    place.script(intake(COLOUR), answers(row(1, 0.2)))
    place.design()
    empty = place.run("resolve", "E-1", "--json")
    assert (empty.code, empty.json["error"]["what"]) == (2, "there is no answer")
    unknown = place.run("resolve", "E-7", "yes", "--json")
    assert (unknown.code, unknown.json["error"]["what"]) == (2, "there is no open question E-7")
    accept = place.run("resolve", "E-1", "--accept", "--json")
    assert (accept.code, accept.json["error"]["do"]) == (2, "Choices: answer, abort")
    assert place.events("escalation_resolved") == []
    assert place.run("resolve", "E-1", "--abort").code == 0
    status = place.run("status", "last", "--json")
    assert (status.code, status.json["state"], status.json["reason"]) == (0, "halted", "aborted")
    again = place.run("continue", "--json")
    assert (again.code, again.json["error"]["what"]) == (2, f"task {place.task} was aborted")


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        ({**HOLDS, "file": "NOWHERE.md"}, "NOWHERE.md: there is no file NOWHERE.md"),
        ({**HOLDS, "line": 60}, "README.md has 6 lines, not line 60"),
        ({**HOLDS, "line": 1}, "README.md: the snippet is at line 6, not 1"),
        ({**HOLDS, "snippet": "Reports are never coloured"}, "README.md does not contain"),
    ],
)
def test_evidence_that_does_not_hold_counts_for_nothing(place: Place, evidence: dict[str, Any], why: str) -> None:
    place.script(intake(COLOUR), answers(row(1, 1.0, evidence)))
    done = place.design()
    assert done.code == 3
    (question,) = done.json["escalations"][0]["questions"]
    assert question["text"] == COLOUR["question"]
    assert f"its evidence does not hold: {why}" in question["proposal"]


def test_an_answer_with_evidence_that_holds_needs_no_person(place: Place) -> None:
    place.script(intake(COLOUR), answers(row(1, 0.8, HOLDS)))
    assert place.design("--through", "analyze").code == 0
    (entry,) = settled(place)
    assert (entry["source"], entry["evidence"]) == ("agent_inference", [HOLDS])


def test_nothing_unclear_skips_the_stage_on_record(place: Place) -> None:
    place.script(intake())
    assert place.design("--through", "analyze").code == 0
    assert [(e["stage"], e["reason"]) for e in place.events("stage_skipped")] == [("clarify", "no_ambiguities")]
    assert place.run("status", "last", "--stage", "clarify", "--json").json["skipped"] == "no_ambiguities"


def test_a_persons_answer_is_in_the_next_request(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(from_demo(tmp_path, intake(COLOUR), answers(row(1, 0.2)))) as server:
        place.serve(server)
        assert place.design("--through", "analyze").code == 3
        asked = len(server.asked)
        assert place.run("resolve", "E-1", "Only on a Tuesday").code == 0
        assert place.run("continue", "--json").code == 0
        after = server.asked[asked:]
    assert "stage: analyze" in after[0].user
    assert "answer: Only on a Tuesday" in after[0].user
    assert "source: human_escalation" in after[0].user


def test_an_agent_may_ask_a_person_itself(place: Place) -> None:
    ask = {"tool": "escalate_question", "params": {"question": "Which shop is this?", "impact": "blocking"}}
    place.script({"when": {"context": "^stage: clarify$", "not": "The person answered"}, "reply": ask})
    done = place.design("--through", "analyze")
    assert done.code == 3
    (escalation,) = done.json["escalations"]
    assert (escalation["reason"], escalation["questions"][0]["text"]) == ("agent_question", "Which shop is this?")
    place.run("resolve", "E-1", "The one at the corner")
    assert place.run("continue", "--json").code == 0
    assert "### The person answered\n- Which shop is this? → The one at the corner" in place.contexts("clarify")[1]


def test_a_stage_that_never_ends_asks_a_person(place: Place) -> None:
    forbidden = {"tool": "run_tests", "params": {}}
    place.script(
        {"when": {"context": "^stage: analyze$", "not": "The person answered"}, "reply": forbidden},
        {"when": {"context": "^stage: analyze$", "not": "path=shelf/"}, "reply": demo_reply(READ_REPORT)},
        limits={"stage_steps": 3},
    )
    done = place.design("--through", "analyze")
    assert (done.code, done.json["escalations"][0]["reason"]) == (3, "step_limit")
    taken = [e for e in place.events("action_taken") if e["stage"] == "analyze"]
    assert [(e["tool"], e["outcome"]) for e in taken] == [("run_tests", "refused")] * 3
    place.run("resolve", "E-1", "Read the report")
    assert place.run("continue", "--json").code == 0


CODE_STAGES = ("red", "green", "refactor", "deliver")


def test_the_rules_of_the_demonstration_are_where_these_tests_expect_them() -> None:
    stages = [yaml.safe_dump(rule["when"]) for rule in demo_rules()]
    assert ("intake" in stages[INTAKE], "clarify" in stages[ANSWERS], "spec" in stages[SPEC]) == (True, True, True)
    code = [rule for rule in stages[SPEC + 1 :] if not any(word in rule for word in CODE_STAGES)]
    assert (code, len(stages) > SPEC + 1) == ([], True)
