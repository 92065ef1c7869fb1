"""Tests run on files of their own, from which what is hidden from agents is missing."""

from __future__ import annotations

from sessions import SHELF, in_session
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.testing.report import SuiteReport

LEAK = """
def test_secrets():
    assert open('.env').read() == ''


def test_private_files():
    assert open('private/a').read() == ''
"""
FILES = {**SHELF, ".thoughtforgeignore": "private/\n", "private/a": "zebra-4711\n", "tests/test_leak.py": LEAK}


async def leaking(context: ToolContext) -> SuiteReport:
    session = context.the_session()
    return await session.test(await session.workspace.tree(), files=["tests/test_leak.py"])


def test_a_test_cannot_tell_what_is_in_a_hidden_file() -> None:
    report = in_session(leaking, FILES)
    assert [result.outcome for result in report.results.values()] == ["failed", "failed"]
    assert str(report).count("FileNotFoundError") >= 2
    assert not [word for word in ("hidden", "zebra-4711") if word in str(report)]
