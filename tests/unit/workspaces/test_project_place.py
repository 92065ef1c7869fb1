"""Where a project is, without asking git again for what has not changed, and at once where it has."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import Stop
from thoughtforge.workspaces.git import Person
from thoughtforge.workspaces.project import Project, make_project
from thoughtforge.workspaces.project_place import Tip

WHEN = "2026-01-01T00:00:00Z"
ADA = Person("Ada", "ada@example.org")
PLAIN_COMMIT = ["read-tree", "add", "write-tree", "commit-tree", "diff-tree", "update-index", "update-ref"]


class Watched:
    """A project whose git writes down every command it is given."""

    def __init__(self, folder: Path) -> None:
        self.root, self.list = folder / "project", folder / "commands"
        real = subprocess.run(["which", "git"], capture_output=True, check=True, text=True).stdout.strip()
        (folder / "bin").mkdir()
        wrapper = folder / "bin" / "git"
        wrapper.write_text(f'#!/bin/sh\necho "$@" >> {self.list}\nexec {real} "$@"\n')
        wrapper.chmod(0o755)
        path = f"{folder / 'bin'}:{os.environ['PATH']}"
        asyncio.run(make_project(self.root, path=path, when=WHEN))
        self.project = Project(self.root, path=path)
        self.asked()

    def person(self, *args: str) -> str:
        who = ["-c", f"user.name={ADA.name}", "-c", f"user.email={ADA.email}"]
        return subprocess.run(
            ["git", *who, *args], cwd=self.root, capture_output=True, check=True, text=True
        ).stdout.strip()

    def commit(self, step: str) -> str:
        (self.root / "docs" / f"{step}.md").write_text(step)
        return asyncio.run(self.project.commit(step, step=step, when=WHEN, author=ADA))

    def tip(self) -> Tip:
        return asyncio.run(self.project.tip())

    def asked(self) -> list[str]:
        """The commands git was given since this was asked last."""
        lines = self.list.read_text().splitlines() if self.list.exists() else []
        self.list.unlink(missing_ok=True)
        known = {*PLAIN_COMMIT, "log", "ls-files", "symbolic-ref"}
        return [word for line in lines for word in line.split() if word in known][: len(lines)]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_a_milestone_takes_as_few_commands_as_its_commit(watched: Watched) -> None:
    watched.commit("one")
    watched.asked()
    watched.commit("two")
    assert watched.asked() == ["ls-files", *PLAIN_COMMIT]
    assert watched.tip().step == "two"
    assert watched.asked() == []


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.person("commit", "--quiet", "--allow-empty", "-m", "Mine"),
        lambda one: one.person("commit", "--quiet", "--amend", "--allow-empty", "-m", "Mine"),
        lambda one: one.person("reset", "--quiet", "--hard", "HEAD~1"),
        lambda one: one.person("pack-refs", "--all"),
        lambda one: one.person("checkout", "--quiet", "--detach", "HEAD~1"),
    ],
    ids=["commit", "amend", "reset", "packed", "detached"],
)
def test_what_a_person_does_to_the_branch_shows_at_once(watched: Watched, change: Callable[[Watched], str]) -> None:
    for step in ("one", "two"):
        watched.commit(step)
    change(watched)
    body = watched.person("log", "-1", "--format=%B")
    step = body.partition("ThoughtForge-Step: ")[2].strip()
    assert watched.tip() == Tip(watched.person("rev-parse", "HEAD"), step)


def test_what_a_person_stages_after_the_index_was_read_stays_staged(watched: Watched) -> None:
    watched.commit("one")
    asyncio.run(watched.project.check_ready())
    (watched.root / "docs" / "one.md").write_text("staged")
    watched.person("add", "docs/one.md")
    (watched.root / "docs" / "one.md").write_text("in the file")
    watched.commit("two")
    assert watched.person("show", ":docs/one.md") == "staged"
    assert watched.person("show", "HEAD:docs/one.md") == "in the file"


def test_a_branch_that_only_points_at_another_is_not_ours(watched: Watched) -> None:
    watched.commit("one")
    watched.person("branch", "trunk")
    watched.person("symbolic-ref", "refs/heads/main", "refs/heads/trunk")
    with pytest.raises(Stop, match="is on the branch trunk"):
        watched.commit("two")


def test_the_index_follows_a_repository_inside_that_a_person_lets_git_ignore(watched: Watched) -> None:
    inside = watched.root / "docs" / "inside"
    inside.mkdir()
    for args in (("init", "--quiet"), ("commit", "--quiet", "--allow-empty", "-m", "First")):
        watched.person("-C", str(inside), *args)
    (watched.root / ".gitmodules").write_text(
        '[submodule "inside"]\n\tpath = docs/inside\n\turl = ./inside\n\tignore = all\n'
    )
    watched.person("add", "--force", ".gitmodules", "docs/inside")
    watched.commit("one")
    watched.person("-C", str(inside), "commit", "--quiet", "--allow-empty", "-m", "Second")
    watched.commit("two")
    newest = watched.person("-C", str(inside), "rev-parse", "HEAD")
    assert watched.person("rev-parse", "HEAD:docs/inside") == newest
    assert watched.person("rev-parse", ":docs/inside") == newest
