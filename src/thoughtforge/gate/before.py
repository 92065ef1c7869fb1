"""The files of the base commit: what was there before anything was changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from thoughtforge.gate.scene import Broken
from thoughtforge.gate.text import decode
from thoughtforge.sandbox import process
from thoughtforge.workspaces.git import Entry, Git

TEXT_BYTES = 4 * 1024 * 1024
"""A larger file is taken for data and not read."""
READ_SECONDS = 120.0
READ_BYTES = 1024 * 1024 * 1024


class Before(NamedTuple):
    """A commit with the text of every file that has one."""

    commit: str
    paths: tuple[str, ...]
    texts: Mapping[str, str]

    @classmethod
    async def read(cls, git: Git, commit: str) -> Before:
        """All files of a commit, through one git process."""
        entries = [entry for entry in await git.entries(commit) if entry.kind == "file"]
        small = [entry for entry in entries if (entry.size or 0) <= TEXT_BYTES]
        blobs = await _blobs(git, small)
        texts = {entry.path: decode(entry.path, blobs[entry.oid]) for entry in small}
        return cls(commit, tuple(entry.path for entry in entries), texts)

    def write(self, folder: Path) -> None:
        """Lay the texts out as files, for tools that read files."""
        for path, text in self.texts.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("utf-8", "replace"))


async def _blobs(git: Git, entries: list[Entry]) -> dict[str, bytes]:
    """Object → its bytes."""
    wanted = list(dict.fromkeys(entry.oid for entry in entries))
    ended = await process.run(
        git.argv("cat-file", "--batch"),
        cwd=git.repository.git_dir,
        env=git.env,
        stdin="".join(f"{oid}\n" for oid in wanted).encode("ascii"),
        wall_seconds=READ_SECONDS,
        max_output=READ_BYTES,
    )
    if ended.code or ended.timed_out or ended.cut:
        raise Broken("the files of the base commit could not be read", do="Check the repository: git fsck")
    found, at = {}, 0
    for oid in wanted:
        end = ended.stdout.index(b"\n", at)
        words = ended.stdout[at:end].split()
        if len(words) != 3:
            raise Broken(f"git has no object {oid}", do="A partial clone lacks objects: git fetch --refetch")
        at = end + 1 + int(words[2])
        found[oid] = ended.stdout[end + 1 : at]
        at += 1
    return found
