"""Six reference runs tell the stories they told before. A change that alters a story says so in its commit.

`pytest tests/stories --update-stories` writes the golden files anew; `git diff` then shows what changed. `<run>.reads`
holds how often each command of the run reads the whole log: fewer is welcome, more is a failure.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from stories.runs import RUNS

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", RUNS)
def test_a_reference_run_tells_the_same_story(name: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    told = RUNS[name](tmp_path)
    story, reads = GOLDEN / f"{name}.txt", GOLDEN / f"{name}.reads"
    if pytestconfig.getoption("--update-stories"):
        GOLDEN.mkdir(exist_ok=True)
        story.write_text(told.story, encoding="utf-8")
        reads.write_text("".join(f"{count}\n" for count in told.reads), encoding="utf-8")
    before = story.read_text(encoding="utf-8")
    if told.story != before:
        pytest.fail(differences(before, told.story, story), pytrace=False)
    assert told.more_reads([int(line) for line in reads.read_text(encoding="utf-8").split()]) == []


def differences(before: str, now: str, path: Path) -> str:
    """A unified diff, and what to do when the change is meant."""
    lines = difflib.unified_diff(before.splitlines(), now.splitlines(), path.name, "this run", lineterm="")
    return "\n".join([*lines, "Meant? Run `pytest tests/stories --update-stories` and name the change in the commit."])


def test_a_difference_is_shown_with_what_is_around_it(tmp_path: Path) -> None:
    shown = differences("one\ntwo\nthree\n", "one\n2\nthree\n", tmp_path / "x.txt").splitlines()
    assert shown[3:-1] == [" one", "-two", "+2", " three"]


def test_every_golden_file_belongs_to_a_run() -> None:
    assert {path.name.split(".")[0] for path in GOLDEN.iterdir()} == set(RUNS)
