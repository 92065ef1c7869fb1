"""A task's workspace: the person's repository stays as it is, every byte comes through, nothing in it is obeyed."""

import asyncio
import hashlib
import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.git import NOBODY, Git, Person
from thoughtforge.workspaces.patterns import parse_ignore
from thoughtforge.workspaces.tree import SearchHit, SearchResult
from thoughtforge.workspaces.workspace import Workspace

BRANCH = "thoughtforge/20261116-abcd-x"
JANE = Person("Jane", "jane@example.org")
WHEN = "2026-11-16T10:00:00.000000+00:00"


def everything(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Each path below a folder with its kind, mode, time and bytes."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, status.st_size, digest)
    return found


def with_workspace(repo, act: Callable[[Workspace], Awaitable[Any]], *, base: str | None = None) -> Any:
    async def whole(git: Git) -> Any:
        commit = base or await git.head()
        return await act(await Workspace.make(git, base=commit, branch=BRANCH, at=repo.root.parent / "task"))

    return repo.with_git(whole)


def listed(folder: Path) -> dict[str, str | bytes]:
    files = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            files[str(path.relative_to(folder))] = f"-> {path.readlink()}"
        elif path.is_file():
            files[str(path.relative_to(folder))] = path.read_bytes()
    return files


def write_object(repo, kind: str, data: bytes) -> str:
    argv = ["git", "hash-object", "-w", "--literally", "--stdin", "-t", kind]
    return subprocess.run(argv, cwd=repo.root, input=data, check=True, capture_output=True).stdout.decode().strip()


def planted(repo, tmp_path: Path) -> None:
    """Everything a repository can name to be run or converted, each leaving a trace when it is."""
    trace = f"touch {tmp_path}/ran; cat"
    for key in ("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "merge.evil.driver"):
        repo.git("config", key, trace)
    repo.git("config", "diff.evil.command", trace)
    repo.git("config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    repo.git("config", "core.autocrlf", "true")
    for name in ("post-checkout", "reference-transaction", "post-index-change", "post-merge"):
        hook = repo.root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)


def test_making_it_leaves_every_file_and_time_of_the_repository_as_it_was(repo):
    repo.commit({"a.txt": "a"})
    repo.git("gc", "--quiet")
    repo.commit({"b.txt": "b"})
    repo.write({"a.txt": "changed", "staged": "s"})
    repo.git("add", "staged")
    before = everything(repo.root)
    with_workspace(repo, lambda workspace: workspace.tree())
    assert everything(repo.root) == before


def test_objects_are_linked_and_not_copied(repo):
    repo.commit({"a.txt": "a"})
    repo.git("gc", "--quiet")
    repo.commit({"b.txt": "b"})
    with_workspace(repo, lambda workspace: workspace.tree())
    ours = {path.stat().st_ino for path in (repo.root.parent / "task/base.git/objects").rglob("*") if path.is_file()}
    theirs = [
        path for path in (repo.root / ".git/objects").rglob("*") if path.suffix == ".pack" or len(path.name) == 38
    ]
    assert len(theirs) > 3
    assert {path.stat().st_ino for path in theirs} <= ours


def test_files_come_out_byte_for_byte_with_their_links_and_modes(repo, tmp_path):
    raw = {"crlf.txt": b"a\r\nb\n", "id.c": b"$Id$\n", "utf16.txt": "ä\n".encode("utf-16"), "x.evil": b"\x00\xff"}
    repo.write({**raw, "run.sh": "#!/bin/sh\n", "ü/name with\nline": "x"})
    (repo.root / "run.sh").chmod(0o755)
    (repo.root / "link").symlink_to("../outside")
    repo.commit()
    attributes = "* text=auto eol=crlf ident filter=evil diff=evil merge=evil\nutf16.txt working-tree-encoding=UTF-16\n"
    (repo.root / ".gitattributes").write_text(attributes)
    repo.git("update-index", "--add", ".gitattributes")
    repo.git("commit", "--quiet", "--message=attributes")
    planted(repo, tmp_path)

    async def look(workspace: Workspace):
        (workspace.folder / "id.c").write_bytes(b"changed\r\n")
        await workspace.put("id.c", b"changed\r\n")
        await workspace.diff(workspace.base, await workspace.tree())
        return await workspace.matches(), await workspace.read(await workspace.tree(), "id.c")

    assert with_workspace(repo, look) == ((), b"changed\r\n")
    folder = tmp_path / "task/workspace"
    files = {**raw, "id.c": b"changed\r\n", "run.sh": b"#!/bin/sh\n", "ü/name with\nline": b"x"}
    assert listed(folder) == {**files, "link": "-> ../outside", ".gitattributes": attributes.encode()}
    assert os.access(folder / "run.sh", os.X_OK)
    assert not os.access(folder / "crlf.txt", os.X_OK)
    assert not (tmp_path / "ran").exists()


def test_any_commit_can_be_the_start_also_one_no_branch_leads_to(repo):
    first = repo.commit({"a.txt": "first"})
    repo.git("commit", "--quiet", "--amend", "--message=another")
    repo.commit({"a.txt": "second"})
    assert with_workspace(repo, lambda workspace: workspace.read("HEAD", "a.txt"), base=first) == b"first"
    assert listed(repo.root.parent / "task/workspace") == {"a.txt": b"first"}


def test_a_commit_that_is_not_there_is_refused(repo):
    repo.commit({"a.txt": "a"})
    with pytest.raises(UserError, match="does not have all of commit 111111111111"):
        with_workspace(repo, lambda workspace: workspace.tree(), base="1" * 40)
    assert not (repo.root.parent / "task/workspace.git").exists()


def test_a_commit_with_a_git_directory_among_its_files_is_refused(repo):
    commit = repo.commit({"a.txt": "a", "config": "[core]\n"})
    # git writes no such tree by itself, so it is written by hand
    inner = bytes.fromhex(repo.git("rev-parse", "HEAD:config").strip())
    tree = write_object(repo, "tree", b"100644 .git\0" + inner)
    bad = repo.git("commit-tree", "-m", "bad", "-p", commit, tree).strip()
    with pytest.raises(UserError, match=r"invalid path '\.git'"):
        with_workspace(repo, lambda workspace: workspace.tree(), base=bad)
    assert not (repo.root.parent / "task/workspace.git").exists()


def test_it_lives_on_when_the_person_deletes_and_cleans_up(repo):
    repo.commit({"a.txt": "a"})
    with_workspace(repo, lambda workspace: workspace.tree())
    repo.git("checkout", "--quiet", "--orphan", "other")
    repo.commit({"b.txt": "b"})
    repo.git("branch", "-D", "main")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "--quiet", "--prune=now")
    argv = ["git", f"--git-dir={repo.root.parent}/task/workspace.git", "fsck", "--full", "--strict"]
    assert subprocess.run(argv, check=True, capture_output=True, text=True).stdout == ""


def test_a_repository_that_borrows_objects_leaves_a_workspace_that_borrows_from_its_own_base_alone(repo, tmp_path):
    repo.commit({"a.txt": "a"})
    repo.git("clone", "--quiet", "--shared", str(repo.root), str(tmp_path / "borrower"))
    borrower = type(repo)(tmp_path / "borrower")
    borrower.commit({"b.txt": "b"})
    with_workspace(borrower, lambda workspace: workspace.tree())
    for object_file in (repo.root / ".git/objects").glob("??/*"):
        object_file.unlink()
    assert (tmp_path / "task/workspace.git/objects/info/alternates").read_text() == "../../base.git/objects\n"
    assert not (tmp_path / "task/base.git/objects/info/alternates").exists()
    subprocess.run(["git", f"--git-dir={tmp_path}/task/workspace.git", "fsck", "--full"], check=True)


def test_shallow_linked_and_detached_repositories_and_those_with_long_ids_work(repo, tmp_path):
    repo.commit({"a.txt": "a"})
    repo.commit({"b.txt": "b"})
    repo.git("clone", "--quiet", "--depth=1", f"file://{repo.root}", str(tmp_path / "one/shallow"))
    (tmp_path / "two").mkdir()
    repo.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "two/linked"))
    (tmp_path / "three/long").mkdir(parents=True)
    repo.git("init", "--quiet", "--object-format=sha256", cwd=tmp_path / "three/long")
    long = type(repo)(tmp_path / "three/long")
    long.commit({"a.txt": "a", "b.txt": "b"})
    for root in ("one/shallow", "two/linked", "three/long"):
        other = type(repo).__new__(type(repo))
        other.root = tmp_path / root

        async def change(workspace: Workspace):
            (workspace.folder / "a.txt").write_text("A")
            await workspace.put("a.txt", b"A")
            return await workspace.matches(), (await workspace.changes("HEAD", await workspace.tree()))[0][:2]

        assert with_workspace(other, change) == ((), ("a.txt", "modified"))


def test_making_it_again_gives_the_same_one_and_another_is_refused(repo):
    commit = repo.commit({"a.txt": "a"})

    async def twice(git: Git):
        at = repo.root.parent / "task"
        first = await Workspace.make(git, base=commit, branch=BRANCH, at=at, author=JANE)
        tree = await first.put("a.txt", b"new")
        again = await Workspace.make(git, base=commit, branch=BRANCH, at=at)
        with pytest.raises(UserError, match=f"holds a workspace for {BRANCH} at {commit[:12]}"):
            await Workspace.make(git, base=commit, branch="other", at=at)
        return tree == await again.tree(), again.base == commit, again.branch == BRANCH, again.author == JANE

    assert repo.with_git(twice) == (True, True, True, True)


def test_one_that_was_half_made_is_made_anew(repo):
    repo.commit({"a.txt": "a"})
    at = repo.root.parent / "task"
    for left in ("workspace.git.making/objects", "base.git.making/objects", "workspace.making", "workspace/sub"):
        (at / left).mkdir(parents=True)
        (at / left / "half").write_text("half")
    with pytest.raises(UserError, match="there is no workspace in"):
        asyncio.run(Workspace.open(at, path=repo.path))
    with_workspace(repo, lambda workspace: workspace.tree())
    assert sorted(path.name for path in at.iterdir()) == ["base.git", "workspace", "workspace.git"]
    assert listed(at / "workspace") == {"a.txt": b"a"}


def test_files_that_were_lost_while_they_were_exchanged_come_back(repo):
    repo.commit({"a.txt": "a"})

    async def lose(workspace: Workspace):
        await workspace.put("a.txt", b"on record")
        workspace.folder.rename(workspace.folder.with_name("workspace.old"))
        return await workspace.matches()

    assert with_workspace(repo, lose) == ("a.txt",)
    with_workspace(repo, lambda workspace: workspace.tree())
    assert listed(repo.root.parent / "task/workspace") == {"a.txt": b"on record"}
    assert not (repo.root.parent / "task/workspace.old").exists()


def test_put_records_content_modes_and_removals_and_writes_no_file(repo):
    repo.write({"run.sh": "old", "gone": "x", "plain": "old"})
    (repo.root / "run.sh").chmod(0o755)
    repo.commit()

    async def put(workspace: Workspace):
        await workspace.put("run.sh", b"new\r\n")
        await workspace.put("plain", b"", executable=True)
        await workspace.put("gone", None)
        await workspace.put("never there", None)
        tree = await workspace.put("deep/new *.py", b"n")
        entries = await workspace.git.entries(tree)
        return [(entry.path, entry.mode, entry.size) for entry in entries]

    assert with_workspace(repo, put) == [
        ("deep/new *.py", "100644", 1),
        ("plain", "100755", 0),
        ("run.sh", "100755", 5),
    ]
    assert listed(repo.root.parent / "task/workspace") == {"run.sh": b"old", "gone": b"x", "plain": b"old"}


@pytest.mark.parametrize("path", [".git/config", "a/.GIT/hooks/x", "../x", "/x", "a//b", ""])
def test_a_path_git_must_not_hold_is_refused(repo, path):
    repo.commit({"a.txt": "a"})
    with pytest.raises(UserError):
        with_workspace(repo, lambda workspace: workspace.put(path, b"x"))


def test_many_puts_and_looks_at_once_all_arrive(repo):
    repo.commit({"a.txt": "a"})

    async def race(workspace: Workspace):
        await asyncio.gather(*(workspace.put(f"{number}", b"x") for number in range(8)), workspace.tree())
        return await workspace.paths(await workspace.tree())

    assert with_workspace(repo, race) == (*map(str, range(8)), "a.txt")


def test_a_lock_left_by_a_killed_git_is_taken_away_on_request(repo):
    repo.commit({"a.txt": "a"})

    async def locked(workspace: Workspace):
        (workspace.git_dir / "index.lock").touch()
        (workspace.git_dir / "refs/heads/x.lock").touch()
        with pytest.raises(UserError, match="index.lock"):
            await workspace.put("a.txt", b"b")
        workspace.unlock()
        return await workspace.put("a.txt", b"b") == await workspace.tree()

    assert with_workspace(repo, locked)


def test_everything_written_past_the_record_is_named_and_put_right(repo, tmp_path):
    repo.commit(
        {"same": "s", "changed": "1", "gone": "g", "mode": "m", "linked": "l", "sub/x": "x", ".gitignore": "*.log"}
    )

    async def tamper(workspace: Workspace):
        folder = workspace.folder
        times = (folder / "changed").stat()
        (folder / "changed").write_text("2")
        os.utime(folder / "changed", ns=(times.st_atime_ns, times.st_mtime_ns))
        (folder / "gone").unlink()
        (folder / "mode").chmod(0o755)
        (folder / "linked").unlink()
        (folder / "linked").symlink_to("same")
        (folder / "ignored.log").write_text("")
        (folder / "sub/.git/hooks").mkdir(parents=True)
        (folder / "sub/.git/config").write_text("[core]\n\tfsmonitor = touch ran")
        (folder / ".git").write_text("gitdir: elsewhere")
        os.mkfifo(folder / "pipe")
        Path(os.fsdecode(os.fsencode(folder) + b"/not-\xff")).write_text("")
        (folder / "empty folder").mkdir()
        found = await workspace.matches()
        await workspace.restore()
        return found, await workspace.matches()

    expected = [".git", "changed", "gone", "ignored.log", "linked", "mode", "not-\\xff", "pipe", "sub/.git/config"]
    assert with_workspace(repo, tamper) == (tuple(expected), ())
    assert sorted(path.name for path in (tmp_path / "task").iterdir()) == ["base.git", "workspace", "workspace.git"]


def test_reset_goes_back_to_a_commit_with_branch_record_and_files(repo):
    repo.commit({"a.txt": "a"})

    async def forth_and_back(workspace: Workspace):
        tree = await workspace.put("new", b"n")
        later = await workspace.commit(tree, message="later", parents=(workspace.base,), when=WHEN)
        (workspace.folder / "a.txt").write_text("spoilt")
        await workspace.reset(later)
        forth = listed(workspace.folder), await workspace.tip() == later, await workspace.matches()
        await workspace.reset(workspace.base)
        at_base = await workspace.tree() == await workspace.tree_of(workspace.base)
        return forth, listed(workspace.folder), await workspace.tip() == workspace.base, at_base

    forth = ({"a.txt": b"a", "new": b"n"}, True, ())
    assert with_workspace(repo, forth_and_back) == (forth, {"a.txt": b"a"}, True, True)


def test_a_commit_carries_its_author_and_time_and_is_the_same_when_made_again(repo):
    repo.commit({"a.txt": "a"})

    async def commit(workspace: Workspace):
        tree = await workspace.put("a.txt", b"b")
        values = {"message": "feat: ä\n\nbody\n\n", "parents": (workspace.base,), "when": WHEN}
        ours = await workspace.commit(tree, **values)
        made = [await workspace.commit(tree, **values, author=JANE) for _ in range(2)]
        shown = await workspace.git.output("cat-file", "commit", made[0])
        who = await workspace.git.output("log", "-1", "--format=%an <%ae>", ours)
        return made[0] == made[1] == await workspace.tip(), shown.decode(), who.decode(), tree, workspace.base

    same, shown, who, tree, base = with_workspace(repo, commit)
    jane = "Jane <jane@example.org> 1794823200 +0000"
    assert shown == f"tree {tree}\nparent {base}\nauthor {jane}\ncommitter {jane}\n\nfeat: ä\n\nbody\n"
    assert (same, who) == (True, f"{NOBODY.name} <{NOBODY.email}>\n")


def test_the_record_can_be_read_and_searched_as_a_tree(repo):
    repo.commit({"a.txt": "committed\n", ".env": "secret\n"})

    async def look(workspace: Workspace):
        await workspace.put("a.txt", b"on record\n")
        tree = await workspace.view(parse_ignore(""))
        try:
            found = await tree.search("record")
            return [entry.path for entry in tree.paths()], (await tree.read("a.txt")).text, found
        finally:
            await tree.close()

    assert with_workspace(repo, look) == (["a.txt"], "on record\n", SearchResult((SearchHit("a.txt", 1, "on record"),)))


def test_a_submodule_stays_the_same_entry_and_an_empty_folder(repo, tmp_path):
    other = type(repo)(tmp_path / "other")
    inner = other.commit({"inner.txt": "x"})
    repo.commit({"a.txt": "a"})
    repo.git("submodule", "--quiet", "add", str(other.root), "libs/other")
    repo.commit()

    async def look(workspace: Workspace):
        tree = await workspace.put("a.txt", b"b")
        (workspace.folder / "a.txt").write_text("b")
        entries = {entry.path: (entry.mode, entry.oid) for entry in await workspace.git.entries(tree)}
        return entries["libs/other"], list((workspace.folder / "libs/other").iterdir()), await workspace.matches()

    assert with_workspace(repo, look) == (("160000", inner), [], ())


def test_reading_what_is_no_file_is_a_mistake(repo):
    repo.commit({"a/b.txt": "b"})
    with pytest.raises(UserError, match="there is no file a in HEAD"):
        with_workspace(repo, lambda workspace: workspace.read("HEAD", "a"))
