"""Files of a tree in a folder, byte for byte as git has them, and trees put together without any folder.

Works on the engine's own clones: their attributes say that no byte is converted. Each call has an index of its own, so
it never meets the one a workspace is at.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workspaces import lfs
from thoughtforge.workspaces.git import Git, Repository, decode_path


def large_files(git: Git) -> Path:
    """Where a clone keeps the content of large files; not there when it has none."""
    return git.repository.git_dir / "lfs"


async def check_out(git: Git, treeish: str, *, to: Path) -> None:
    """Lay out the files of a tree or commit in a folder that is empty or not there yet."""
    to.mkdir(parents=True, exist_ok=True)
    if any(to.iterdir()):
        raise Mistake(f"the folder {to} is not empty", do="Name a new folder.")
    there = Git(Repository(to, git.repository.git_dir), path=git.env["PATH"])
    with own_index(git) as env:
        await there.write("read-tree", "--reset", "-u", "--no-recurse-submodules", treeish, work_tree=True, env=env)
    store = large_files(git)
    if store.is_dir():
        await lfs.fill(await lfs.pointers(git, treeish), store=store, folder=to)


async def overlay(git: Git, tree: str, *, source: str, paths: Sequence[str]) -> str:
    """A tree like `tree`, but with these paths as in `source`; where that has none, they are gone."""
    wanted = set(paths)
    gone = [index_line("0", "0" * len(tree), path=path) for _, _, path in await _entries(git, tree, wanted=wanted)]
    put = [index_line(mode, oid, path=path) for mode, oid, path in await _entries(git, source, wanted=wanted)]
    with own_index(git) as env:
        await git.write("read-tree", tree, env=env)
        await git.write("update-index", "-z", "--index-info", stdin=b"".join([*gone, *put]), env=env)
        return await git.write("write-tree", env=env)


def index_line(mode: str, oid: str, *, path: bytes) -> bytes:
    """One path as `update-index --index-info` takes it; mode 0 takes the path away."""
    return f"{mode} {oid}\t".encode("ascii") + path + b"\0"


async def _entries(git: Git, treeish: str, *, wanted: set[str]) -> list[tuple[str, str, bytes]]:
    """Mode, object and path, in its own bytes, of those paths of a tree that are wanted."""
    raw = await git.output("ls-tree", "-r", "-z", "--full-tree", treeish)
    found = []
    for facts, _, path in (line.partition(b"\t") for line in raw.split(b"\0") if line):
        if decode_path(path) in wanted:
            mode, _kind, oid = facts.decode("ascii").split()
            found.append((mode, oid, path))
    return found


@contextlib.contextmanager
def own_index(git: Git) -> Iterator[dict[str, str]]:
    """What makes git use an index that is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=git.repository.git_dir, prefix="index-") as folder:
        yield {"GIT_INDEX_FILE": str(Path(folder, "index"))}
