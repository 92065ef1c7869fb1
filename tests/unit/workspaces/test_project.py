"""A thought's project: what a person does there with git stays theirs, and work goes on or says why not."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import Stop
from thoughtforge.testing.language import left_behind
from thoughtforge.workspaces.git import Person
from thoughtforge.workspaces.project import Project, make_project

WHEN = "2026-01-01T00:00:00Z"
ADA = Person("Ada", "ada@example.org")


class Bench:
    """A project with one module in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        asyncio.run(make_project(root, path=os.environ["PATH"], when=WHEN, ignored=left_behind()))
        self.project = Project(root, path=os.environ["PATH"])
        (root / "greeter.py").write_text("HELLO = 1\n")
        self.commit("Code")
        self.git("config", "user.name", ADA.name)
        self.git("config", "user.email", ADA.email)

    def git(self, *args: str, fails: bool = False) -> str:
        ended = subprocess.run(["git", *args], cwd=self.root, capture_output=True, check=False)
        assert fails or ended.returncode == 0, ended.stderr
        return ended.stdout.decode("utf-8", "replace").rstrip("\n")

    def edited(self) -> tuple[str, ...]:
        return asyncio.run(self.project.edited())

    def commit(self, step: str, *only: str) -> str:
        return asyncio.run(self.project.commit(step, step=step, when=WHEN, author=ADA, only=only))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A fresh one."""
    return Bench(tmp_path / "project")


def test_a_milestone_takes_every_file_and_leaves_a_clean_tree(bench: Bench) -> None:
    (bench.root / "new.py").write_text("NEW = 1\n")
    (bench.root / "greeter.py").unlink()
    made = bench.commit("next")
    assert bench.git("show", "--name-status", "--format=%an %s", made) == "Ada next\n\nD\tgreeter.py\nA\tnew.py"
    assert bench.git("status", "--porcelain") == ""


def test_the_same_milestone_is_committed_once(bench: Bench) -> None:
    made = bench.commit("next")
    (bench.root / "new.py").write_text("NEW = 1\n")
    assert bench.commit("next") == made


@pytest.mark.parametrize("command", [("mv", "greeter.py", "moved.py"), ("rm", "--quiet", "greeter.py")])
def test_what_a_person_moves_or_removes_with_git_is_committed_as_theirs(bench: Bench, command: tuple[str, ...]) -> None:
    bench.git(*command)
    theirs = bench.edited()
    bench.commit("edits", *theirs)
    assert (bench.edited(), bench.git("status", "--porcelain")) == ((), "")
    assert "greeter.py" not in bench.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()


def test_a_name_of_any_bytes_is_committed(bench: Bench) -> None:
    (bench.root / os.fsdecode(b"caf\xe9.txt")).write_bytes(b"hello")
    bench.commit("edits", *bench.edited())
    assert (bench.edited(), bench.git("status", "--porcelain")) == ((), "")


def test_what_a_person_has_staged_stays_staged(bench: Bench) -> None:
    (bench.root / "greeter.py").write_text("STAGED = 1\n")
    bench.git("add", "greeter.py")
    (bench.root / "greeter.py").write_text("HELLO = 1\n")
    assert bench.edited() == ()
    (bench.root / "new.py").write_text("NEW = 1\n")
    bench.commit("next")
    assert bench.git("show", ":greeter.py") == "STAGED = 1"
    assert bench.git("show", "HEAD:greeter.py") == "HELLO = 1"


def test_what_a_person_takes_out_of_the_index_stays_out_of_it(bench: Bench) -> None:
    bench.git("rm", "--quiet", "--cached", "greeter.py")
    assert bench.edited() == ()
    (bench.root / "new.py").write_text("NEW = 1\n")
    bench.commit("next")
    assert bench.git("ls-files", "greeter.py", "new.py") == "new.py"


def in_a_merge(bench: Bench) -> None:
    bench.git("checkout", "--quiet", "-b", "side")
    (bench.root / "greeter.py").write_text("A = 1\n")
    bench.git("commit", "--quiet", "-am", "side")
    bench.git("checkout", "--quiet", "main")
    (bench.root / "greeter.py").write_text("B = 1\n")
    bench.git("commit", "--quiet", "-am", "mine")
    bench.git("merge", "side", fails=True)


def on_another_branch(bench: Bench) -> None:
    bench.git("checkout", "--quiet", "-b", "mine")


def detached(bench: Bench) -> None:
    bench.git("checkout", "--quiet", "--detach")


def orphaned(bench: Bench) -> None:
    bench.git("checkout", "--quiet", "--orphan", "x")


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (in_a_merge, "a merge is under way in {root}; finish it or abort it"),
        (on_another_branch, "{root} is on the branch mine; the work is on main: git -C {root} checkout main"),
        (detached, "{root} is on no branch (a detached HEAD); the work is on main: git -C {root} checkout main"),
        (orphaned, "{root} is on the branch x; the work is on main: git -C {root} checkout main"),
    ],
)
def test_in_the_middle_of_something_nothing_is_written(bench: Bench, state: Callable[[Bench], None], told: str) -> None:
    state(bench)
    before = bench.git("status", "--porcelain=v2", "--branch"), bench.git("for-each-ref")
    with pytest.raises(Stop) as stop:
        bench.commit("next")
    assert (stop.value.reason, stop.value.detail) == ("project_busy", told.format(root=bench.root))
    assert (bench.git("status", "--porcelain=v2", "--branch"), bench.git("for-each-ref")) == before


def test_another_git_at_work_is_named(bench: Bench) -> None:
    (bench.root / ".git" / "index.lock").touch()
    (bench.root / "new.py").write_text("NEW = 1\n")
    with pytest.raises(Stop) as stop:
        bench.commit("next")
    assert (stop.value.reason, "index.lock" in stop.value.detail) == ("file_system_error", True)
    (bench.root / ".git" / "index.lock").unlink()
    bench.commit("next")
    assert bench.git("status", "--porcelain") == ""


def test_what_running_code_leaves_behind_is_nobodys_edit(bench: Bench) -> None:
    for name in ("__pycache__/greeter.pyc", ".venv/bin/python", "node_modules/a/index.js"):
        (bench.root / name).parent.mkdir(parents=True)
        (bench.root / name).write_bytes(b"\0")
    assert bench.edited() == ()
    assert asyncio.run(bench.project.files()) == ("docs/.gitkeep", "greeter.py", "resources/.gitkeep")
