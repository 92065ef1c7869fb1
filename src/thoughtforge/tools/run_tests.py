"""Runs the repository's tests on the files as they are now."""

from __future__ import annotations

from typing import Any

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workshop.desk import Desk, Result
from thoughtforge.workshop.outcome import told
from thoughtforge.workshop.selection import named_tests, select

DESCRIPTION = "Run all tests, or only the test files or test ids that are named, on the files as they are now."
PARAMS = named_tests("files such as tests/test_a.py or ids such as tests/test_a.py::test_b")
WRITES = False


async def use(params: dict[str, Any], desk: Desk) -> Result:
    workshop = desk.the_workshop()
    chosen = select(desk, params.get("tests", ()))
    report = await workshop.test(await workshop.workspace.tree(), ids=chosen.ids, files=chosen.files)
    if not report.broken and not report.results and not report.unreadable:
        raise Mistake("no test ran: none fits what was named", do="Run them all to see their ids, or name a test file.")
    return told(report)
