"""Taking over a person's objects: linked where that is possible, copied where not, also while they tidy up."""

import shutil
import subprocess
from pathlib import Path

import pytest

from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.linking import linked_clone, take_objects

OTHER_DISK = Path("/dev/shm")


def sound(git_dir: Path) -> bool:
    argv = ["git", f"--git-dir={git_dir}", "fsck", "--full", "--no-dangling"]
    return subprocess.run(argv, check=True, capture_output=True).stdout == b""


def test_settings_and_hooks_of_the_source_do_not_come_along(repo, tmp_path):
    commit = repo.commit({"a.txt": "a"})
    repo.git("config", "filter.evil.smudge", "false")
    (repo.root / ".git/hooks").mkdir(exist_ok=True)
    (repo.root / ".git/hooks/post-checkout").write_text("#!/bin/sh\n")
    repo.with_git(lambda git: linked_clone(git, tmp_path / "ours.git", base=commit, branch="b/c"))
    assert "evil" not in (tmp_path / "ours.git/config").read_text()
    assert not (tmp_path / "ours.git/hooks").exists()
    assert (tmp_path / "ours.git/HEAD").read_text() == "ref: refs/heads/b/c\n"
    assert (tmp_path / "ours.git/refs/heads/b/c").read_text() == f"{commit}\n"


def test_what_is_new_in_the_source_can_be_taken_later(repo, tmp_path):
    first = repo.commit({"a.txt": "a"})

    async def later(git: Git):
        ours = await linked_clone(git, tmp_path / "ours.git", base=first, branch="b")
        second = repo.commit({"b.txt": "b"})
        repo.git("gc", "--quiet")
        before = await ours.resolve(second)
        await take_objects(git, ours)
        return before, await ours.resolve(second) == second

    assert repo.with_git(later) == (None, True)
    assert sound(tmp_path / "ours.git")


def test_two_repositories_that_borrow_from_each_other_are_taken_once(repo, tmp_path):
    commit = repo.commit({"a.txt": "a"})
    other = type(repo)(tmp_path / "other")
    other.commit({"b.txt": "b"})
    (repo.root / ".git/objects/info/alternates").write_text("# theirs\n../../../other/.git/objects\n")
    (other.root / ".git/objects/info/alternates").write_text("../../../repo/.git/objects\n")
    repo.with_git(lambda git: linked_clone(git, tmp_path / "ours.git", base=commit, branch="b"))
    names = [{path.name for path in root.glob("objects/??/*")} for root in (repo.root / ".git", other.root / ".git")]
    assert {path.name for path in (tmp_path / "base.git").glob("objects/??/*")} == names[0] | names[1]


@pytest.mark.skipif(not OTHER_DISK.is_dir(), reason="no second file system to copy to")
def test_on_another_disk_objects_are_copied(repo):
    commit = repo.commit({"a.txt": "a"})
    repo.git("gc", "--quiet")
    repo.commit({"b.txt": "b"})
    there = OTHER_DISK / f"thoughtforge-{commit[:12]}"
    try:
        repo.with_git(lambda git: linked_clone(git, there / "ours.git", base=commit, branch="b"))
        assert sound(there / "ours.git")
        assert not list(there.rglob("tmp_*"))
    finally:
        shutil.rmtree(there)


def test_it_comes_out_whole_while_the_source_is_being_repacked(repo, tmp_path):
    commit = repo.commit({f"{number}.txt": f"{number}\n" for number in range(200)})
    identity = "-c user.name=T -c user.email=t@example.org"
    script = f"while :; do git {identity} commit --allow-empty -qm x && git gc -q --prune=now; done"
    tidying = subprocess.Popen(["sh", "-c", script], cwd=repo.root, stderr=subprocess.DEVNULL)
    try:
        for number in range(5):
            target = tmp_path / f"{number}" / "ours.git"
            repo.with_git(lambda git, target=target: linked_clone(git, target, base=commit, branch="b"))
            assert sound(target)
    finally:
        tidying.kill()
        tidying.wait()
