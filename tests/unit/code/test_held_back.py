"""What is held back is tried on fresh files; a file without a test that passes proves nothing."""

from sessions import SHELF, in_session
from thoughtforge.code.exit import HeldBack, read_held, try_all
from thoughtforge.code.tool_context import ToolContext

CASE = {"criterion": "REQ-001.1", "kind": "call", "target": "shelf.books:count", "args": [["a", "b"]], "expect": 2}
WRONG = {**CASE, "criterion": "REQ-001.2", "expect": 3}


def file(criterion: str, text: str) -> dict[str, str]:
    return {"criterion": criterion, "path": f"tests/test_held_{criterion[-1]}.py", "text": text, "why": "a picture"}


FILES = [
    file("REQ-002.1", "from shelf.books import count\n\n\ndef test_it():\n    assert count([]) == 0\n"),
    file("REQ-002.2", "def test_it():\n    assert 1 == 2\n"),
    file("REQ-002.3", "NOTHING = 1\n"),
]


def test_it_comes_back_from_the_store_as_it_was_handed_in() -> None:
    held, problems = read_held({"held_back": [CASE], "held_back_tests": FILES[:1]})
    kept = {"held_back": [CASE], "held_back_tests": FILES[:1], "names": ["H-1", "H-2"]}
    assert (problems, held.some, held.data()) == ((), True, kept)
    assert read_held(held.data())[0] == held
    assert not HeldBack().some


def test_everything_that_cannot_be_read_is_told() -> None:
    held, problems = read_held({"held_back": [{**CASE, "expected": 2}, {"criterion": "REQ-001.1", "kind": "guess"}]})
    assert (held, len(problems)) == (HeldBack(), 2)
    assert problems[0] == "case 1 (REQ-001.1): expected: Extra inputs are not permitted"


def test_cases_and_files_are_tried_and_a_file_without_a_test_does_not_hold() -> None:
    held, _ = read_held({"held_back": [CASE, WRONG], "held_back_tests": FILES})

    async def tried(context: ToolContext) -> dict[str, str]:
        session = context.the_session()
        return {one.criterion: one.outcome for one in await try_all(session, held, session.workspace.base)}

    assert in_session(tried, SHELF) == {
        "REQ-001.1": "pass",
        "REQ-001.2": "fail",
        "REQ-002.1": "pass",
        "REQ-002.2": "fail",
        "REQ-002.3": "fail",
    }
