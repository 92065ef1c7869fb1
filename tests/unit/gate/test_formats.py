"""One verdict in every format; nothing in a message breaks out of it."""

import json
from xml.etree import ElementTree

from thoughtforge.gate.findings import Finding, GateVerdict, Outcome, grouped, judge, next_action
from thoughtforge.gate.reports import as_data, written

NASTY = 'wrong\n::error::forged <x> & "y" 100% \x00\x1b'
OLD = Finding("V-000000000001", "types", "types", "major", "src/a b.py", 7, "an old one", "T1", "Correct it.")
NEW = Finding("V-000000000002", "types", "types", "critical", "src/ä.py", 0, NASTY, "T2", "Correct it.")
WHOLE = Finding("V-000000000003", "command", "quality", "minor", "", 0, "it failed", "", "")


def verdict() -> GateVerdict:
    return judge(
        [
            Outcome("types", "types", "fail", (OLD, NEW), seconds=0.5),
            Outcome("command", "quality", "fail", (WHOLE,)),
            Outcome("style", "style", "pass"),
            Outcome("grimp", "architecture", "broken", broken=NASTY),
        ],
        [OLD],
        seconds=1.25,
    )


def test_the_worst_new_finding_comes_first_and_a_broken_check_before_all() -> None:
    found = verdict()
    assert (found.new, found.existing, found.passed) == ((NEW, WHOLE), (OLD,), False)
    assert found.next_action.startswith("The check grimp could not run: wrong")
    without = judge([Outcome("types", "types", "fail", (OLD, NEW))], [OLD], seconds=0.0)
    assert without.next_action == f"Correct src/ä.py:0 (types): {NASTY}. Correct it."
    clean = judge([Outcome("types", "types", "fail", (OLD,))], [OLD], seconds=0.0)
    assert (clean.passed, clean.next_action) == (True, "Nothing to fix; continue.")


def test_equal_findings_are_grouped_with_the_first_places_and_the_number_of_the_others() -> None:
    other = OLD._replace(message="another")
    groups = grouped([*(OLD._replace(line=line) for line in (7, 8, 8, 9, 10)), other])
    assert [(len(group.findings), group.where) for group in groups] == [
        (5, "src/a b.py:7, src/a b.py:8, src/a b.py:9 and 1 more place"),
        (1, "src/a b.py:7"),
    ]


def test_the_next_action_is_about_a_file_that_may_be_written() -> None:
    test = OLD._replace(path="tests/test_a.py")
    mine = [OLD, OLD._replace(line=9)]
    assert next_action([test, *mine], (), may_write=lambda path: path.startswith("src/")) == (
        "Correct src/a b.py:7, src/a b.py:9 (types): an old one. Correct it. Then 1 more."
    )
    assert next_action([test], (), may_write=lambda path: False) == (
        "You may change no file with a finding; undo in yours what causes it: "
        "V-000000000001 tests/test_a.py:7 types: an old one"
    )
    assert next_action([test], (), may_write=lambda path: False, way_out="hand in `needs` with") == (
        "You may change no file with a finding; undo in yours what causes it, or hand in `needs` with tests/test_a.py: "
        "V-000000000001 tests/test_a.py:7 types: an old one"
    )
    assert next_action([WHOLE], (), may_write=lambda path: False) == "Correct the repository (command): it failed."


def test_text_names_place_severity_check_and_id() -> None:
    lines = written(verdict(), "text", version="1").splitlines()
    nasty = 'wrong\\x0a::error::forged <x> & "y" 100% \\x00\\x1b'
    assert lines == [
        f"src/ä.py:0: critical: {nasty} [types T2] V-000000000002",
        "(repository): minor: it failed [command] V-000000000003",
        f"broken: grimp: {nasty}",
        "2 findings, 1 existed before, 1 checks could not run; 4 checks in 1.25 s",
        f"→ The check grimp could not run: {nasty}",
    ]


def test_sarif_has_a_result_per_finding_and_a_notification_per_broken_check() -> None:
    (run,) = json.loads(written(verdict(), "sarif", version="1.2"))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["invocations"][0]["toolExecutionNotifications"][0]["associatedRule"] == {"id": "grimp"}
    assert [(row["level"], row["baselineState"], row["partialFingerprints"]) for row in run["results"]] == [
        ("error", "new", {"thoughtforge/v1": NEW.id}),
        ("warning", "new", {"thoughtforge/v1": WHOLE.id}),
        ("error", "unchanged", {"thoughtforge/v1": OLD.id}),
    ]
    place = run["results"][2]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("src/a%20b.py", {"startLine": 7})
    assert "locations" not in run["results"][1]


def test_junit_is_xml_whatever_a_message_holds_and_old_findings_do_not_fail() -> None:
    (suite,) = ElementTree.fromstring(written(verdict(), "junit", version="1"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "1")
    cases = {case.get("name"): [child.tag for child in case] for case in suite}
    assert cases == {"types": ["failure"], "command": ["failure"], "style": [], "grimp": ["error"]}
    texts = [failure.text for failure in suite.iter("failure")]
    assert all(OLD.id not in str(text) for text in texts)


def test_a_message_cannot_forge_a_workflow_command() -> None:
    lines = written(verdict(), "github", version="1").splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("::error file=src/ä.py,line=1,title=types (V-000000000002)::wrong%0A::error::forged")
    assert lines[1] == "::warning title=command (V-000000000003)::it failed."
    assert lines[2].startswith("::error title=grimp could not run::wrong%0A")


def test_data_says_what_to_do_about_each_finding() -> None:
    data = as_data(verdict())
    assert data["existing"] == [
        {**OLD._asdict(), "next_action": "Correct src/a b.py:7 (types): an old one. Correct it."}
    ]
    assert data["broken"] == [{"check": "grimp", "why": NASTY}]
    json.dumps(data)
