"""What was handed in is kept: beside a corrected part, and for whoever reads the report."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

from flows.code_runs import HELD, NOTES, SUITE, build, make_tally, replies, says, script
from flows.test_depth import quick, run

REPAIRED = {**NOTES["changelog"][0], "kind": "Added"}
REFUSED = {**NOTES["changelog"][0], "kind": "nice"}


def test_a_corrected_part_of_the_notes_keeps_the_fields_beside_it(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = quick()
    first = {"files": [], "improvements": [], "delivery_notes": {**NOTES, "changelog": [REFUSED]}}
    rules["refactor"] = says("refactor", "complete", {"artifact": first})
    part = {"artifact": {"delivery_notes": {"changelog": [REPAIRED]}}}
    run(place, {"corrected": says("refactor", "complete", part, after="handed in, then refused"), **rules})
    report = yaml.safe_load((place.folder / "artifacts" / "deliver" / "delivery_report_final.yaml").read_text())
    assert (report["summary"], report["changelog"]) == (NOTES["summary"], NOTES["changelog"])


def test_what_was_refused_and_is_answered_is_not_shown_any_more(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = replies()
    rules["hand_in_tests"]["reply"]["params"] = {"artifact": {**SUITE, "held_back": HELD[:1]}}
    unlisted = copy.deepcopy(SUITE)
    unlisted["test_files"][0]["tests"].pop()
    then: dict[str, Any] = {"artifact": {**unlisted, "held_back": HELD}}
    last = {"artifact": SUITE}
    asked = {
        "third": says("red", "complete", last, after="tests_exist: fail"),
        "second": says("red", "complete", then, after="cases_held_back: fail"),
    }
    script(place, {**asked, **rules})
    assert build(place).code == 0
    assert "no held-back case" in place.contexts("red")[2]
    assert "no test decides REQ-001.2" in place.contexts("red")[3]
    assert "no held-back case" not in place.contexts("red")[3]


def test_the_report_tells_what_people_were_asked_and_answered(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = replies()
    question = {"question": "May one number have no gap?", "impact": "blocking"}
    asks = says("green", "escalate_question", question)
    rules["write_code"]["when"]["context"] = ["^stage: green$", "It has the gap 0"]
    script(place, {"hand_in_code": rules["hand_in_code"], **rules, "asks": asks})
    assert build(place).code == 3
    assert "May one number have no gap?" in place.run("escalations").out
    done = place.run("resolve", "E-1", "It has the gap 0, never none.")
    assert done.code == 0, done.out + done.err
    assert place.run("continue", place.task).code == 0
    text = (place.folder / "report.md").read_text()
    assert (
        "## What people were asked and answered\n\n- E-1 (green): May one number have no gap? → It has the gap 0,"
        in text
    )


def test_why_a_person_ended_a_task_is_on_record(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    question = {"question": "May one number have no gap?", "impact": "blocking"}
    script(place, {"asks": says("red", "escalate_question", question)})
    assert build(place).code == 3
    assert place.run("abort", place.task, "nobody needs it").code == 0
    assert place.run("status", place.task, "--json").json["detail"] == "nobody needs it"
