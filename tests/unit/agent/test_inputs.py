"""What an agent is shown of accepted artifacts: nothing that stands elsewhere in the same context."""

from thoughtforge.agent.frame import as_told, exit_title
from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel.events import Measured

REQUIREMENT = {"id": "REQ-001", "description": "d", "acceptance_criteria": ["one", "two"], "trace": "words"}


def test_a_specification_names_each_criterion_once_by_its_id() -> None:
    given = {"spec_id": "SPEC-1", "title": "t", "requirements": [REQUIREMENT], "constraints": []}
    wanted = {"id": "REQ-001", "description": "d", "acceptance_criteria": {"REQ-001.1": "one", "REQ-001.2": "two"}}
    assert as_told("specification", given, specified=True) == {"title": "t", "requirements": [wanted]}


def test_quotes_of_an_analysis_leave_when_there_is_a_specification() -> None:
    given = {"summary": "s", "evidence": [{"file": "a.py", "line": 3}], "dependencies": ["a"]}
    assert as_told("analysis", given, specified=False) == given
    assert as_told("analysis", given, specified=True) == {"summary": "s"}


def test_a_verdict_on_files_that_were_edited_since_is_called_old() -> None:
    exit = Measured(stage="green", what="exit", outcome="fail", summary="s", tree="T1")
    edit = ActionTaken(stage="green", round=1, step=2, role="r", tool="edit_file", params={}, outcome="ok", summary="s")
    now = "why the stage is not finished, as measured by the engine"
    assert [exit_title(exit, [edit.model_copy(update={"tree": tree})]) for tree in ("T1", "T2")] == [
        now,
        f"{now} before your last edit; complete measures it again",
    ]
    assert exit_title(exit, []) == now
