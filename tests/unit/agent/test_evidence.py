"""Evidence against a real commit."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from harness import sample_repository
from thoughtforge.agent.questions import EvidenceCheck, check_evidence
from thoughtforge.workspaces.git import Git, find_repository
from thoughtforge.workspaces.patterns import read_ignore
from thoughtforge.workspaces.tree import FileTree


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return sample_repository(
        tmp_path, {"twice.txt": "same\n\n\n\n\n\n\n\nsame\n", "deep.txt": "def f():\n\n    return 1\n"}
    )


def look_up(repository: Path, *pieces: Any) -> EvidenceCheck:
    async def run() -> EvidenceCheck:
        git = Git(await find_repository(repository, path=os.environ["PATH"]), path=os.environ["PATH"])
        commit = await git.head()
        tree = await FileTree.open(git, commit, await read_ignore(git, commit))
        try:
            return await check_evidence(tree, pieces)
        finally:
            await tree.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    "piece",
    [
        {"file": "README.md", "line": 6, "snippet": "Reports list every item"},
        {"file": "README.md", "line": 4, "snippet": "Reports   list every item"},
        {"file": "README.md", "snippet": "Keeps count"},
        {"file": "twice.txt", "line": 9, "snippet": "same"},
        {"file": "deep.txt", "line": 1, "snippet": "def f():\n    return 1"},
    ],
)
def test_evidence_that_is_there_holds(repository: Path, piece: dict[str, Any]) -> None:
    assert look_up(repository, piece) == EvidenceCheck((piece,), ())


@pytest.mark.parametrize(
    ("piece", "wrong"),
    [
        ({"file": "README.md", "line": 60, "snippet": "Reports"}, "README.md has 6 lines, not line 60"),
        (
            {"file": "README.md", "line": 1, "snippet": "Reports list every item"},
            "README.md: the snippet is at line 6, not 1",
        ),
        ({"file": "README.md", "snippet": "never written"}, "README.md does not contain 'never written'"),
        ({"file": "README.md", "snippet": " "}, "README.md: a snippet of the text is needed"),
        ({"file": "README.md", "snippet": "e"}, "README.md: 'e' is too short to prove anything; quote the line"),
        (
            {"file": "README.md", "line": 6, "snippet": "list"},
            "README.md: 'list' is too short to prove anything; quote the line",
        ),
        ({"file": "README.md"}, "README.md: a snippet of the text is needed"),
        ({"snippet": "x"}, "evidence must name a file"),
        ("README.md", "evidence must name a file"),
        ({"file": "README.md", "line": "6", "snippet": "Reports"}, "README.md has 6 lines, not line 6"),
    ],
)
def test_evidence_that_is_not_there_is_named(repository: Path, piece: Any, wrong: str) -> None:
    assert look_up(repository, piece) == EvidenceCheck((), (wrong,))


def test_a_missing_a_hidden_and_an_outside_file_are_no_evidence(repository: Path) -> None:
    pieces = [{"file": name, "snippet": "x"} for name in ("nope.py", ".env", "../../etc/passwd", "/etc/passwd")]
    checked = look_up(repository, *pieces)
    assert checked.holds == ()
    assert len(checked.wrong) == 4
