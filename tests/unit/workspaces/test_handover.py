"""Handing over puts one ref into the person's repository and changes nothing else in it."""

import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.handover import bring, delivery_ref, hand_over, salvage_ref
from thoughtforge.workspaces.workspace import Workspace

REF = delivery_ref("20261116-abcd-x")
NAME = REF.removeprefix("refs/heads/")
WHEN = "2026-11-16T10:00:00+00:00"
Act = Callable[[Git, Workspace, str], Awaitable[Any]]


async def worked(workspace: Workspace, text: str) -> str:
    tree = await workspace.put("new.txt", text.encode())
    return await workspace.commit(tree, message="work", parents=(await workspace.tip(),), when=WHEN)


def with_work(repo, act: Act, *, before: Callable[[], Any] = lambda: None) -> Any:
    """Make a workspace, let something happen in the repository, then act with the task's commit."""

    async def whole(git: Git) -> Any:
        workspace = await Workspace.make(git, base=await git.head(), branch=NAME, at=repo.root.parent / "task")
        commit = await worked(workspace, "done")
        before()
        return await act(git, workspace, commit)

    return repo.with_git(whole)


def handed(repo, ref: str = REF, *, before: Callable[[], Any] = lambda: None) -> str:
    async def act(git: Git, workspace: Workspace, commit: str) -> str:
        await hand_over(git, workspace, commit=commit, ref=ref)
        return commit

    return with_work(repo, act, before=before)


def all_but_objects(root: Path) -> dict[str, tuple[int, str]]:
    files = [path for path in root.rglob("*") if path.is_file() and ".git/objects" not in str(path)]
    digest = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    return {str(path.relative_to(root)): (path.stat().st_mtime_ns, digest[path]) for path in files}


def trapped(repo, tmp_path: Path) -> None:
    for name in ("reference-transaction", "post-checkout", "post-merge", "pre-auto-gc", "post-rewrite"):
        hook = repo.root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    for key in ("core.fsmonitor", "core.alternateRefsCommand", "core.sshCommand", "uploadpack.packObjectsHook"):
        repo.git("config", key, f"touch {tmp_path}/ran; false")
    repo.git("config", "gc.auto", "1")
    repo.git("config", "fetch.prune", "true")
    repo.git("config", "fetch.writeCommitGraph", "true")


@pytest.mark.parametrize("ref", [REF, salvage_ref("20261116-abcd-x")])
def test_one_ref_arrives_and_every_other_file_stays_as_it_was(repo, tmp_path, ref):
    repo.commit({"a.txt": "a", "b.txt": "b"})
    repo.write({"a.txt": "stashed"})
    repo.git("stash")
    repo.git("tag", "v1")
    repo.git("pack-refs", "--all")
    repo.git("branch", "loose")
    repo.write({"a.txt": "changed", "staged": "s", "untracked": "u"})
    repo.git("add", "staged")
    trapped(repo, tmp_path)
    seen = {}
    commit = handed(repo, ref, before=lambda: seen.update(all_but_objects(repo.root)))
    now = all_but_objects(repo.root)
    new = {name for name in now if name not in seen}
    assert {name: now[name] for name in seen} == seen
    assert new - {f".git/logs/{ref}"} == {f".git/{ref}"}
    assert repo.git("rev-parse", ref).strip() == commit
    assert repo.git("show", f"{ref}:new.txt") == "done"
    assert not (tmp_path / "ran").exists()


def test_a_repository_that_borrows_objects_runs_no_program_of_its_own(repo, tmp_path):
    repo.commit({"a.txt": "a"})
    repo.git("clone", "--quiet", "--shared", str(repo.root), str(tmp_path / "two/borrower"))
    borrower = type(repo)(tmp_path / "two/borrower")
    trapped(borrower, tmp_path)
    assert handed(borrower) == borrower.git("rev-parse", REF).strip()
    assert not (tmp_path / "ran").exists()


def test_it_works_after_the_person_went_on_and_cleaned_up(repo):
    repo.commit({"a.txt": "a"})

    def go_on() -> None:
        repo.git("checkout", "--quiet", "-b", "other")
        repo.git("commit", "--quiet", "--amend", "--message=amended")
        repo.git("branch", "-D", "main")
        repo.git("reflog", "expire", "--expire=now", "--all")
        repo.git("gc", "--quiet", "--prune=now")

    assert repo.git("rev-parse", handed(repo, before=go_on)) == repo.git("rev-parse", REF)
    repo.git("fsck", "--full", "--strict")


def test_it_works_in_a_linked_worktree_and_from_it(repo, tmp_path):
    repo.commit({"a.txt": "a"})
    (tmp_path / "two").mkdir()
    repo.git("worktree", "add", "--quiet", "-b", "linked", str(tmp_path / "two/linked"))
    linked = type(repo).__new__(type(repo))
    linked.root = tmp_path / "two/linked"
    assert handed(linked) == repo.git("rev-parse", REF).strip()
    assert repo.git("show", f"{REF}:new.txt") == "done"


@pytest.mark.parametrize("deepen", [False, True])
def test_it_works_in_a_shallow_repository_also_one_made_whole_meanwhile(repo, tmp_path, deepen):
    repo.commit({"a.txt": "a"})
    repo.commit({"a.txt": "b"})
    repo.git("clone", "--quiet", "--depth=1", f"file://{repo.root}", str(tmp_path / "two/shallow"))
    shallow = type(repo).__new__(type(repo))
    shallow.root = tmp_path / "two/shallow"
    handed(shallow, before=lambda: deepen and shallow.git("fetch", "--quiet", "--unshallow"))
    assert shallow.git("show", f"{REF}:new.txt") == "done"
    assert (shallow.root / ".git/shallow").exists() != deepen
    assert shallow.git("rev-list", "--count", REF).strip() == ("3" if deepen else "2")


def test_again_does_nothing_and_more_work_moves_the_ref_on(repo):
    repo.commit({"a.txt": "a"})

    async def act(git: Git, workspace: Workspace, commit: str):
        await hand_over(git, workspace, commit=commit, ref=REF)
        before = all_but_objects(repo.root)
        await hand_over(git, workspace, commit=commit, ref=REF)
        same = all_but_objects(repo.root) == before
        more = await worked(workspace, "more")
        await hand_over(git, workspace, commit=more, ref=REF)
        return same, await git.resolve(REF) == more

    assert with_work(repo, act) == (True, True)


def test_work_under_that_name_that_is_not_part_of_this_is_never_overwritten(repo):
    repo.commit({"a.txt": "a"})
    mine = []

    def use_the_name() -> None:
        repo.git("checkout", "--quiet", "-b", NAME)
        mine.append(repo.commit({"mine.txt": "mine"}))
        repo.git("checkout", "--quiet", "main")

    with pytest.raises(UserError, match=f"the branch {NAME} already exists in the repository") as caught:
        handed(repo, before=use_the_name)
    assert f"git update-ref {REF}-kept {REF}" in caught.value.do
    assert repo.git("rev-parse", REF).strip() == mine[0]


def test_salvage_never_overwrites_other_work_either(repo):
    repo.commit({"a.txt": "a"})
    ref = salvage_ref("x")
    other = repo.git("commit-tree", "-m", "other", "HEAD^{tree}").strip()
    repo.git("update-ref", ref, other)
    with pytest.raises(UserError, match="already exists in the repository"):
        handed(repo, ref)
    assert repo.git("rev-parse", ref).strip() == other


def test_a_branch_that_is_checked_out_anywhere_is_refused_with_the_place(repo, tmp_path):
    repo.commit({"a.txt": "a"})
    linked = tmp_path / "linked"
    with pytest.raises(UserError, match=f"the branch {NAME} is checked out in {linked}"):
        handed(repo, before=lambda: repo.git("worktree", "add", "--quiet", "-b", NAME, str(linked)))


def test_a_branch_in_the_place_of_the_folder_is_named(repo):
    repo.commit({"a.txt": "a"})
    repo.git("branch", "thoughtforge")
    repo.git("pack-refs", "--all")
    with pytest.raises(
        UserError, match="the branch thoughtforge is in the way of the branch thoughtforge/2026"
    ) as caught:
        handed(repo)
    assert caught.value.do == "Give it another name: git branch --move thoughtforge NEW"


def test_a_commit_no_branch_of_the_workspace_leads_to_arrives_too(repo):
    repo.commit({"a.txt": "a"})

    async def act(git: Git, workspace: Workspace, commit: str):
        tree = await workspace.put("side.txt", b"s")
        side = await workspace.commit(tree, message="side", parents=(commit,), when=WHEN, move=False)
        refs = repo.git("for-each-ref")
        await bring(git, workspace, commit=side)
        unchanged = repo.git("for-each-ref") == refs
        await hand_over(git, workspace, commit=side, ref=salvage_ref("x"))
        return unchanged, await workspace.tip() == commit, await git.blob(side, "side.txt")

    assert with_work(repo, act) == (True, True, b"s")
