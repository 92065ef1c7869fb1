"""git reads a repository without running anything of it and without changing a byte of it."""

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.git import Git, Repository, TreeEntry, find_repository


def found(start: Path, path: str) -> Repository:
    return asyncio.run(find_repository(start, path=path))


def bytes_below(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_repository_is_found_from_a_folder_inside_it(repo):
    repo.write({"a/b/c.txt": ""})
    assert found(repo.root / "a/b", repo.path) == Repository(repo.root, repo.root / ".git")


def test_a_linked_worktree_is_found_with_its_own_git_directory(repo, tmp_path):
    commit = repo.commit({"a.txt": "a"})
    repo.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    repository = found(tmp_path / "linked", repo.path)
    assert repository == Repository(tmp_path / "linked", repo.root / ".git/worktrees/linked")
    git = Git(repository, path=repo.path)
    assert asyncio.run(git.head()) == commit
    (tmp_path / "linked/a.txt").write_text("changed")
    assert asyncio.run(git.dirty()) == ("a.txt",)


def test_a_folder_without_repository_is_refused_with_what_to_do(repo, tmp_path):
    with pytest.raises(UserError, match=f"{tmp_path} is not inside a git repository") as caught:
        found(tmp_path, repo.path)
    assert "git init" in caught.value.do


def test_a_bare_repository_is_refused(repo, tmp_path):
    repo.git("init", "--quiet", "--bare", str(tmp_path / "bare.git"))
    with pytest.raises(UserError, match="is a bare repository"):
        found(tmp_path / "bare.git", repo.path)


def test_the_inside_of_a_git_directory_is_refused(repo):
    with pytest.raises(UserError, match="is inside a git directory"):
        found(repo.root / ".git", repo.path)


def test_a_missing_folder_and_a_missing_git_are_told_apart(repo, tmp_path):
    with pytest.raises(UserError, match="the folder .*nowhere does not exist"):
        found(tmp_path / "nowhere", repo.path)
    with pytest.raises(UserError, match="the program git was not found"):
        found(repo.root, str(tmp_path))


def test_a_repository_git_cannot_read_is_reported_in_its_words(repo):
    (repo.root / ".git/config").write_text("[core\n")
    with pytest.raises(UserError, match="git cannot work with the repository at .*bad config line 1"):
        found(repo.root, repo.path)


def test_head_is_the_last_commit(repo):
    commit = repo.commit({"a.txt": "a"})
    assert repo.with_git(lambda git: git.head()) == commit


def test_a_repository_without_commits_has_no_head_and_says_what_to_do(repo):
    with pytest.raises(UserError, match="has no commit to start from") as caught:
        repo.with_git(lambda git: git.head())
    assert caught.value.do == "Commit something first: git add --all && git commit"


def test_dirty_names_staged_changed_deleted_and_new_paths(repo):
    repo.commit({"kept": "", "changed": "1", "staged": "1", "deleted": "", "old name": "text\n" * 20})
    repo.write({"changed": "2", "staged": "2", "new\nline": "", "folder/x": "", "folder/y": ""})
    repo.git("add", "staged")
    repo.git("mv", "old name", "new name")
    (repo.root / "deleted").unlink()
    dirty = repo.with_git(lambda git: git.dirty())
    assert dirty == ("changed", "deleted", "folder/", "new\nline", "new name", "old name", "staged")


def test_a_clean_repository_is_not_dirty_and_ignored_files_do_not_count(repo):
    repo.commit({".gitignore": "*.log\n"})
    repo.write({"x.log": ""})
    assert repo.with_git(lambda git: git.dirty()) == ()


def test_looking_changes_no_byte_of_the_git_directory(repo):
    repo.commit({"a.txt": "a", "b.txt": "b"})
    repo.write({"a.txt": "b", "c.txt": "c"})
    repo.git("add", "c.txt")
    os.utime(repo.root / "b.txt", (1, 1))  # its recorded time is stale now: a plain `git status` rewrites the index
    before = bytes_below(repo.root)

    async def look(git: Git) -> None:
        commit = await git.head()
        await git.dirty()
        await git.entries(commit)
        await git.blob(commit, "a.txt")

    repo.with_git(look)
    assert bytes_below(repo.root) == before


def test_no_hook_and_no_monitor_of_the_repository_runs(repo, tmp_path):
    repo.commit({"a.txt": "a"})
    trap = repo.root / ".git/hooks/trap"
    trap.parent.mkdir(exist_ok=True)
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    trap.rename(repo.root / ".git/hooks/post-index-change")
    repo.git("config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    repo.write({"a.txt": "b"})
    assert repo.with_git(lambda git: git.dirty()) == ("a.txt",)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["evil", "e.v=i l", "Evil"])
@pytest.mark.parametrize("part", ["clean", "process"])
def test_no_filter_program_of_the_repository_runs(repo, tmp_path, name, part):
    repo.commit({"a.txt": "a", "b.txt": "b"})
    (repo.root / ".git/info").mkdir(exist_ok=True)
    (repo.root / ".git/info/attributes").write_text(f"* filter={name}\n")
    with (repo.root / ".git/config").open("a") as config:
        config.write(f'[filter "{name}"]\n\t{part} = "touch {tmp_path}/ran; cat"\n\trequired = true\n')
    repo.write({"a.txt": "c"})
    assert repo.with_git(lambda git: git.dirty()) == ("a.txt",)
    assert not (tmp_path / "ran").exists()


def test_submodules_are_named(repo, tmp_path):
    other = type(repo)(tmp_path / "other")
    other.commit({"inner.txt": "x"})
    repo.commit({"a.txt": "a"})
    repo.git("submodule", "--quiet", "add", str(other.root), "libs/other")
    commit = repo.commit()
    assert repo.with_git(lambda git: git.submodules(commit)) == ("libs/other",)
    assert repo.with_git(lambda git: git.dirty()) == ()


def test_entries_tell_path_size_mode_and_kind(repo):
    repo.write({"run.sh": "#!/bin/sh\n", "dir/ü x.txt": "äö"})
    (repo.root / "run.sh").chmod(0o755)
    (repo.root / "link").symlink_to("run.sh")
    commit = repo.commit()
    oids = [repo.git("rev-parse", f"{commit}:{path}").strip() for path in ("dir/ü x.txt", "link", "run.sh")]
    assert repo.with_git(lambda git: git.entries(commit)) == (
        TreeEntry("dir/ü x.txt", 4, "100644", "file", oids[0]),
        TreeEntry("link", 6, "120000", "symlink", oids[1]),
        TreeEntry("run.sh", 10, "100755", "file", oids[2]),
    )


def test_a_blob_is_read_by_its_literal_path_only(repo):
    commit = repo.commit({"*.txt": "star", "a.txt": "a", "dir/b": "b"})
    (repo.root / "link").symlink_to("a.txt")
    commit = repo.commit()
    blobs = [repo.with_git(lambda git, path=path: git.blob(commit, path)) for path in ("*.txt", "?.txt", "dir", "link")]
    assert blobs == [b"star", None, None, None]


def test_a_failing_command_is_a_mistake_in_gits_words(repo):
    repo.commit({"a": ""})
    with pytest.raises(UserError, match="git ls-tree failed in .*Not a valid object name"):
        repo.with_git(lambda git: git.entries("0" * 40 + "x"))


def test_replaced_objects_are_not_believed(repo):
    first = repo.commit({"a.txt": "first"})
    second = repo.commit({"a.txt": "second"})
    repo.git("replace", second, first)
    assert repo.with_git(lambda git: git.blob(second, "a.txt")) == b"second"


def test_a_name_is_resolved_to_a_commit_or_a_tree_or_to_nothing(repo):
    commit = repo.commit({"a.txt": "a"})
    tree = repo.git("rev-parse", "HEAD^{tree}").strip()

    async def look(git: Git):
        return await git.resolve("main"), await git.resolve("main", kind="tree"), await git.resolve("nowhere")

    assert repo.with_git(look) == (commit, tree, None)


def test_write_answers_the_line_git_prints_and_takes_input(repo):
    repo.commit({"a.txt": "a"})

    async def write(git: Git):
        oid = await git.write("hash-object", "-w", "--stdin", stdin=b"new")
        return await git.output("cat-file", "blob", oid)

    assert repo.with_git(write) == b"new"


def test_a_linked_worktree_shares_the_directory_of_its_repository(repo, tmp_path):
    repo.commit({"a.txt": "a"})
    repo.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    git = Git(found(tmp_path / "linked", repo.path), path=repo.path)
    assert asyncio.run(git.common_dir()) == repo.root / ".git"
