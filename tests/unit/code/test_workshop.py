"""Tests run on files of their own, from which what is hidden from agents is missing."""

from __future__ import annotations

from thoughtforge.code.tool_context import ToolContext
from thoughtforge.testing.report import SuiteReport
from workshops import SHELF, at_desk

LEAK = """
def test_secrets():
    assert open('.env').read() == ''


def test_private_files():
    assert open('private/a').read() == ''
"""
FILES = {**SHELF, ".thoughtforgeignore": "private/\n", "private/a": "zebra-4711\n", "tests/test_leak.py": LEAK}


async def leaking(desk: ToolContext) -> SuiteReport:
    workshop = desk.the_workshop()
    return await workshop.test(await workshop.workspace.tree(), files=["tests/test_leak.py"])


def test_a_test_cannot_tell_what_is_in_a_hidden_file() -> None:
    report = at_desk(leaking, FILES)
    assert [result.outcome for result in report.results.values()] == ["failed", "failed"]
    assert str(report).count("FileNotFoundError") >= 2
    assert not [word for word in ("hidden", "zebra-4711") if word in str(report)]
