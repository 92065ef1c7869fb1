"""Each kind of repository is recognised, named and told what happens with it."""

import hashlib

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.repository_kind import RepositoryKind, Trait, kind


def looked_at(repo) -> RepositoryKind:
    async def look(git: Git) -> RepositoryKind:
        return await kind(git, await git.head())

    return repo.with_git(look)


def at(repo, root):
    other = type(repo).__new__(type(repo))
    other.root = root
    return other


def outcomes(repo) -> list[tuple[str, str]]:
    return [(trait.name, trait.outcome) for trait in looked_at(repo).traits]


def partial_clone(repo, tmp_path):
    repo.commit({"a.txt": "a", "b.txt": "b", ".gitattributes": "*.bin filter=lfs\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    argv = ("clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{repo.root}", str(tmp_path / "partial"))
    repo.git(*argv)
    return at(repo, tmp_path / "partial")


def pointer(data: bytes) -> str:
    digest = hashlib.sha256(data).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(data)}\n"


def test_a_plain_repository_has_nothing_to_tell(repo):
    repo.commit({"a.txt": "a", "looks-like.bin": pointer(b"x")})
    assert looked_at(repo) == RepositoryKind(())
    looked_at(repo).check()


def test_sparse_shallow_linked_and_borrowing_ones_are_fine(repo, tmp_path):
    repo.commit({"a/x": "x", "b/y": "y"})
    repo.commit({"a/x": "z"})
    repo.git("clone", "--quiet", "--depth=1", f"file://{repo.root}", str(tmp_path / "shallow"))
    repo.git("clone", "--quiet", "--shared", str(repo.root), str(tmp_path / "borrower"))
    repo.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    repo.git("sparse-checkout", "set", "a", cwd=tmp_path / "borrower")
    assert outcomes(at(repo, tmp_path / "shallow")) == [("shallow", "fine")]
    assert outcomes(at(repo, tmp_path / "borrower")) == [("sparse", "fine"), ("alternates", "filled")]
    assert outcomes(at(repo, tmp_path / "linked")) == [("linked", "fine")]


def test_a_partial_clone_is_refused_until_the_commit_is_whole(repo, tmp_path):
    partial = partial_clone(repo, tmp_path)
    with pytest.raises(UserError, match="it is a partial clone that lacks 3 objects of commit") as caught:
        looked_at(partial).check()
    assert caught.value.do == "Fetch them: git fetch --refetch --no-filter"
    partial.git("fetch", "--quiet", "--refetch", "--no-filter")
    assert outcomes(partial) == [("partial", "fine")]


def test_submodules_are_named(repo, tmp_path):
    other = type(repo)(tmp_path / "other")
    other.commit({"inner.txt": "x"})
    repo.git("submodule", "--quiet", "add", str(other.root), "libs/other")
    repo.commit()
    assert looked_at(repo).traits == (
        Trait("submodules", "fine", "submodules stay empty in the workspace: libs/other"),
    )


def test_large_files_are_filled_when_they_are_here_and_refused_when_not(repo):
    files = {"a.bin": pointer(b"large"), "sub/b.bin": pointer(b"other"), "sub/.gitattributes": "*.bin filter=lfs\n"}
    repo.commit({**files, ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
    with pytest.raises(UserError, match=r"the content of 2 large files is not here: a.bin, sub/b.bin$") as caught:
        looked_at(repo).check()
    assert caught.value.do == "Fetch it: git lfs pull"
    for data in (b"large", b"other"):
        digest = hashlib.sha256(data).hexdigest()
        repo.write({f".git/lfs/objects/{digest[:2]}/{digest[2:4]}/{digest}": data})
    sentence = "the content of 2 large files is taken from here"
    assert looked_at(repo).traits == (Trait("lfs", "filled", sentence),)


def test_everything_that_is_refused_is_told_at_once():
    kinds = RepositoryKind((Trait("bare", "refused", "A", "Do a."), Trait("lfs", "refused", "B", "Do b.")))
    with pytest.raises(UserError, match="cannot work on this repository: A; B") as caught:
        kinds.check()
    assert (caught.value.do, caught.value.details) == ("Do a. Do b.", ("A", "B"))
