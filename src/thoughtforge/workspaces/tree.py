"""The files of one commit, read from git's objects: never from the working folder, never through a link."""

from __future__ import annotations

import asyncio
import difflib
import re
import unicodedata
from typing import NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.process import RunningProcess
from thoughtforge.workspaces.git import Git, TreeEntry, decode_path
from thoughtforge.workspaces.patterns import Ignore, any_matches
from thoughtforge.workspaces.text import Collected, FileText, as_text

SEARCH_SECONDS = 30.0
SEARCH_OUTPUT = 16 * 1024 * 1024
LINE_SHOWN = 300
HIT = re.compile(rb"([^\0]*)\0(\d+)[\0:]([^\n]*)\n")


class SearchHit(NamedTuple):
    """One line that fits a search."""

    path: str
    line: int
    text: str


class SearchResult(NamedTuple):
    """What a search found. `more` says that there are further hits, `error` why there was no search."""

    hits: tuple[SearchHit, ...]
    more: bool = False
    error: str = ""


class FileTree:
    """A read-only view of one commit without its hidden paths. Close it: it keeps a git process for reading."""

    def __init__(self, git: Git, commit: str, *, ignore: Ignore, entries: tuple[TreeEntry, ...]) -> None:
        self.git = git
        self.commit = commit
        self.ignore = ignore
        self.entries = {entry.path: entry for entry in entries if ignore.reason(entry.path) is None}
        # macOS writes names decomposed, models write them composed; both mean the same file
        self.composed = {unicodedata.normalize("NFC", path): path for path in self.entries}
        self.reader: RunningProcess | None = None
        self.reading = asyncio.Lock()

    @classmethod
    async def open(cls, git: Git, commit: str, ignore: Ignore) -> FileTree:
        """The tree of a commit of the repository."""
        return cls(git, commit, ignore=ignore, entries=await git.entries(commit))

    async def close(self) -> None:
        """End the reading process; a later read starts another."""
        reader, self.reader = self.reader, None
        if reader is not None:
            await reader.close()

    def paths(self) -> tuple[TreeEntry, ...]:
        """Every path an agent may know of, in git's order."""
        return tuple(self.entries.values())

    async def links(self) -> dict[str, str]:
        """Every symbolic link with the target it names."""
        return {path: (await self.read(path)).text for path, one in self.entries.items() if one.kind == "symlink"}

    async def read(self, path: str) -> FileText:
        """The text of a file, or in words why there is none; a path that is not there is a UserError."""
        entry = self._entry(path)
        if entry.kind == "submodule":
            return FileText(
                "", "", 0, 0, f"a submodule at commit {entry.oid}; its files are not part of this repository"
            )
        collected = await self._collect(entry)
        if entry.kind == "symlink":
            target = collected.head.decode("utf-8", "replace")
            return FileText(
                target, collected.digest, collected.size, 1, "a symbolic link, shown by its target and not followed"
            )
        return as_text(collected)

    async def search(
        self, pattern: str, *, regex: bool = False, globs: tuple[str, ...] = (), limit: int = 200
    ) -> SearchResult:
        """Lines of text files that contain a text or fit an extended regular expression."""
        if not pattern or any(char in pattern for char in "\0\n\r"):
            return SearchResult((), error="search for text of one line, without line breaks")
        how = "--extended-regexp" if regex else "--fixed-strings"
        flags = (
            "-n",
            "-I",
            "-z",
            "--full-name",
            "--no-color",
            "--no-column",
            "--no-textconv",
            "--no-recurse-submodules",
        )
        ended = await self.git.call(
            "grep", *flags, how, "-e", pattern, self.commit, wall_seconds=SEARCH_SECONDS, max_output=SEARCH_OUTPUT
        )
        if ended.timed_out:
            return SearchResult(
                (), error=f"the search took longer than {SEARCH_SECONDS:.0f} seconds; search for something simpler"
            )
        if ended.code > 1:
            words = ended.stderr.decode("utf-8", "replace").strip()
            return SearchResult(
                (), error=f"the pattern is invalid: {words.rpartition(': ')[2] or 'git gave no reason'}"
            )
        hits = self._hits(ended.stdout, globs)
        return SearchResult(tuple(hits[:limit]), more=len(hits) > limit or ended.cut)

    def _hits(self, raw: bytes, globs: tuple[str, ...]) -> list[SearchHit]:
        prefix = f"{self.commit}:"
        hits = []
        for name, line, text in HIT.findall(raw):
            path = decode_path(name).removeprefix(prefix)
            if path in self.entries and (not globs or any_matches(path, globs)):
                hits.append(SearchHit(path, int(line), _shown(text)))
        return hits

    def _entry(self, path: str) -> TreeEntry:
        known = self.entries.get(path) or self.entries.get(self.composed.get(unicodedata.normalize("NFC", path), ""))
        if known is not None:
            return known
        if hidden := self.ignore.reason(path):
            raise UserError(hidden, do="Work without it; a person decides in .thoughtforgeignore what is hidden.")
        if any(other.startswith(f"{path}/") for other in self.entries):
            raise UserError(f"{path} is a folder", do=f"List its files with the pattern {path}/**.")
        near = difflib.get_close_matches(path, self.entries, n=3)
        raise UserError(
            f"there is no file {path} in commit {self.commit[:12]}",
            do=f"Did you mean {' or '.join(near)}?" if near else "List the files to see what there is.",
        )

    async def _collect(self, entry: TreeEntry) -> Collected:
        """One object through the reading process, which is given up when anything interrupts the exchange."""
        async with self.reading:
            finished = False
            try:
                if self.reader is None:
                    argv = self.git.argv("cat-file", "--batch")
                    self.reader = await RunningProcess.start(argv, cwd=self.git.repository.git_dir, env=self.git.env)
                collected = await _exchange(self.reader, entry)
                finished = True
                return collected
            except (asyncio.IncompleteReadError, ConnectionError) as error:
                raise _unreadable(entry) from error
            finally:
                if not finished:
                    await self.close()


async def _exchange(reader: RunningProcess, entry: TreeEntry) -> Collected:
    reader.requests.write(f"{entry.oid}\n".encode("ascii"))
    await reader.requests.drain()
    answer = (await reader.answers.readline()).split()
    if len(answer) != 3:
        raise _unreadable(entry)
    left = int(answer[2])
    collected = Collected(left)
    while left:
        chunk = await reader.answers.readexactly(min(left, 65536))
        left -= len(chunk)
        collected.add(chunk)
    await reader.answers.readexactly(1)
    return collected


def _unreadable(entry: TreeEntry) -> UserError:
    return UserError(
        f"git could not read {entry.path} (object {entry.oid})",
        do="Check the repository: git fsck; a partial clone lacks objects until they are fetched: git fetch --refetch",
    )


def _shown(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace").rstrip("\r")
    return text if len(text) <= LINE_SHOWN else f"{text[:LINE_SHOWN]} …"
