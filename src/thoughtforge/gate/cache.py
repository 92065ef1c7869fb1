"""What the gate reads once and keeps: the texts of a base commit, and findings in files.

A finding that was shown to a person stays in the home, so that a later command finds it by its id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from thoughtforge.gate.context import Broken
from thoughtforge.gate.findings import Finding
from thoughtforge.gate.mirror import decode
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import process
from thoughtforge.workspaces.git import Git, TreeEntry

FILE = "findings.json"
MOST_REMEMBERED = 20_000
"""The oldest are forgotten above this number."""


def remember(home: Path, findings: Iterable[Finding]) -> None:
    """Add these; one that is known is kept as it is now."""
    known = {finding.id: finding for finding in read_findings(home / FILE) or ()}
    for finding in findings:
        known.pop(finding.id, None)
        known[finding.id] = finding
    write_findings(home / FILE, list(known.values())[-MOST_REMEMBERED:])


def find(home: Path, word: str) -> Finding:
    """The finding a person means by its id or a unique beginning of it."""
    known = read_findings(home / FILE) or ()
    fitting = [finding for finding in known if finding.id.startswith(word)] if word.startswith("V-") else []
    if len(fitting) == 1 or any(finding.id == word for finding in fitting):
        return next((finding for finding in fitting if finding.id == word), fitting[0])
    if fitting:
        shown = ", ".join(finding.id for finding in fitting[:5])
        raise UserError(f"{word!r} matches several findings", do=f"Use one of: {shown}")
    raise UserError(f"there is no finding {word!r}", do="List the findings: thoughtforge check")


TEXT_BYTES = 4 * 1024 * 1024
"""A larger file is taken for data and not read."""
READ_SECONDS = 120.0
READ_BYTES = 1024 * 1024 * 1024


class BaseFiles(NamedTuple):
    """A commit with the text of every file that has one."""

    commit: str
    paths: tuple[str, ...]
    texts: Mapping[str, str]

    @classmethod
    async def read(cls, git: Git, commit: str) -> BaseFiles:
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


async def _blobs(git: Git, entries: list[TreeEntry]) -> dict[str, bytes]:
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
        raise Broken("git could not read the files of the base commit", do="Check the repository: git fsck")
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


def read_findings(file: Path) -> tuple[Finding, ...] | None:
    """Findings kept in a file; None when there are none or the file is damaged."""
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return tuple(Finding(**row) for row in rows)
    except (FileNotFoundError, ValueError, TypeError):
        return None


def write_findings(file: Path, findings: Iterable[Finding]) -> None:
    """Keep findings in a file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(json.dumps([finding._asdict() for finding in findings]), encoding="utf-8")
    fresh.replace(file)
