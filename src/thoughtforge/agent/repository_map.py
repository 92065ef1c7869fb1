"""The files of a repository on one page: folder by folder, look-alike folders as one, what was named always there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from thoughtforge.agent.context import MAP, Block
from thoughtforge.agent.run import Run
from thoughtforge.agent.tokens import LEAST, UNIT, fits, price
from thoughtforge.workspaces.tree import FileTree

ALIKE = 3
"""So many folders of the same shape are told as one."""
EXAMPLES = 3
"""Names of such folders that are told."""


class FolderLine(NamedTuple):
    """One line of the map, and what of it must be told."""

    text: str
    must: str = ""


def map_block(run: Run, tree: FileTree) -> Block:
    """The map; when it is cut, what the specification and the analysis name stays."""
    rows = lines_of(tuple(entry.path for entry in tree.paths()), named_files(run))
    text = "\n".join(row.text for row in rows)
    return Block("files of the repository", text, 2_000, 150, True, need=MAP, shorten=partial(shortened, rows))


def named_files(run: Run) -> frozenset[str]:
    """The files that the accepted specification and analysis name."""
    accepted = run.record.accepted()
    specification, analysis = accepted.get("specification", {}), accepted.get("analysis", {})
    told = [*specification.get("files_to_modify", []), *specification.get("files_to_create", [])]
    return frozenset([*told, *(file["path"] for file in analysis.get("files", []))])


@lru_cache(maxsize=4)  # every step shows the same files until one of them changes its name
def lines_of(paths: tuple[str, ...], named: frozenset[str] = frozenset()) -> tuple[FolderLine, ...]:
    """Every path an agent may read, folder by folder."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder or ".", []).append(name)
    apart = {path.rpartition("/")[0] or "." for path in named}
    groups = _groups({folder: names for folder, names in folders.items() if folder not in apart})
    rows = []
    for folder, names in folders.items():
        group = groups.get(folder)
        if group is None:
            wanted = [name for name in names if (name if folder == "." else f"{folder}/{name}") in named]
            must = f"{folder}/: {', '.join(wanted)}" if wanted else ""
            rows.append(FolderLine(f"{folder}/: {', '.join(names)}", must))
        elif group.folders[0] == folder:
            rows.append(_together(group, folders))
    return tuple(rows)


class Group(NamedTuple):
    """Folders of the same shape that differ in one segment of their path."""

    folders: tuple[str, ...]
    place: int


def _groups(folders: dict[str, list[str]]) -> dict[str, Group]:
    """Folder → the look-alikes it belongs to."""
    alike: dict[tuple[object, ...], list[str]] = {}
    for folder, names in folders.items():
        parts = folder.split("/")
        shape = frozenset(re.sub(r"\d+", "0", name) for name in names)
        for place in range(len(parts)):
            alike.setdefault((place, *parts[:place], "*", *parts[place + 1 :], shape), []).append(folder)
    found: dict[str, Group] = {}
    for key, members in sorted(alike.items(), key=lambda item: -len(item[1])):
        free = tuple(folder for folder in members if folder not in found)
        if len(free) >= ALIKE:
            found |= dict.fromkeys(free, Group(free, int(str(key[0]))))
    return found


def _together(group: Group, folders: dict[str, list[str]]) -> FolderLine:
    names = [folder.split("/")[group.place] for folder in group.folders]
    parts = group.folders[0].split("/")
    pattern = "/".join([*parts[: group.place], "*", *parts[group.place + 1 :]])
    some = f"{', '.join(names[:EXAMPLES])} … {names[-1]}" if len(names) > EXAMPLES + 1 else ", ".join(names)
    like = "" if _same(folders, group.folders) else f" (so in {names[0]})"
    return FolderLine(
        f"{pattern}/ ({len(names)} folders alike, * is {some}): {', '.join(folders[group.folders[0]])}{like}"
    )


def _same(folders: dict[str, list[str]], members: Iterable[str]) -> bool:
    return len({tuple(folders[folder]) for folder in members}) == 1


def shortened(rows: Sequence[FolderLine], text: str, tokens: int) -> str:
    """What fits: named files first, then their folders, then the others in order; the last one as far as it goes."""
    if fits(text, tokens):
        return text
    left = (tokens - 2 * LEAST) * UNIT
    shown: dict[int, str] = {}
    wanted = [(place, row.must) for place, row in enumerate(rows) if row.must]
    wanted += [(place, row.text) for place, row in sorted(enumerate(rows), key=lambda item: not item[1].must)]
    for place, whole in wanted:
        line = whole if place in shown else _as_far(whole, left)
        cost = price(f"{line}\n") - (price(f"{shown[place]}\n") if place in shown else 0)
        if line and cost <= left:
            left -= cost
            shown[place] = line
    mark = "… [the list is cut here; list_files with a pattern shows the rest] …"
    return "\n".join([*(shown[place] for place in sorted(shown)), mark])


def _as_far(line: str, left: int) -> str:
    """The line, or as many of its names as fit."""
    if price(f"{line}\n") <= left:
        return line
    names = line.split(", ")
    count = bisect_right(range(1, len(names)), left, key=lambda count: price(f"{', '.join(names[:count])}, …\n"))
    return f"{', '.join(names[:count])}, …" if count else ""
