"""The verdict in an auditor's answer."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.forge.findings import AUDIT_SEVERITIES, AuditFinding
from thoughtforge.forge.verdict import AuditVerdict, parse_verdict

TABLE = yaml.safe_load(Path(__file__).with_name("verdicts.yaml").read_text(encoding="utf-8"))
PIECES = ["severity", ": ", "blocking", "high", "low", "{", "}", "[", "]", '"', ",", "|", "---", "\n", "- ", "# ", "**"]
PIECES += [
    "(",
    ")",
    "```json\n",
    "```\n",
    '{"severity": "minor"}',
    "not ",
    "ready to approve",
    "needs revision",
    "?",
    "none",
    "0",
]
answers = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40).map("".join)


def test_the_table_is_large_enough() -> None:
    assert len(TABLE) >= 80
    assert len({text for _, _, text in TABLE}) == len(TABLE)


@pytest.mark.parametrize(("severity", "source", "text"), TABLE)
def test_an_answer_is_read_as_the_table_says(severity: str, source: str, text: str) -> None:
    verdict = parse_verdict(text)
    assert (verdict.max_severity, verdict.source) == (severity, source)
    assert verdict.should_loop == (severity == "blocking")
    assert verdict.unparsed == (source == "unrecognised")


@given(answers)
def test_reading_an_answer_never_fails(text: str) -> None:
    verdict = parse_verdict(text)
    assert verdict.should_loop == (verdict.max_severity == "blocking")
    ranks = [AUDIT_SEVERITIES.index(finding.severity) for finding in verdict.findings]
    assert ranks == sorted(ranks)


@given(
    answers,
    st.sampled_from(["\n\nSeverity: blocking\n", '\n\n{"severity": "high"}\n', "\n\n- [blocking] no rollback\n"]),
)
def test_a_blocking_line_below_any_answer_blocks(text: str, line: str) -> None:
    assert parse_verdict(f"{text.replace('`', '').replace('~', '')}{line}").should_loop


def test_findings_of_json_have_their_texts_and_places() -> None:
    text = """{"maxSeverity": "minor", "concerns": [
      {"severity": "low", "title": "A name", "description": "Rename it.", "location": "Changes", "recommendation": "b"},
      {"severity": "high", "issue": "No rollback", "section": "Risks"}]}"""
    assert parse_verdict(text) == AuditVerdict(
        "blocking",
        True,
        (
            AuditFinding("blocking", "No rollback", "Risks"),
            AuditFinding("minor", "Rename it.", "Changes", "A name", "b"),
        ),
        "json",
    )


def test_findings_of_a_list_below_a_heading_are_its_items() -> None:
    found = parse_verdict("### Blocking\n\n- No rollback\n- No limit\n\n### Minor\n\n- A name\n").findings
    assert [(one.severity, one.description) for one in found] == [
        ("blocking", "No rollback"),
        ("blocking", "No limit"),
        ("minor", "A name"),
    ]


def test_a_refusal_in_words_is_a_finding_with_the_words_around_it() -> None:
    text = (
        "The idea is good.\n\nThe plan needs revision: nobody says what widest gives\nfor an empty row.\n\nThank you."
    )
    told = "The plan needs revision: nobody says what widest gives for an empty row."
    assert parse_verdict(text).findings == (AuditFinding("blocking", told),)
    assert len(parse_verdict(f"{'far ' * 500}needs revision{' long' * 500}").findings[0].description) <= 600


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Severity: blocking\n\nA row is lost.", "Severity: blocking A row is lost."),
        ('```json\n{"maxSeverity": "blocking"}\n```\nA row is lost.', "A row is lost."),
        ('{"maxSeverity": "blocking"}', 'The auditor blocks and names no finding: {"maxSeverity": "blocking"}'),
    ],
)
def test_an_answer_that_blocks_without_a_finding_is_one(text: str, told: str) -> None:
    assert parse_verdict(text).findings == (AuditFinding("blocking", told),)


def test_findings_as_the_audit_log_shows_them_are_read_with_text_and_place() -> None:
    text = (
        "- F-001 blocking (Changes, raised 2 times): No rollback\n  why: a row is lost\n"
        "- F-002 minor (no place named): A name\n- F-003 blocking (Risks): resolved.\n"
    )
    assert parse_verdict(text).findings == (
        AuditFinding("blocking", "No rollback", "Changes"),
        AuditFinding("minor", "A name"),
    )


def test_what_is_listed_below_a_severity_needs_no_severity_of_its_own() -> None:
    found = parse_verdict('{"critical": [{"title": "Data is lost", "file": "a.py"}], "minor": ["A name"]}').findings
    assert found == (
        AuditFinding("blocking", "Data is lost", "a.py", "Data is lost"),
        AuditFinding("minor", "A name"),
    )


@pytest.mark.parametrize(
    "piece",
    [
        "severity: high ",
        "| minor ",
        "| critical | a |\n",
        "minor / ",
        "- (minor) ",
        "approved: [ ] ",
        "{",
        '{"a":',
        "[",
        "severity ",
        "severity: ",
        "|",
        "- (",
        "not ready to approve ",
        "needs ",
        "**",
        "- [high] x\n",
        "Severity: medium\n",
        "> - minor: a\n",
        "1. [minor] b\n",
        "a ",
    ],
)
def test_a_megabyte_of_anything_is_read(piece: str) -> None:
    found = parse_verdict(piece * (1_000_000 // len(piece)))
    assert found.source in ("json", "marker", "phrase", "unrecognised")
    assert found.should_loop == (found.max_severity == "blocking")
