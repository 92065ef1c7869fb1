"""A finding as the goal of a task: it must be gone from the whole repository."""

import pytest

from sessions import SHELF, in_session
from thoughtforge.code.exit import ExitReport
from thoughtforge.code.green import measure_finding, named
from thoughtforge.code.tool_context import Edit, ToolContext

ID = "V-0123456789ab"
MENDED = b'"""Older than the task."""\n\nNAME: str = "old"\n'


@pytest.mark.parametrize(
    ("request_text", "found"),
    [
        (f"Fix {ID} in a.py:3", ID),
        (f"{ID}, please", ID),
        ("Fix V-0123 in a.py", None),
        (f"Fix {ID}ff", None),
        ("Fix the report", None),
    ],
)
def test_a_request_names_a_finding_only_by_a_whole_id(request_text: str, found: str | None) -> None:
    assert named(request_text) == found


def test_a_finding_is_gone_when_the_gate_does_not_have_it_any_more() -> None:
    async def both(context: ToolContext) -> list[tuple[str, str]]:
        session = context.the_session()
        verdict = await session.gate.whole(await session.workspace.paths(session.workspace.base))
        (wanted,) = [one.id for one in (*verdict.new, *verdict.existing) if one.path == "shelf/old.py"]
        told = []
        for edits in ([], [Edit("shelf/old.py", MENDED)]):
            await context.write(edits)
            exit = ExitReport(await session.workspace.tree())
            await measure_finding(exit, session, wanted)
            told.append((exit.criteria[0].outcome, exit.criteria[0].detail.replace(wanted, "V")))
        return told

    before, after = in_session(both, SHELF)
    assert (before[0], before[1].partition(": ")[0]) == ("fail", "V is still at shelf/old.py:3")
    assert after == ("pass", "V")
