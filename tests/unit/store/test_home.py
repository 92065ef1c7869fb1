"""The home folder: what is shared through git, and how a person's word for a task finds it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness import git
from thoughtforge.kernel.errors import UserError
from thoughtforge.store.home import GITIGNORE, Home

SHARED = ("config.yaml", "roles/r.yaml", "pipelines/p.yaml", "contracts/c.yaml", "prompts/p.md", "plans/p.md")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with three tasks; the one in the middle is the newest."""
    home = Home(tmp_path / ".thoughtforge")
    home.prepare()
    for number, name in enumerate(["20260101-aaaa-one", "20260102-bbbb-two", "20260102-cccc-three"]):
        home.folder(name).mkdir()
        (home.folder(name) / "task.yaml").write_text("")
        os.utime(home.folder(name) / "task.yaml", (0, 100 + number % 2))
    return home


def test_tasks_stay_on_this_machine_and_what_a_team_shares_does_not(tmp_path: Path) -> None:
    home = Home(tmp_path / ".thoughtforge")
    home.prepare()
    for name in (*SHARED, "tasks/t/events.jsonl", "notes.txt"):
        path = home.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    git("init", "-q", cwd=tmp_path)
    shown = git("status", "--porcelain", "-uall", cwd=tmp_path).splitlines()
    assert sorted(line[3:] for line in shown) == sorted(f".thoughtforge/{name}" for name in (".gitignore", *SHARED))


def test_what_a_person_wrote_into_the_ignore_file_stays(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.prepare()
    assert (tmp_path / ".gitignore").read_text() == GITIGNORE
    (tmp_path / ".gitignore").write_text("mine\n")
    home.prepare()
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError) as mistake:
        Home(tmp_path / "file" / "home").prepare()
    assert mistake.value.what == f"the home folder {tmp_path / 'file' / 'home'} cannot be written: Not a directory"
    assert mistake.value.do == "Give write access, or set THOUGHTFORGE_HOME to a folder on a local disk."


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("20260101-aaaa-one", "20260101-aaaa-one"),
        ("20260101", "20260101-aaaa-one"),
        ("20260102-b", "20260102-bbbb-two"),
        ("last", "20260102-bbbb-two"),
    ],
)
def test_an_id_a_unique_beginning_and_last_find_a_task(home: Home, word: str, found: str) -> None:
    assert home.find(word) == found


@pytest.mark.parametrize(
    ("word", "what", "do"),
    [
        ("20260102", "'20260102' matches several tasks", "Use one of: 20260102-bbbb-two, 20260102-cccc-three"),
        (
            "nine",
            "there is no task 'nine'",
            "Use one of: 20260101-aaaa-one, 20260102-bbbb-two, 20260102-cccc-three",
        ),
    ],
)
def test_a_word_for_none_or_several_lists_what_there_is(home: Home, word: str, what: str, do: str) -> None:
    with pytest.raises(UserError) as mistake:
        home.find(word)
    assert (mistake.value.what, mistake.value.do) == (what, do)


def test_a_task_whose_id_begins_another_is_found_by_its_id(home: Home) -> None:
    home.folder("20260101-aaaa-one-more").mkdir()
    assert home.find("20260101-aaaa-one") == "20260101-aaaa-one"


def test_a_home_without_a_task_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(UserError) as mistake:
        Home(tmp_path).find("last")
    assert mistake.value.what == f"there is no task in {tmp_path}"
    assert mistake.value.do == 'Start one: thoughtforge design "…"'


def test_files_and_half_made_tasks_are_no_tasks(home: Home) -> None:
    (home.tasks / "index").write_text("")
    (home.tasks / ".20260103-dddd-half").mkdir()
    assert home.ids() == ["20260101-aaaa-one", "20260102-bbbb-two", "20260102-cccc-three"]
