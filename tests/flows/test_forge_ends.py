"""How a forge ends other than well: cancelled, interrupted, unread, capped, refuted; and what goes on from there."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from flows.forge_runs import (
    AUDITS,
    BLOCKING,
    DRAFT,
    DRAFTS,
    MINOR,
    REVISES,
    WISH,
    forging,
    found,
    make_plans,
    prompted,
    script,
)
from harness.place import Place, Rule, ended, running, until


def with_rules(place: Place, *first: Rule, **config: Any) -> None:
    """The usual replies after these."""
    rules = {f"first-{number}": rule for number, rule in enumerate(first)}
    script(place, {**rules, **forging()}, **config)


def status_of(place: Place) -> str:
    """What the record says."""
    return str(place.run("plan", "show", "plan-001", "--json").json["status"])


def kinds(place: Place) -> list[str]:
    return [event["type"] for event in place.events()]


def hanging(place: Place) -> None:
    """The auditor does not answer."""
    with_rules(place, {**prompted(AUDITS, found()), "delay": 600})


def called(place: Place) -> bool:
    """Whether the auditor was called."""
    if not (place.home / "tasks" / "plan-001").is_dir():
        return False
    return any(event["role"] == "auditor" for event in place.events("call_started"))


def test_cancelling_ends_a_hanging_call_at_once(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    hanging(place)
    with running(place.spawn("forge", WISH)) as process:
        until(lambda: called(place), "the call of the auditor")
        assert place.run("forge", "status").code == 0  # what commands are forked from is ready
        began = time.monotonic()
        asked = place.run("forge", "cancel", "--json")  # forked: the start of an interpreter is no part of it
        took = time.monotonic() - began
        done = ended(process)
    assert (asked.code, asked.json["status"], done.code) == (1, "CANCELLED", 1), asked.out + done.err
    assert took <= 2, took
    assert status_of(place) == "CANCELLED"
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(place.repository) not in left
    again = place.run("forge", "cancel", "plan-001", "--json")
    assert (again.code, again.json["what"]) == (1, "it was cancelled already")


def test_a_cancelled_plan_is_taken_up_again_as_a_draft(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    hanging(place)
    with running(place.spawn("forge", WISH)) as process:
        until(lambda: called(place), "the call of the auditor")
        place.run("forge", "cancel", "plan-001")
        ended(process)
    script(place)
    done = place.run("forge", "plan-001", "--json")
    assert (done.code, done.json["status"]) == (3, "REVIEW"), done.out + done.err
    assert kinds(place).count("plan_researched") == 1  # what was done before the end is kept


def test_ctrl_c_leaves_a_draft_that_goes_on(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    hanging(place)
    with running(place.spawn("forge", WISH)) as process:
        until(lambda: called(place), "the call of the auditor")
        process.send_signal(signal.SIGINT)
        done = ended(process)
    assert (done.code, status_of(place)) == (130, "DRAFT"), done.err
    script(place)
    done = place.run("forge", "1", "--json")
    assert (done.code, done.json["status"]) == (3, "REVIEW"), done.out + done.err
    assert kinds(place).count("plan_written") == 2


def test_an_answer_that_is_no_verdict_is_asked_for_again_and_approves_nothing(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    with_rules(place, prompted(AUDITS, "I looked at all of it."))
    done = place.run("forge", WISH, "--json")
    assert (done.code, done.json["status"], done.json["reason"]) == (3, "DRAFT", "plan_unparsed"), done.out
    assert len([e for e in place.events("call_started") if e["role"] == "auditor"]) == 2
    assert (done.json["audits"][0]["outcome"], done.json["audits"][0]["source"]) == ("unparsed", "unrecognised")
    refused = place.run("plan", "approve", "plan-001", "--json")
    assert (refused.code, refused.json["error"]["what"]) == (2, "plan-001 is DRAFT and cannot become APPROVED")
    script(place)
    done = place.run("forge", "plan-001", "--json")
    assert (done.code, done.json["status"]) == (3, "REVIEW"), done.out


def test_a_person_may_approve_without_an_audit_and_is_on_record(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    with_rules(place, prompted(AUDITS, "I looked at all of it."))
    place.run("forge", WISH)
    done = place.run("plan", "approve", "plan-001", "--unaudited", "I read it myself", "--json", USER="ada")
    assert (done.code, done.json["status"]) == (0, "APPROVED"), done.out
    (approved,) = place.events("plan_approved")
    assert approved["unaudited"] == "I read it myself"
    moves = [(e["before"], e["after"]) for e in place.events("plan_moved")]
    assert moves == [("DRAFT", "REVIEW")]


def test_what_the_engine_found_counts_in_the_severity_of_an_audit(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    with_rules(place, prompted(DRAFTS, {**DRAFT, "scope": "TODO"}), prompted(AUDITS, found(MINOR)))
    done = place.run("forge", WISH, "--json")
    (audit,) = done.json["audits"]
    assert (done.json["status"], audit["outcome"], audit["severity"]) == ("REVIEW", "pass", "medium"), done.out


def test_a_plan_rewritten_after_its_audit_is_approved_as_such(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    place.run("forge", WISH)
    (path,) = (place.home / "plans").glob("plan-001-[!p]*.md")
    path.write_text(path.read_text().replace("No new command.", "And every old command goes."))
    done = place.run("plan", "approve", "plan-001", "--json")
    assert (done.json["status"], done.json["notes"]) == ("APPROVED", ["it was edited since its audit"]), done.out
    (approved,) = place.events("plan_approved")
    assert (approved["edited"], place.run("plan", "show", "1", "--json").json["edited_since_audit"]) == (True, True)
    assert "  edited since its audit" in place.run("plan", "show", "1").out.splitlines()


def rising(number: int) -> dict[str, Any]:
    """A blocking finding that no other one is."""
    title, description = [
        ("Callers are forgotten", "billing.py passes decimals to total, which widest cannot take."),
        ("No index", "Looking a month up reads the whole table every time."),
        ("A lock is missing", "Two threads may write this cache at once and lose an entry."),
    ][number]
    return {**BLOCKING, "title": title, "description": description}


def revision(number: int) -> dict[str, Any]:
    """A revision that can be told from the others."""
    return {"sections": [{"heading": "Scope", "text": f"A function and nothing else, version {number}."}]}


def test_at_the_cap_the_plan_is_put_before_a_person_as_capped(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    with_rules(
        place,
        prompted(AUDITS, found(rising(2)), "version 2"),
        prompted(AUDITS, found(rising(1)), "version 1"),
        prompted(AUDITS, found(rising(0))),
        prompted(REVISES, revision(2), "version 1"),
        prompted(REVISES, revision(1)),
        plan={"audit_rounds": 3},
    )
    done = place.run("forge", WISH, "--json")
    outcomes = [audit["outcome"] for audit in done.json["audits"]]
    assert (done.code, done.json["status"], outcomes) == (3, "REVIEW", ["revise", "revise", "cap_reached"]), done.out
    (path,) = (place.home / "plans").glob("plan-001-[!p]*.md")
    assert "VERDICT: CAP_REACHED" in path.read_text()


def test_the_same_finding_through_two_revisions_ends_early_and_is_named(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    worded = {**BLOCKING, "description": "Nobody really says what widest gives for an empty list; the code may raise."}
    with_rules(
        place,
        prompted(AUDITS, found(worded), "version 1"),
        prompted(AUDITS, found(BLOCKING)),
        prompted(REVISES, revision(2), "version 1"),
        prompted(REVISES, revision(1)),
    )
    done = place.run("forge", WISH, "--json")
    audits = done.json["audits"]
    assert [audit["outcome"] for audit in audits] == ["revise", "revise", "surviving"], done.out
    assert {point["id"] for audit in audits for point in audit["findings"]} == {"F-001"}
    (moved,) = place.events("plan_moved")
    assert "The empty list is not decided" in moved["why"]


def test_a_draft_that_echoes_the_template_is_refused_and_asked_for_again(tmp_path: Path) -> None:
    from thoughtforge.forge.structure import section
    from thoughtforge.forge.template import built_in

    place = make_plans(tmp_path)
    echo = {**DRAFT, "objective": section(built_in(), "Objective"), "scope": section(built_in(), "Scope")}
    with_rules(place, {**prompted(DRAFTS, echo), "times": 1})
    done = place.run("forge", WISH, "--json")
    assert (done.code, done.json["status"]) == (3, "REVIEW"), done.out + done.err
    (refused,) = place.events("draft_refused")
    assert refused["why"].startswith("it says what the template says in Objective")


FLOAT = "from tally.count import total\nprint(total([1]))"


def test_a_refuted_assumption_blocks_and_what_held_stands_beside_it(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    probes = [
        {"assumption": "totals are made in one place", "probe": "search def total", "expect": "found"},
        {
            "assumption": "the sum is a float",
            "probe": f"try {FLOAT}",
            "expect": "prints 1.0",
        },
        {"assumption": "tally can be imported", "probe": "import tally.count", "expect": "works"},
        {"assumption": "the disk is ours", "probe": "run rm -rf /", "expect": "exit 0"},
    ]
    with_rules(
        place,
        prompted(DRAFTS, {**DRAFT, "assumptions": probes}),
        prompted(AUDITS, found(MINOR)),
        plan={"audit_rounds": 1},
    )
    done = place.run("forge", WISH, "--json")
    assert (done.code, [a["outcome"] for a in done.json["audits"]]) == (3, ["cap_reached"]), done.out + done.err
    tried = next(e for e in place.events("measured") if e["what"] == "probes")
    assert [c["outcome"] for c in tried["criteria"]] == ["pass", "fail", "pass", "not_run"]
    (path,) = (place.home / "plans").glob("plan-001-[!p]*.md")
    assert "the sum is a float" in path.read_text().partition("## Audit Log")[2]


def test_a_probe_that_could_not_run_refutes_nothing_and_finds_what_tests_find(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    probes = [
        {
            "assumption": "pytest has raises",
            "probe": "try import pytest\nprint(pytest.raises.__name__)",
            "expect": "prints raises",
        },
        {"assumption": "sums need no numpy", "probe": "try import numpie_xyz\nprint(1)", "expect": "prints 1"},
        {"assumption": "there is numpie", "probe": "import numpie_xyz", "expect": "works"},
        {"assumption": "counting fails", "probe": "try import tally.gone", "expect": "exit 0"},
    ]
    with_rules(
        place,
        prompted(DRAFTS, {**DRAFT, "assumptions": probes}),
        prompted(AUDITS, found(MINOR)),
        plan={"audit_rounds": 1},
    )
    place.run("forge", WISH, "--json")
    tried = next(e for e in place.events("measured") if e["what"] == "probes")
    assert [c["outcome"] for c in tried["criteria"]] == ["pass", "broken", "fail", "fail"]
    assert tried["criteria"][1]["detail"].startswith("could not run: exit 1; ")
    assert tried["summary"] == "4 assumptions, 2 refuted, 1 could not be tried"
    (audited,) = place.events("plan_audited")
    assert [one["recommendation"] for one in audited["findings"] if "numpie" in one["description"]] == [""]


def test_two_plans_at_once_have_different_numbers_and_each_runs_once(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    hanging(place)
    with running(place.spawn("forge", WISH)) as one, running(place.spawn("forge", WISH)) as two:
        until(lambda: len(list((place.home / "tasks").glob("plan-*"))) == 2, "two plans")
        until(lambda: len(place.run("forge", "status", "--json").json["plans"]) == 2, "both to run")
        which = place.run("forge", "cancel", "--json")
        assert (which.code, len(which.json["error"]["details"])) == (2, 2), which.out
        held = place.run("forge", "plan-002", "--json")
        assert held.code == 1, held.out
        told = r"task plan-002 is being run by .+ \(process \d+\) since (20[-0-9]{8} [:0-9]{8} UTC)"
        since = re.fullmatch(told, held.json["error"]["what"])
        assert since, held.out
        assert f"since {since[1]}" in place.run("forge", "status").out
        for number, process in ((1, one), (2, two)):
            del process
            assert place.run("forge", "cancel", f"plan-00{number}").code == 1
        assert {ended(one).code, ended(two).code} == {1}


def test_what_the_reviser_answers_stands_beside_the_finding_in_the_next_audit(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    revised = {
        "sections": [{"heading": "Risks", "text": "Nobody compares the report, also for none."}],
        "answers": [{"id": "F-001", "answer": "The quoted lines say it gives 0."}],
    }
    with_rules(place, prompted(REVISES, revised))
    assert place.run("forge", WISH).code == 3
    before, after = [text for text in place.contexts("plan", "review") if "the change plan" in text]
    told = "  the reviser says, in its own words: The quoted lines say it gives 0."
    assert (told in before, told in after) == (False, True)
