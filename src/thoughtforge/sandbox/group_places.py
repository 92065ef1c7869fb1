"""Where this process may make control groups: below its own group, never beside or above what holds it.

- Version 2 keeps everything in one tree, and a group with processes in it cannot have limited ones below it. So the
  nearest group above us that hands on the counting of processes is taken, when it has been given to this user.
- Version 1 has a tree for each thing that is counted. Only root can make groups there. Where somebody has already put
  us into a memory group, that one is theirs to divide: memory is then only watched.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import NamedTuple


class Place(NamedTuple):
    """The folders in which groups are made; newer kernels need only one."""

    processes: Path
    memory: Path | None = None


class _Tree(NamedTuple):
    """One mounted tree of groups, and where in it we are."""

    kinds: frozenset[str]
    """What version 1 counts in it; empty for version 2."""
    top: Path
    own: Path


def find(process: Path = Path("/proc/self")) -> Place | None:
    """The place for groups of this process; None where it can make none."""
    try:
        mounts = (process / "mountinfo").read_text()
        groups = (process / "cgroup").read_text()
    except OSError:
        return None  # no /proc, no control groups
    trees = [tree for line in mounts.splitlines() if (tree := _tree(line, groups))]
    return next(filter(None, map(_second, trees)), None) or _first(trees)


def _first(trees: list[_Tree]) -> Place | None:
    counting = [tree for tree in trees if "pids" in tree.kinds and _ours(tree.own)]
    if not counting:
        return None
    memory = [tree.own for tree in trees if "memory" in tree.kinds and tree.own == tree.top and _ours(tree.own)]
    return Place(counting[0].own, memory[0] if memory else None)


def _second(tree: _Tree) -> Place | None:
    if tree.kinds:
        return None
    for folder in (tree.own, *tree.own.parents):
        if not folder.is_relative_to(tree.top):
            return None
        handed_on = _words(folder / "cgroup.subtree_control")
        if "pids" in handed_on:
            return Place(folder, folder if "memory" in handed_on else None) if _ours(folder) else None
    return None


def _tree(line: str, groups: str) -> _Tree | None:
    """A line of the mount table as a tree of groups; None for every other mount."""
    before, _, after = line.partition(" - ")
    kind, _, options = (after.split() + ["", "", ""])[:3]
    if kind not in ("cgroup", "cgroup2"):
        return None
    root, point = before.split()[3:5]
    kinds = frozenset(options.split(",")) if kind == "cgroup" else frozenset[str]()
    own = _own(groups, kinds)
    if own is None or not own.is_relative_to(root) or ".." in own.parts:
        return None  # we are in a part of the tree that is not shown here
    return _Tree(kinds, Path(point), Path(point) / own.relative_to(root))


def _own(groups: str, kinds: frozenset[str]) -> PurePosixPath | None:
    for line in groups.splitlines():
        _, names, path = line.split(":", 2)
        if (not names and not kinds) or (names and kinds.issuperset(names.split(","))):
            return PurePosixPath(path)
    return None


def _ours(folder: Path) -> bool:
    """Whether we may make groups here and move processes into them."""
    return os.access(folder, os.W_OK | os.X_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []
