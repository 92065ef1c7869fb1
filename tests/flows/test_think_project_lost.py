"""A thought whose project is lost is refused with what is missing, before anything runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.test_think_errors import fails
from flows.test_think_stops import thought
from flows.thoughts import Garden, make_garden


def whole(garden: Garden) -> None:
    shutil.rmtree(garden.project)


def git_directory(garden: Garden) -> None:
    shutil.rmtree(garden.project / ".git")


def objects(garden: Garden) -> None:
    shutil.rmtree(garden.project / ".git" / "objects")
    (garden.project / ".git" / "objects").mkdir()


@pytest.mark.parametrize(
    ("lose", "said"),
    [(whole, "is gone"), (git_directory, "has no git directory"), (objects, "commits of it are missing")],
)
def test_a_lost_project_is_refused(tmp_path: Path, lose: Callable[[Garden], None], said: str) -> None:
    garden = make_garden(tmp_path)
    thought(garden, fails("plan_section"))
    runs = len(garden.events("runner_started"))
    lose(garden)
    done = garden.run("resume", "last", "--json")
    assert done.code == 2, done.out + done.err
    assert done.json["error"]["what"] == "the project of this thought is lost, and its record cannot give it back"
    assert said in done.json["error"]["details"][0]
    assert len(garden.events("runner_started")) == runs
