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


@pytest.mark.parametrize(
    "piece",
    [
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
