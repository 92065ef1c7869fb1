"""Applying a result: all of it or nothing, and nothing of the person's is overwritten."""

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.git import Git, Person
from thoughtforge.workspaces.handover import Onto, apply_to_current, onto_current
from thoughtforge.workspaces.workspace import Workspace

JANE = Person("Jane", "jane@example.org")
WHEN = "2026-11-16T10:00:00+00:00"
START = {"a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "gone": "g\n", "kept": "k\n"}
Meanwhile = Callable[[], Any]


def result(
    repo, *, before: Meanwhile = lambda: None, between: Meanwhile = lambda: None
) -> tuple[Onto, tuple[str, ...]]:
    """Work on a.txt, gone and sub/new; work out and apply the result, with something happening in between."""

    async def whole(git: Git):
        base = await git.head()
        at = repo.root.parent / "task"
        workspace = await Workspace.make(git, base=base, branch="thoughtforge/x", at=at)
        await workspace.put("a.txt", START["a.txt"].replace("2", "two").encode())
        await workspace.put("gone", None)
        tree = await workspace.put("sub/new", b"new\n")
        commit = await workspace.commit(tree, message="work", parents=(base,), when=WHEN)
        before()
        onto = await onto_current(git, workspace, commit=commit, message="Merge it", author=JANE, when=WHEN)
        between()
        home = repo.root.parent
        return onto, await apply_to_current(git, workspace, onto=onto, home=home)

    return repo.with_git(whole)


def texts(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(root)): path.read_text() for path in files}


def refused(repo, words: str, *, before: Meanwhile = lambda: None, between: Meanwhile = lambda: None) -> UserError:
    """Nothing may have moved when it is refused."""
    seen = {}

    def last() -> None:
        between()
        seen.update(texts(repo.root), head=repo.git("rev-parse", "HEAD"), status=repo.git("status", "--porcelain"))

    with pytest.raises(UserError, match=words) as caught:
        result(repo, before=before, between=last)
    if seen:
        assert {**texts(repo.root), "head": seen["head"], "status": seen["status"]} == seen
    return caught.value


def test_the_branch_and_its_files_go_straight_on(repo):
    base = repo.commit(START)
    repo.write({"kept": "changed here\n", "untracked": "u\n"})
    onto, paths = result(repo)
    assert (onto.branch, onto.before, onto.how) == ("main", base, "fast_forward")
    assert repo.git("rev-parse", "main").strip() == onto.after
    assert paths == ("a.txt", "gone", "sub/new")
    assert texts(repo.root) == {
        "a.txt": START["a.txt"].replace("2", "two"),
        "kept": "changed here\n",
        "sub/new": "new\n",
        "untracked": "u\n",
    }
    assert repo.git("status", "--porcelain") == " M kept\n?? untracked\n"


def test_a_branch_that_went_on_is_merged(repo):
    repo.commit(START)
    onto, _ = result(repo, before=lambda: repo.commit({"a.txt": START["a.txt"].replace("8", "eight"), "other": "o\n"}))
    assert onto.how == "merge"
    assert repo.git("log", "-1", "--format=%P|%an|%s").split("|")[0].split()[0] == onto.before
    assert repo.git("log", "-1", "--format=%an <%ae> %s") == "Jane <jane@example.org> Merge it\n"
    assert texts(repo.root)["a.txt"] == START["a.txt"].replace("8", "eight").replace("2", "two")
    assert texts(repo.root)["other"] == "o\n"
    assert repo.git("status", "--porcelain") == ""


def test_what_is_there_already_is_not_applied_again(repo):
    repo.commit(START)
    result(repo)

    async def again(git: Git):
        workspace = await Workspace.open(repo.root.parent / "task", path=repo.path)
        tip = await workspace.tip()
        onto = await onto_current(git, workspace, commit=tip, message="m", author=JANE, when=WHEN)
        return onto == Onto("main", tip, tip, "nothing"), await apply_to_current(
            git, workspace, onto=onto, home=repo.root
        )

    assert repo.with_git(again) == (True, ())


def test_conflicts_are_named_and_nothing_moves(repo):
    repo.commit(START)
    change = {"a.txt": START["a.txt"].replace("2", "zwei"), "gone": "not gone\n"}
    head = []
    caught = refused(
        repo, "main has other changes in the same places: a.txt, gone", before=lambda: head.append(repo.commit(change))
    )
    assert caught.details == ("a.txt", "gone")
    assert repo.git("rev-parse", "HEAD").strip() == head[0]
    assert repo.git("status", "--porcelain") == ""


def test_everything_of_the_person_in_the_way_is_listed(repo):
    repo.commit({**START, ".gitignore": "sub/\n"})

    def get_in_the_way() -> None:
        repo.write({"a.txt": "mine\n", "sub/new": "ignored and mine\n", "staged": "s\n", "kept": "k2\n"})
        repo.git("add", "staged")
        repo.git("rm", "--quiet", "gone")

    caught = refused(repo, "your working copy is not clean", before=get_in_the_way)
    assert caught.details == (
        "a.txt: changed and not committed",
        "gone: staged",
        "sub/new: your file is where the change adds a new one",
    )
    assert caught.do == (
        "Commit your changes or stash these alone: git stash push -- a.txt; "
        "Commit the deletion or take it back: git restore --staged -- gone; "
        "Move away or rename your own: sub/new"
    )


def test_what_is_staged_elsewhere_stays_exactly_as_it_was(repo):
    repo.commit({**START, "dropped": "d\n"})
    seen = []

    def stage() -> None:
        repo.write({"kept": "staged\n", "added": "a\n", "meant": "m\n"})
        repo.git("add", "kept", "added")
        repo.git("add", "--intent-to-add", "meant")
        repo.git("rm", "--quiet", "--cached", "dropped")
        repo.write({"kept": "and changed again\n"})
        seen.extend(repo.git("diff", *how) for how in ((), ("--cached",)))

    onto, _ = result(repo, before=stage)
    assert repo.git("rev-parse", "main").strip() == onto.after
    assert [repo.git("diff", *how) for how in ((), ("--cached",))] == seen
    assert repo.git("status", "--porcelain") == "A  added\nD  dropped\nMM kept\n A meant\n?? dropped\n"


def test_a_staged_file_where_the_change_has_a_folder_is_refused(repo):
    repo.commit(START)

    def stage() -> None:
        repo.write({"sub": "mine\n"})
        repo.git("add", "sub")
        (repo.root / "sub").unlink()

    assert refused(repo, "not clean", before=stage).details == ("sub: staged",)


def test_the_advice_leaves_untracked_files_where_they_are_and_gets_the_rest_back(repo):
    repo.commit(START)
    home = {".thoughtforge/config.yaml": "trusted: mine\n", "plans/plan-001.md": "# plan\n"}
    mine = START["a.txt"].replace("8", "eight")

    def get_in_the_way() -> None:
        repo.write({"a.txt": mine, **home})
        repo.git("add", "a.txt")

    caught = refused(repo, "not clean", before=get_in_the_way)
    command = shlex.split(caught.do.partition("alone: git ")[2])
    repo.git(*command)
    assert {path: (repo.root / path).read_text() for path in home} == home
    shutil.rmtree(repo.root.parent / "task")
    result(repo)
    repo.git("stash", "pop", "--quiet")
    assert texts(repo.root)["a.txt"] == mine.replace("2", "two")


def test_a_conflict_that_is_not_resolved_is_refused(repo):
    repo.commit({**START, "other": "o\n"})

    def conflict() -> None:
        repo.write({"other": "mine\n"})
        repo.git("stash", "push", "--quiet", "--", "other")
        repo.commit({"other": "theirs\n"})
        with pytest.raises(Exception, match="stash"):
            repo.git("stash", "pop", "--quiet")

    caught = refused(repo, "not clean", before=conflict)
    assert (caught.details, caught.do) == (
        ("other: finish or abort it first",),
        "Finish or abort what is under way: git status",
    )


def test_a_file_or_link_in_the_place_of_a_folder_is_not_followed(repo, tmp_path):
    repo.commit(START)
    (tmp_path / "elsewhere").mkdir()
    caught = refused(repo, "not clean", before=lambda: (repo.root / "sub").symlink_to(tmp_path / "elsewhere"))
    assert caught.details == ("sub: your file is where the change adds a new one",)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_merge_under_way_is_refused(repo):
    base = repo.commit(START)
    caught = refused(repo, "not clean", before=lambda: (repo.root / ".git/MERGE_HEAD").write_text(f"{base}\n"))
    assert "MERGE_HEAD: finish or abort it first" in caught.details


def test_a_branch_that_moves_after_it_was_worked_out_is_refused(repo):
    repo.commit(START)
    refused(repo, "main has moved in the meantime", between=lambda: repo.commit({"other": "o\n"}))


def test_no_branch_is_refused(repo):
    repo.commit(START)
    refused(repo, "the repository is on no branch", before=lambda: repo.git("checkout", "--quiet", "--detach"))


def test_no_hook_runs_but_the_persons_own_line_endings_and_filters_do(repo, tmp_path):
    repo.commit({**START, ".gitattributes": "sub/* filter=shout\n"})
    for name in ("post-merge", "post-checkout", "reference-transaction", "post-index-change"):
        hook = repo.root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    (tmp_path / ".gitconfig").write_text('[core]\n\tautocrlf = true\n[filter "shout"]\n\tsmudge = tr a-z A-Z\n')
    result(repo)
    assert (repo.root / "sub/new").read_bytes() == b"NEW\r\n"
    assert (repo.root / "a.txt").read_bytes().startswith(b"1\r\ntwo\r\n")
    assert not (tmp_path / "ran").exists()


def test_a_linked_worktree_has_its_own_current_branch(repo, tmp_path):
    repo.commit(START)
    (tmp_path / "two").mkdir()
    repo.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "two/linked"))
    linked = type(repo).__new__(type(repo))
    linked.root = tmp_path / "two/linked"
    main = repo.git("rev-parse", "main")
    onto, _ = result(linked)
    assert (onto.branch, repo.git("rev-parse", "other").strip()) == ("other", onto.after)
    assert repo.git("rev-parse", "main") == main
    assert (linked.root / "sub/new").read_text() == "new\n"
