"""Runs the repository's tests on the files as they are now."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.outcome import told
from thoughtforge.code.selection import named_tests, select
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError

DESCRIPTION = "Run all tests, or only the test files or test ids that are named, on the files as they are now."
PARAMS = named_tests("files such as tests/test_a.py or ids such as tests/test_a.py::test_b")
WRITES = False


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    session = context.the_session()
    chosen = select(context, params.get("tests", ()))
    report = await session.test(await session.workspace.tree(), ids=chosen.ids, files=chosen.files)
    if not report.broken and not report.results and not report.unreadable:
        raise UserError(
            "no test ran: none matches the names given", do="Run all tests to see their ids, or name a test file."
        )
    return told(report)
