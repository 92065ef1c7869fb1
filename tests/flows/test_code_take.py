"""Taking a result: onto the branch a person is on, merged and measured when that moved, or refused with reasons."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.code_runs import CODE, FILES, TESTS, build, make_tally, script
from flows.likeness import changed, likeness
from harness import Done, git
from harness.place import Place


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The small task, delivered once."""
    place = make_tally(tmp_path_factory.mktemp("taken"))
    done = build(place)
    assert done.code == 0, done.out + done.err
    git("tag", "base", "main", cwd=place.repository)
    git("tag", "tip", f"thoughtforge/{place.task}", cwd=place.repository)
    return place


@pytest.fixture
def place(delivered: Place) -> Place:
    """The repository as it was when the task was delivered, whatever the test before took."""
    root = delivered.repository
    git("checkout", "--quiet", "--force", "-B", "main", "base", cwd=root)
    git("clean", "--quiet", "--force", "-d", "--exclude=.thoughtforge", cwd=root)
    git("update-ref", f"refs/heads/thoughtforge/{delivered.task}", "tip", cwd=root)
    return delivered


def commit(place: Place, path: str, text: str) -> str:
    """The person goes on with their own work."""
    (place.repository / path).parent.mkdir(exist_ok=True)
    (place.repository / path).write_text(text)
    git("add", path, cwd=place.repository)
    git("commit", "--quiet", "-m", f"Their own {path}", cwd=place.repository)
    return git("rev-parse", "HEAD", cwd=place.repository).strip()


def refused(place: Place, *, what: str) -> list[str]:
    """Applying is refused, and nothing of the person's is touched; every reason that is told."""
    before = likeness(place.repository)
    done: Done = place.run("apply", place.task, "--json")
    assert (done.code, what in done.json["error"]["what"]) == (2, True), done.out + done.err
    assert changed(before, likeness(place.repository)) == []
    return list(done.json["error"]["details"])


def rev(place: Place, name: str) -> str:
    return git("rev-parse", name, cwd=place.repository).strip()


def test_a_branch_that_did_not_move_goes_forward_and_a_second_time_nothing_is_left_to_do(place: Place) -> None:
    (place.repository / "mine.txt").write_text("not tracked\n")
    done = place.run("apply", place.task, "--json")
    assert (done.code, done.json["how"], done.json["paths"]) == (
        0,
        "fast_forward",
        ["CHANGELOG", "tally/count.py", "tests/test_widest.py"],
    )
    assert rev(place, "main") == rev(place, "tip") == done.json["after"]
    assert (place.repository / "tests" / "test_widest.py").read_text() == TESTS
    assert git("status", "--porcelain", cwd=place.repository).split() == ["??", ".thoughtforge/", "??", "mine.txt"]
    again = place.run("apply", place.task, "--json")
    assert (again.code, again.json["how"], again.json["paths"]) == (0, "nothing", [])
    assert "main has it already" in place.run("apply", place.task).out


def test_a_branch_that_moved_is_merged_and_the_outcome_is_tested_first(place: Place) -> None:
    theirs = commit(place, "tally/more.py", '"""More."""\n')
    done = place.run("apply", place.task, "--json")
    assert (done.code, done.json["how"]) == (0, "merge"), done.out + done.err
    assert done.json["verified"] == "merged with the current main; 3 tests ran on the result"
    assert git("rev-parse", "main^1", "main^2", cwd=place.repository).split() == [theirs, rev(place, "tip")]
    assert git("log", "-1", "--format=%an %(trailers:only)", cwd=place.repository).split("\n")[0] == (
        f"Ada Person ThoughtForge-Task: {place.task}"
    )
    assert (place.repository / "tally" / "more.py").exists()
    assert CODE in (place.repository / "tally" / "count.py").read_text()


def test_a_branch_that_moved_so_that_the_tests_fail_together_is_refused_naming_them(place: Place) -> None:
    text = "import tally.count\n\n\ndef test_sums_only():\n    assert not hasattr(tally.count, 'widest')\n"
    commit(place, "tests/test_only.py", text)
    details = refused(place, what="main has new commits, and the tests fail on the merge")
    assert len(details) == 1
    assert details[0].startswith("tests/test_only.py::test_sums_only fails: ")


def test_changes_in_the_same_place_are_named_and_nothing_is_touched(place: Place) -> None:
    commit(place, "tally/count.py", f"{FILES['tally/count.py']}\n\nTHEIRS = 1\n")
    assert refused(place, what="main has other changes in the same places") == ["tally/count.py"]


def test_files_of_the_person_in_the_way_are_all_named(place: Place) -> None:
    root = place.repository
    (root / "tally" / "count.py").write_text("theirs\n")
    (root / "tests" / "test_widest.py").write_text("theirs too\n")
    assert refused(place, what="your working copy is not clean") == [
        "tally/count.py: changed and not committed",
        "tests/test_widest.py: your file is where the change adds a new one",
    ]


def test_a_changed_or_staged_file_that_is_not_in_the_way_stays_as_it_is(place: Place) -> None:
    (place.repository / "pyproject.toml").write_text("theirs\n")
    (place.repository / "STAGED.txt").write_text("theirs\n")
    git("add", "STAGED.txt", cwd=place.repository)
    assert place.run("apply", place.task).code == 0
    assert (place.repository / "pyproject.toml").read_text() == "theirs\n"
    assert git("diff", "--cached", "--name-status", cwd=place.repository).split() == ["A", "STAGED.txt"]
    assert rev(place, "main") == rev(place, "tip")


def test_on_no_branch_there_is_nothing_to_apply_to(place: Place) -> None:
    git("checkout", "--quiet", "--detach", cwd=place.repository)
    assert refused(place, what="the repository is on no branch") == []


def test_discarding_takes_the_branch_away_and_nothing_else(place: Place) -> None:
    before = likeness(place.repository)
    done = place.run("discard", place.task)
    assert (done.code, "from the repository; the task keeps its work" in done.out) == (0, True)
    branch = f"refs/heads/thoughtforge/{place.task}"
    left = [path for path in changed(before, likeness(place.repository)) if not path.endswith("/")]
    assert left == [f"tally/.git/logs/{branch}", f"tally/.git/{branch}"]
    again = place.run("discard", place.task)
    assert (again.code, "is no longer in the repository" in again.out) == (0, True)
    assert place.run("diff", place.task).out.count("+++ b/") == 3


def test_a_branch_somebody_worked_on_is_not_discarded(place: Place) -> None:
    git("checkout", "--quiet", f"thoughtforge/{place.task}", cwd=place.repository)
    commit(place, "tally/more.py", '"""More."""\n')
    git("checkout", "--quiet", "main", cwd=place.repository)
    before = likeness(place.repository)
    done = place.run("discard", place.task, "--json")
    assert (done.code, "has commits from outside the task" in done.json["error"]["what"]) == (2, True)
    assert changed(before, likeness(place.repository)) == []


def test_a_task_that_delivered_nothing_has_nothing_to_take(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    script(place, {"never": {"when": {"context": "no such text"}, "reply": "nothing"}})
    assert build(place).json["reason"] == "provider_failed"
    for command in ("apply", "discard"):
        done = place.run(command, place.task, "--json")
        assert (done.code, done.json["error"]["what"]) == (2, f"task {place.task} has delivered nothing")
