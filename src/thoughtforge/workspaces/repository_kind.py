"""What is particular about a repository, and what that means for a task: fine, filled by set-up, or refused."""

from __future__ import annotations

from typing import Literal, NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces import checkout
from thoughtforge.workspaces.git import Git


class Trait(NamedTuple):
    """One particular of a repository, in a sentence, and for a refused one what to do."""

    name: Literal["sparse", "shallow", "partial", "submodules", "lfs", "linked", "bare", "alternates"]
    outcome: Literal["fine", "filled", "refused"]
    sentence: str
    do: str = ""


class RepositoryKind(NamedTuple):
    """Everything particular about a repository; empty for a plain one."""

    traits: tuple[Trait, ...]

    def check(self) -> None:
        """Raise a UserError that names everything a task cannot work with."""
        refused = [trait for trait in self.traits if trait.outcome == "refused"]
        if refused:
            raise UserError(
                "a task cannot work on this repository: " + "; ".join(trait.sentence for trait in refused),
                do=" ".join(dict.fromkeys(trait.do for trait in refused)),
                details=tuple(trait.sentence for trait in refused),
            )


async def kind(git: Git, commit: str) -> RepositoryKind:
    """Look at a repository and the commit a task starts from."""
    partial = await _partial(git, commit)
    found = [await _sparse(git), await _shallow(git), partial]
    if partial is None or partial.outcome != "refused":  # the others read files of the commit
        found += [await _submodules(git, commit), await _lfs(git, commit)]
    found += [await _linked(git), await _bare(git), await _alternates(git)]
    return RepositoryKind(tuple(trait for trait in found if trait is not None))


async def _sparse(git: Git) -> Trait | None:
    if await _setting(git, "core.sparseCheckout") != "true":
        return None
    return Trait("sparse", "fine", "this is a sparse checkout; the workspace has all files")


async def _shallow(git: Git) -> Trait | None:
    if await _asked(git, "--is-shallow-repository") != "true":
        return None
    return Trait("shallow", "fine", "this is a shallow clone; the task works with the history it has")


async def _partial(git: Git, commit: str) -> Trait | None:
    promised = await git.call("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$")
    if promised.code != 0:
        return None
    raw = await git.output("rev-list", "--objects", "--no-walk", "--missing=print", commit)
    absent = sum(line.startswith(b"?") for line in raw.split(b"\n"))
    if not absent:
        return Trait("partial", "fine", "this is a partial clone; all objects of this commit are present")
    sentence = f"it is a partial clone that lacks {absent} objects of commit {commit[:12]}"
    return Trait("partial", "refused", sentence, "Fetch them: git fetch --refetch --no-filter")


async def _submodules(git: Git, commit: str) -> Trait | None:
    paths = await git.submodules(commit)
    if not paths:
        return None
    return Trait("submodules", "fine", f"submodules stay empty in the workspace: {', '.join(paths)}")


async def _lfs(git: Git, commit: str) -> Trait | None:
    found = await checkout.pointers(git, commit)
    if not found:
        return None
    absent = checkout.missing(await git.common_dir() / "lfs", found)
    if not absent:
        return Trait("lfs", "filled", f"the content of {len(found)} large files is taken from here")
    some = ", ".join(pointer.path for pointer in absent[:3]) + (" …" if len(absent) > 3 else "")
    sentence = f"the content of {len(absent)} large files is not here: {some}"
    return Trait("lfs", "refused", sentence, "Fetch it: git lfs pull")


async def _linked(git: Git) -> Trait | None:
    if await git.common_dir() == git.repository.git_dir:
        return None
    return Trait("linked", "fine", "this is a linked worktree; the workspace is a clone of the repository behind it")


async def _bare(git: Git) -> Trait | None:
    if await _asked(git, "--is-bare-repository") != "true":
        return None
    return Trait(
        "bare",
        "refused",
        "it is a bare repository, without files",
        "Clone it and start there: git clone REPOSITORY FOLDER",
    )


async def _alternates(git: Git) -> Trait | None:
    if not (await git.common_dir() / "objects" / "info" / "alternates").exists():
        return None
    return Trait(
        "alternates", "filled", "it borrows objects from another repository; the workspace has its own links to them"
    )


async def _setting(git: Git, key: str) -> str:
    ended = await git.call("config", "--type=bool", "--get", key)
    return ended.stdout.decode("utf-8", "replace").strip()


async def _asked(git: Git, question: str) -> str:
    return (await git.output("rev-parse", question)).decode().strip()
