"""Large files: pointers stay in every tree, content takes their place in files, and both count as the same."""

import hashlib
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.checkout import Pointer, pointers
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.workspace import Workspace

DATA = b"\0large content\n" * 1000
DIGEST = hashlib.sha256(DATA).hexdigest()
TEXT = f"version https://git-lfs.github.com/spec/v1\noid sha256:{DIGEST}\nsize {len(DATA)}\n"
PLACE = f"lfs/objects/{DIGEST[:2]}/{DIGEST[2:4]}/{DIGEST}"


@pytest.fixture
def large(repo):
    """A repository with one large file whose content is here, and one that only looks like a pointer."""
    repo.commit({".gitattributes": "*.bin filter=lfs\n", "big.bin": TEXT, "text.txt": TEXT[:-1], "a.txt": "a" * 200})
    repo.write({f".git/{PLACE}": DATA})
    return repo


def with_workspace(repo, act):
    async def whole(git: Git):
        at = repo.root.parent / "task"
        return await act(await Workspace.make(git, base=await git.head(), branch="thoughtforge/x", at=at))

    return repo.with_git(whole)


def test_pointers_are_found_by_their_exact_form(large):
    assert large.with_git(lambda git: pointers(git, "HEAD")) == (Pointer("big.bin", DIGEST, len(DATA)),)


def test_without_the_attribute_nothing_is_a_pointer(repo):
    repo.commit({"big.bin": TEXT})
    assert repo.with_git(lambda git: pointers(git, "HEAD")) == ()


def test_files_have_the_content_trees_the_pointer_and_both_agree(large, tmp_path):
    async def look(workspace: Workspace):
        tree = await workspace.put("new", b"n")
        (workspace.folder / "new").write_bytes(b"n")
        await workspace.checkout(tree, tmp_path / "fresh")
        return await workspace.read(tree, "big.bin"), await workspace.matches()

    assert with_workspace(large, look) == (TEXT.encode(), ())
    assert (tmp_path / "fresh/big.bin").read_bytes() == DATA
    assert (tmp_path / "task/workspace/big.bin").read_bytes() == DATA


def test_other_content_in_the_place_of_a_pointer_is_noticed_and_never_recorded(large):
    async def change(workspace: Workspace):
        (workspace.folder / "big.bin").write_bytes(DATA + b"!")
        with pytest.raises(UserError, match=r"big.bin is a large file kept outside git \(LFS\)"):
            await workspace.put("big.bin", DATA + b"!")
        return await workspace.matches()

    assert with_workspace(large, change) == ("big.bin",)


def test_the_content_stays_when_the_person_cleans_up_theirs(large, tmp_path):
    async def clean_up(workspace: Workspace):
        Path(large.root / ".git" / PLACE).unlink()
        await workspace.checkout("HEAD", tmp_path / "fresh")

    with_workspace(large, clean_up)
    assert (tmp_path / "fresh/big.bin").read_bytes() == DATA


def test_content_that_is_not_what_its_pointer_says_is_refused(large):
    large.write({f".git/{PLACE}": b"something else"})
    with pytest.raises(UserError, match=r"the stored content of big.bin is damaged"):
        with_workspace(large, lambda workspace: workspace.tree())
