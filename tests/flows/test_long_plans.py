"""A change plan that no model takes at once: read part by part, revised where it was shown whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from flows.forge_runs import AUDITS, BLOCKING, REVISES, WISH, found, make_plans, prompted, script
from flows.test_phases import PLAN, file_of, run, write
from harness.place import Place, Rule

ENTRIES = 700


def long_plan(folder: Path, *rules: Rule, entries: int = ENTRIES, **config: Any) -> Place:
    """A plan with very many entries, and the replies to it."""
    place = make_plans(folder)
    script(place, {str(number): rule for number, rule in enumerate(rules)}, **config)
    place.run("plan", "create", WISH)
    words = "the widest gap is told to whoever reads the report in the morning, with its unit; " * 2
    rows = "".join(f"- `tally/count.py` — Detail number {number}: {words}\n" for number in range(entries))
    write(place, PLAN.replace("## Risks", f"{rows}\n## Risks"))
    return place


def audited(place: Place) -> list[str]:
    """What the auditor was shown, call by call."""
    return [place.blob(event["context"]) for event in place.events("call_started") if event["role"] == "auditor"]


def test_every_entry_of_a_long_plan_is_read_and_the_findings_are_joined(tmp_path: Path) -> None:
    other = {**BLOCKING, "title": "No unit is named", "description": "Readers cannot tell meters from miles."}
    rules = [
        prompted(AUDITS, found(BLOCKING), "Detail number 5:"),
        prompted(AUDITS, found(other), f"Detail number {ENTRIES - 1}:"),
        prompted(AUDITS, found()),
    ]
    place = long_plan(tmp_path, *rules)
    done = run(place, "audit", "plan-001")
    (audit,) = done.json["audits"]
    assert (done.json["reason"], audit["severity"]) == ("plan_blocked", "blocking"), done.out + done.err
    assert {point["title"] for point in audit["findings"]} == {BLOCKING["title"], "No unit is named"}
    calls = audited(place)
    shown = [int(number) for call in calls for number in re.findall(r"Detail number (\d+):", call)]
    assert (sorted(shown), 1 < len(calls) <= 8) == (list(range(ENTRIES)), True)
    assert not any("omitted" in call.partition("quoted lines of the repository")[0] for call in calls)


def test_what_no_call_read_is_said_and_no_section_is_revised_blindly(tmp_path: Path) -> None:
    revised = {
        "sections": [
            {"heading": "Changes", "text": "- `tally/count.py` — All of it."},
            {"heading": "Scope", "text": "New."},
        ],
        "answers": [],
    }
    rules = [
        prompted(AUDITS, found({**BLOCKING, "location": "Scope"}), "A function, its line in the report"),
        prompted(AUDITS, found()),
        prompted(REVISES, revised),
    ]
    place = long_plan(tmp_path, *rules, entries=1_000, think={"context_tokens": 10_000})
    done = place.run("forge", "plan-001", "--json")
    assert (done.code, done.json["status"]) == (3, "REVIEW"), done.out + done.err
    titles = {point["title"] for point in done.json["audits"][-1]["findings"]}
    assert (done.json["audits"][-1]["severity"], titles) == ("medium", {"A part of the plan was not audited"})
    text = file_of(place).read_text()
    assert ("Detail number 999:" in text, "All of it." in text) == (True, False)
    assert "No auditor read this" in text.partition("## Audit Log")[2]
    assert any("the revision of Changes does not count" in warning for warning in done.json["warnings"])
