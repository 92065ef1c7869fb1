"""A repository may bring links along in place of the folders of a home; nothing is written or removed through them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness import git
from harness.place import Place, make_place


@pytest.fixture
def context(tmp_path: Path) -> Place:
    """A clone beside folders of the person that nobody has touched for days."""
    place = make_place(tmp_path)
    keys = tmp_path / ".keys"
    keys.mkdir()
    (keys / "id").write_text("mine")
    os.utime(keys, (0, 0))
    return place


@pytest.mark.parametrize("name", ["tasks", "projects", "homes", "cache"])
def test_no_command_takes_a_link_for_a_folder_of_ours(context: Place, tmp_path: Path, name: str) -> None:
    (context.home / name).symlink_to("../..")
    git("add", "--force", f".thoughtforge/{name}", cwd=context.repository)
    git("commit", "-q", "-m", "Link", cwd=context.repository)
    before = sorted(tmp_path.rglob("*"))
    for args in (("prune", "--yes", "--older-than", "0"), ("status",), ("config", "show")):
        done = context.run(*args)
        assert (done.code, str(context.home / name) in done.err) == (2, True), (args, done.out + done.err)
    assert (sorted(tmp_path.rglob("*")), (tmp_path / ".keys" / "id").read_text()) == (before, "mine")


def test_a_home_that_is_a_link_itself_is_refused(context: Place, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    context.home.rename(tmp_path / "aside")
    context.home.symlink_to("../elsewhere")
    assert context.run("prune", "--yes").code == 2
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert context.run("status", THOUGHTFORGE_HOME=str(tmp_path / "elsewhere")).code == 0


def test_the_ignore_file_is_not_made_through_a_link(context: Place, tmp_path: Path) -> None:
    (context.home / ".gitignore").unlink(missing_ok=True)
    (context.home / ".gitignore").symlink_to("../../victim")
    assert context.run("config", "show").code == 2
    assert not (tmp_path / "victim").exists()


def test_a_task_that_came_with_links_is_not_held(context: Place, tmp_path: Path) -> None:
    assert context.design("--approve", "spec").code == 3
    victim, fresh = tmp_path / "victim", tmp_path / "fresh"
    victim.write_text("mine")
    log, number = context.folder / "events.jsonl", len(context.events()) + 1
    size = log.stat().st_size
    log.write_bytes(log.read_bytes() + b"echo from the repository")
    (context.folder / f"torn-{number}.part").symlink_to(fresh)
    (context.folder / "head.new").symlink_to(victim)
    done = context.run("approve", "last")
    assert (done.code, "head.new" in done.err, f"torn-{number}.part" in done.err) == (2, True, True)
    assert (victim.read_text(), fresh.exists(), log.stat().st_size > size) == ("mine", False, True)
