"""A finding by its id: found by check, removed by fix, and gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.code_runs import make_tally, says, script
from flows.likeness import branch_of, changed, likeness
from harness import git
from harness.place import Place

OLD = '"""Old."""\n\n\ndef undocumented(value: int) -> int:\n    return value\n'
NEW = '"""Old."""\n\n\ndef undocumented(value: int) -> int:\n    """The same value."""\n    return value\n'
ANALYSIS = {
    "summary": "The function in tally/old.py has no docstring; nothing depends on that.",
    "files": [{"path": "tally/old.py", "role": "old code", "reason": "the finding is there"}],
    "dependencies": [],
    "risks": [],
    "constraints": [],
    "evidence": [{"file": "tally/old.py", "line": 4, "snippet": "def undocumented(value: int) -> int:"}],
}
RULES = {
    "analyze": says("analyze", "complete", {"artifact": ANALYSIS}),
    "hand_in": says(
        "green",
        "complete",
        {"artifact": {"files": [{"path": "tally/old.py", "purpose": "says what it does"}]}},
        after="edit_file path=",
    ),
    "edit": says(
        "green",
        "edit_file",
        {"path": "tally/old.py", "old": "    return value\n", "new": '    """The same value."""\n    return value\n'},
    ),
}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """The small repository with one function nobody documented."""
    made = make_tally(tmp_path, {"tally/old.py": OLD})
    script(made, RULES)
    return made


def finding(place: Place) -> str:
    """The id of the one finding there is."""
    done = place.run("check", "--json")
    assert done.code == 1, done.out + done.err
    (found,) = done.json["new"]
    assert (found["check"], found["path"]) == ("documentation-required", "tally/old.py")
    return str(found["id"])


def test_a_finding_is_fixed_by_its_id_and_the_branch_is_clean(place: Place) -> None:
    wanted = finding(place)
    before = likeness(place.repository)
    done = place.run("fix", wanted, "--json")
    assert (done.code, done.json["deliverable"]["contract"]) == (0, "implementation"), done.out + done.err
    assert changed(before, likeness(place.repository)) == branch_of(place.task, git_dir="tally/.git")
    (exit,) = [e for e in place.events("measured") if e["what"] == "exit"]
    assert {"name": "finding_gone", "outcome": "pass", "detail": wanted} in exit["criteria"]
    branch = f"thoughtforge/{place.task}"
    assert git("show", f"{branch}:tally/old.py", cwd=place.repository) == NEW
    assert git("log", "-1", "--format=%s", branch, cwd=place.repository).startswith("fix: ")
    assert place.run("apply", place.task).code == 0
    assert place.run("check").code == 0
    gone = place.run("fix", wanted, "--json")
    assert (gone.code, f"{wanted} is gone" in gone.json["error"]["what"]) == (2, True)


def test_a_fix_that_leaves_the_finding_is_not_delivered(place: Place) -> None:
    wanted = finding(place)
    rules = {name: rule for name, rule in RULES.items() if name != "edit"}
    other = {"path": "tally/old.py", "old": "    return value\n", "new": "    return value + 0\n"}
    ask = {"question": "May the function stay without a docstring?", "impact": "blocking"}
    asks = says("green", "escalate_question", ask, after="finding_gone")
    script(place, {"asks": asks, **rules, "edit": says("green", "edit_file", other)})
    done = place.run("fix", wanted, "--json")
    assert (done.code, done.json["reason"]) == (3, "question"), done.out + done.err
    assert git("for-each-ref", "refs/heads/thoughtforge", cwd=place.repository) == ""


@pytest.mark.parametrize("asked", ["V-0123456789ab", "V-short", "everything"])
def test_an_id_nobody_knows_is_refused(place: Place, asked: str) -> None:
    done = place.run("fix", asked, "--json")
    assert (done.code, asked in done.json["error"]["what"]) == (2, True)
    assert not [path for path in (place.home / "tasks").glob("2*")]
