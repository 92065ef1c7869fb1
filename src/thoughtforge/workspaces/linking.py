"""Git directories of the engine's own with a person's history: hardlinked object files, none of their settings.

The objects are linked once, into the kept base beside the clone; the clone borrows them from there and has only what
the task makes itself. So the base outlives both the clone and the person's repository, at no cost of space.

Not `git clone`: that starts a second git in the person's repository without our settings, refuses one that belongs to
somebody else, keeps leaning on a third repository where the person's does, and copies all of a shallow one. Linking the
object files is what its `--local` does at heart, and it takes in commits no branch leads to any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.process import ProcessResult
from thoughtforge.workspaces.git import Git, Repository

ATTRIBUTES = (
    "* -text !eol !ident !filter !working-tree-encoding !diff !merge !whitespace !export-ignore !export-subst"
    " !conflict-marker-size\n"
)
"""Outranks every .gitattributes: bytes go in and out as they are, and no program is named for any of them."""
SETTINGS = (
    ("core.autocrlf", "false"),
    ("core.fsmonitor", "false"),
    ("core.fsync", "committed,loose-object,index"),  # the record names trees and commits: they must outlive a power cut
    ("core.hooksPath", "/dev/null"),
    ("core.logAllRefUpdates", "false"),
    ("gc.auto", "0"),
    ("uploadpack.allowAnySHA1InWant", "true"),  # a hand-over names a commit, not a branch
)
PACKED = re.compile(r"pack-[0-9a-f]+\.(pack|idx|rev)")
LOOSE = re.compile(r"[0-9a-f]{38}|[0-9a-f]{62}")
CANNOT_LINK = {errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.ENOSYS}
TRIES = 20
KEPT = "base.git"
"""Where the objects of the base are, beside the clone that borrows them."""
LONG_ID = 64
"""Digits of an id where a repository uses SHA-256."""


async def linked_clone(source: Git, git_dir: Path, *, base: str, branch: str) -> Git:
    """A new git directory with everything the source has, its one branch at the base commit."""
    kept = await keep_base(source, git_dir.with_name(KEPT), base=base)
    git = await _init(git_dir, branch=branch, base=base, path=source.env["PATH"])
    for key, value in SETTINGS:
        await git.write("config", key, value)
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "attributes").write_text(ATTRIBUTES, encoding="ascii")
    (git_dir / "objects" / "info" / "alternates").write_text(f"../../{KEPT}/objects\n", encoding="ascii")
    _same_depth(kept.repository.git_dir, git_dir)
    await git.write("update-ref", f"refs/heads/{branch}", base)
    return git


async def keep_base(source: Git, git_dir: Path, *, base: str) -> Git:
    """A bare repository with every object the source has; one that is there and has the whole base commit is used."""
    kept = Git(Repository(git_dir, git_dir), path=source.env["PATH"])
    if git_dir.is_dir() and await has_all(kept, base):
        return kept
    making = git_dir.with_name(f"{git_dir.name}.making")
    for half in (making, git_dir):
        await asyncio.to_thread(shutil.rmtree, half, ignore_errors=True)
    made = await _init(making, branch="base", base=base, path=source.env["PATH"])
    common = await source.common_dir()
    await asyncio.to_thread(_link_all, common / "objects", making / "objects")
    _same_depth(common, making)
    await _check(made, base)
    making.rename(git_dir)
    return kept


async def take_objects(source: Git, target: Git) -> None:
    """Bring every object of the source that the clone does not have yet."""
    common, git_dir = await source.common_dir(), target.repository.git_dir
    kept = git_dir.with_name(KEPT)
    place = kept if kept.is_dir() else git_dir  # clones of older versions have everything themselves
    await asyncio.to_thread(_link_all, common / "objects", place / "objects")
    _same_depth(common, git_dir)


async def has_all(git: Git, name: str) -> bool:
    """Whether a commit or tree is there with every file of it."""
    return (await _listed_objects(git, name)).code == 0


async def _init(git_dir: Path, *, branch: str, base: str, path: str) -> Git:
    git_dir.mkdir(parents=True)
    git = Git(Repository(git_dir, git_dir), path=path)
    kind = "sha256" if len(base) == LONG_ID else "sha1"
    await git.write("init", "--quiet", "--bare", "--template=", f"--object-format={kind}", f"--initial-branch={branch}")
    return git


def _same_depth(source: Path, target: Path) -> None:
    """History that ends somewhere in the source ends there too."""
    theirs, ours = source / "shallow", target / "shallow"
    if theirs.exists():
        ours.write_bytes(theirs.read_bytes())
    else:
        ours.unlink(missing_ok=True)


async def _listed_objects(git: Git, name: str) -> ProcessResult:
    return await git.call("rev-list", "--objects", "--no-walk", "--quiet", "--end-of-options", name)


async def _check(git: Git, base: str) -> None:
    """Every file of the base commit must be there; in a partial clone some may not."""
    ended = await _listed_objects(git, base)
    if ended.code != 0:
        raise UserError(
            f"the repository does not have all of commit {base[:12]}",
            do="Fetch what is missing and start again: git fetch --refetch --no-filter",
            details=(ended.stderr.decode("utf-8", "replace").strip(),),
        )


def _link_all(source: Path, target: Path) -> None:
    """Link all object files. When the person's git packs them meanwhile, they are found again in their pack."""
    for _ in range(TRIES):
        vanished = [
            file for file in _object_files(source) if not _link(file, target / file.relative_to(file.parents[1]))
        ]
        if not vanished:
            return
    raise UserError(
        f"objects disappear from the repository while the task copies them: {vanished[0]}",
        do="Wait until git finishes its clean-up there, then try again.",
    )


def _object_folders(folder: Path, above: tuple[Path, ...]) -> Iterator[Path]:
    """A folder of objects and, so that the clone leans on nobody, those it borrows from."""
    yield folder
    borrowed = folder / "info" / "alternates"
    lines = os.fsdecode(borrowed.read_bytes()).splitlines() if borrowed.exists() else []
    for line in lines:
        other = (folder / line).resolve()
        if line and not line.startswith("#") and other.is_dir() and other not in (*above, folder):
            yield from _object_folders(other, (*above, folder))


def _object_files(source: Path) -> Iterator[Path]:
    """Loose objects first, since they move into packs; a pack's index last, since it makes git see the pack."""
    for folder in _object_folders(source.resolve(), ()):
        for place in sorted(folder.iterdir()):
            if re.fullmatch("[0-9a-f]{2}", place.name):
                yield from (file for file in _listed(place) if LOOSE.fullmatch(file.name))
        packed = (file for file in _listed(folder / "pack") if PACKED.fullmatch(file.name))
        yield from sorted(packed, key=lambda file: file.suffix == ".idx")


def _listed(folder: Path) -> list[Path]:
    with contextlib.suppress(FileNotFoundError):
        return list(folder.iterdir())
    return []


def _link(file: Path, target: Path) -> bool:
    """Whether the file was still there to be linked, or copied where links are not possible."""
    if target.exists() or file.is_symlink():
        return True
    target.parent.mkdir(exist_ok=True)
    try:
        target.hardlink_to(file)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno not in CANNOT_LINK:
            raise
        return _copy(file, target)
    return True


def _copy(file: Path, target: Path) -> bool:
    draft = target.with_name(f"tmp_{target.name}")
    try:
        shutil.copyfile(file, draft)
    except FileNotFoundError:
        return False
    draft.chmod(0o444)
    draft.replace(target)
    return True
