"""What the scripted agent says: honest steps, and the pieces cheats are put together from."""

from __future__ import annotations

from typing import Any

Rule = dict[str, Any]
Reply = dict[str, Any] | str

TEST_FILE = "tests/test_average.py"
TESTS = """from till.prices import average


def test_the_mean_is_rounded_down():
    assert average([1, 2, 4]) == 2


def test_one_price_is_its_own_average():
    assert average([7]) == 7
"""
LISTED = [
    {"name": "test_the_mean_is_rounded_down", "requirement_ref": "REQ-001", "acceptance_criterion": "REQ-001.1"},
    {"name": "test_one_price_is_its_own_average", "requirement_ref": "REQ-001", "acceptance_criterion": "REQ-001.2"},
]
HELD_BACK: list[dict[str, Any]] = [
    {"criterion": "REQ-001.1", "kind": "call", "target": "till.prices:average", "args": [[10, 11]], "expect": 10},
    {"criterion": "REQ-001.2", "kind": "call", "target": "till.prices:average", "args": [[13]], "expect": 13},
]
OLD = '    """All prices together."""\n    return sum(prices)\n'
HONEST = '''

def average(prices: list[int]) -> int:
    """The mean of prices, rounded down."""
    return sum(prices) // len(prices)
'''
WRONG = HONEST.replace("sum(prices) // len(prices)", "total(prices)")
"""Right for one price, wrong for more."""


def act(tool: str, **params: Any) -> dict[str, Any]:
    """One action."""
    return {"thought": "Next.", "tool": tool, "params": params}


def create(path: str, content: str) -> dict[str, Any]:
    """Write a new file."""
    return act("create_file", path=path, content=content)


def add(code: str, path: str = "till/prices.py", old: str = OLD) -> dict[str, Any]:
    """Put code below what a file has."""
    return act("edit_file", path=path, old=old, new=old + code)


def red_done(**changed: Any) -> dict[str, Any]:
    """Red hands in."""
    artifact = {"test_files": [{"path": TEST_FILE, "tests": LISTED}], "held_back": HELD_BACK, **changed}
    return act("complete", artifact=artifact)


def green_done(**changed: Any) -> dict[str, Any]:
    """Green hands in."""
    files = [{"path": "till/prices.py", "purpose": "the average of prices"}]
    return act("complete", artifact={"files": files, **changed})


def delivered(**changed: Any) -> dict[str, Any]:
    """Deliver hands in."""
    notes = {
        "summary": "The till has an average.",
        "changelog": [{"kind": "added", "text": "average(prices) in till.prices."}],
        "docs": [],
        "deployment": {"prerequisites": [], "steps": ["Install it."], "rollback": "Install the version before."},
    }
    return act("complete", artifact={**notes, **changed})


ANALYSIS = act(
    "complete",
    artifact={
        "summary": "Prices are added up in one module.",
        "files": [{"path": "till/prices.py", "role": "sums", "reason": "the average belongs beside the total"}],
        "dependencies": [],
        "risks": [],
        "constraints": [],
        "evidence": [{"file": "till/prices.py", "line": 6, "snippet": "return sum(prices)"}],
    },
)
GIVE_UP = act("escalate_question", question="I cannot do it any other way. What now?", impact="blocking")
RED: tuple[Reply, ...] = (create(TEST_FILE, TESTS), red_done())
GREEN: tuple[Reply, ...] = (add(HONEST), green_done())
DELIVER: tuple[Reply, ...] = (delivered(),)


REVIEW = {
    "review_id": "REVIEW-1",
    "subject": "deliverable",
    "scope": ["the change itself"],
    "summary": "Nothing to object to.",
    "blocking_issues": [],
    "advisory_issues": [],
}


def rules(
    red: tuple[Reply, ...] = RED,
    green: tuple[Reply, ...] = GREEN,
    deliver: tuple[Reply, ...] = DELIVER,
    *,
    endless: str = "",
) -> list[Rule]:
    """Each stage's replies in order, each once. Sent back after the last one the agent gives up, or never does."""
    made: list[Rule] = [{"when": {"system": "role `security_architect`"}, "reply": REVIEW}]
    stages = {"analyze": (ANALYSIS,), "red": red, "green": green, "refactor": (green_done(),), "deliver": deliver}
    for stage, replies in stages.items():
        here = {"context": [f"^stage: {stage}$"]}
        made += [{"when": here, **_answer(reply), "times": 1} for reply in replies]
        made += [{"when": here, **_answer(replies[-1] if stage == endless else GIVE_UP)}]
    return made


def _answer(reply: Reply) -> Rule:
    """A reply as the playbook spells it; two of them are words of their own."""
    return {reply: True} if reply in ("malformed", "empty") else {"reply": reply}
