"""A thought's project: what a person does there with git stays theirs, and work goes on or says why not."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import Stop
from thoughtforge.testing.language import left_behind
from thoughtforge.workspaces.changes import DRAFT
from thoughtforge.workspaces.git import Git, Person, Repository
from thoughtforge.workspaces.project import Project, ignore, make_project

WHEN = "2026-01-01T00:00:00Z"
ADA = Person("Ada", "ada@example.org")


class Bench:
    """A project with one module in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        asyncio.run(make_project(root, path=os.environ["PATH"], when=WHEN))
        ignore(root, left_behind())
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

    def ignore(self, name: str) -> Path:
        with (self.root / ".git" / "info" / "exclude").open("a") as file:
            file.write(f"{name}\n")
        return self.root / name

    def advance(self, files: dict[str, str | None]) -> str:
        """Go on to a commit of a clone in which these files have other contents, or are gone."""
        clone = self.root.with_name("clone")
        shutil.rmtree(clone, ignore_errors=True)
        self.git("clone", "--quiet", str(self.root), str(clone))
        for path in [path for path, text in files.items() if text is None]:
            self.git("-C", str(clone), "rm", "--quiet", path)
        for path, text in files.items():
            if text is not None:
                (clone / path).parent.mkdir(exist_ok=True)
                (clone / path).write_text(text)
        self.git("-C", str(clone), "add", "--all")
        self.git("-C", str(clone), "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "work")
        since, made = self.git("rev-parse", "HEAD"), self.git("-C", str(clone), "rev-parse", "HEAD")
        source = Git(Repository(clone, clone / ".git"), path=os.environ["PATH"])
        asyncio.run(self.project.advance(source, made, since=since))
        return made

    def restore(self, commit: str) -> None:
        asyncio.run(self.project.restore(commit, lambda path: not path.startswith("docs/")))

    def files(self) -> dict[str, str]:
        """What lies there besides the folders every project has; a link is shown by where it leads."""
        names = {str(path.relative_to(self.root)): path for path in self.root.rglob("*")}
        mine = {name: path for name, path in names.items() if not name.startswith((".git/", "docs/", "resources/"))}
        links = {name: str(path.readlink()) for name, path in mine.items() if path.is_symlink()}
        return {name: path.read_text() for name, path in mine.items() if path.is_file()} | links


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


def test_a_draft_of_the_engine_is_nobodys_edit_and_goes(bench: Bench) -> None:
    (bench.root / "docs" / DRAFT).write_text("half of a fi")
    assert (bench.edited(), (bench.root / "docs" / DRAFT).exists()) == ((), False)


@pytest.mark.parametrize("turned", [{"tool": None, "tool/a.txt": "new\n"}, {"bag/a.txt": None, "bag": "new\n"}])
def test_a_file_that_becomes_a_folder_and_the_reverse_get_into_the_project(
    bench: Bench, turned: dict[str, str | None]
) -> None:
    bench.advance({"tool": "old\n", "bag/a.txt": "old\n"})
    before = bench.files()
    made = bench.advance(turned)
    kept = {path: text for path, text in before.items() if path not in turned}
    assert bench.files() == {**kept, **{path: text for path, text in turned.items() if text is not None}}
    assert (bench.git("rev-parse", "HEAD"), bench.git("status", "--porcelain")) == (made, "")


def link(place: Path) -> str:
    place.symlink_to("greeter.py")
    return "a symbolic link"


def folder(place: Path) -> str:
    place.mkdir()
    return "a folder"


def pipe(place: Path) -> str:
    os.mkfifo(place)
    return "no plain file"


NO_FILES = [link, folder, pipe]


@pytest.mark.parametrize("make", NO_FILES)
def test_what_a_person_has_there_and_is_no_file_stays_and_nothing_is_written(
    bench: Bench, make: Callable[[Path], str]
) -> None:
    place = bench.ignore("local")
    kind, before = make(place), (place.lstat(), bench.files(), bench.git("rev-parse", "HEAD"))
    work: dict[str, str | None] = {"greeter.py": None, "local": "new\n", "other.py": "new\n"}
    with pytest.raises(Stop) as stop:
        bench.advance(work)
    told = f"{place} is {kind}, and the work puts local there; move it away, then continue"
    assert (stop.value.reason, stop.value.detail) == ("project_busy", told)
    assert (place.lstat(), bench.files(), bench.git("rev-parse", "HEAD")) == before
    place.rename(bench.root.with_name("moved"))
    bench.advance(work)
    assert (bench.files(), bench.git("status", "--porcelain")) == ({"local": "new\n", "other.py": "new\n"}, "")


@pytest.mark.parametrize(("make", "kind"), [(link, "a symbolic link"), (Path.touch, "a file")])
def test_what_a_person_has_in_the_place_of_a_folder_stays(
    bench: Bench, make: Callable[[Path], object], kind: str
) -> None:
    make(place := bench.ignore("local"))
    before = bench.files()
    with pytest.raises(Stop) as stop:
        bench.advance({"local/a.py": "new\n", "local/b.py": "new\n"})
    words = [f"{place} is {kind}, and the work puts local/{name}.py there" for name in ("a", "b")]
    assert stop.value.detail == f"{'; '.join(words)}; move it away, then continue"
    assert bench.files() == before


@pytest.mark.parametrize("make", NO_FILES)
def test_a_document_takes_the_place_of_nothing_but_a_file(bench: Bench, make: Callable[[Path], str]) -> None:
    place = bench.root / "docs" / "plan.md"
    bench.project.put("docs/plan.md", b"old")
    bench.project.put("docs/plan.md", b"new")
    assert place.read_bytes() == b"new"
    place.unlink()
    kind, was = make(place), place.lstat()
    with pytest.raises(Stop, match=f"plan.md is {kind}, and the work puts docs/plan.md there"):
        bench.project.put("docs/plan.md", b"newer")
    assert place.lstat() == was


def test_putting_a_commit_back_leaves_what_is_no_file(bench: Bench) -> None:
    first = bench.advance({"local": "old\n"})
    bench.advance({"local": None, "later.py": "new\n"})
    place = bench.ignore("local")
    place.symlink_to("greeter.py")
    before = bench.files()
    with pytest.raises(Stop, match="local is a symbolic link, and the work puts local there"):
        bench.restore(first)
    assert bench.files() == before
    place.unlink()
    bench.restore(first)
    assert bench.files() == {"greeter.py": "HELLO = 1\n", "local": "old\n"}


def test_putting_a_commit_back_makes_a_folder_the_file_it_was(bench: Bench) -> None:
    first = bench.advance({"tool": "old\n"})
    bench.advance({"tool": None, "tool/a.txt": "new\n"})
    bench.restore(first)
    assert bench.files() == {"greeter.py": "HELLO = 1\n", "tool": "old\n"}


def test_putting_a_commit_back_leaves_a_repository_inside_the_project(bench: Bench) -> None:
    first = bench.git("rev-parse", "HEAD")
    shutil.copytree(bench.root, inner := bench.root.with_name("inner"))
    inner.rename(bench.root / "inner")
    bench.commit("edits", *bench.edited())
    bench.restore(first)
    assert (bench.root / "inner" / "greeter.py").is_file()


def test_what_a_person_lets_git_ignore_stays(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    ignore(tmp_path, ["build/"])
    file = tmp_path / ".git" / "info" / "exclude"
    file.write_text(f"{file.read_text()}mine/\n")
    ignore(tmp_path, ["build/", "dist/"])
    assert file.read_text() == "build/\nmine/\ndist/\n"
