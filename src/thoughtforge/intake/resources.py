"""What a person put beside their words: every file of a folder is read, or named with the reason why not."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from thoughtforge.intake.reading_documents import Unreadable, read_docx, read_pdf
from thoughtforge.intake.reading_text import CODE, NotText, read_text
from thoughtforge.settings.outside import Resources

Kind = Literal["text", "code", "pdf", "docx", "image"]
IMAGES = {".png": b"\x89PNG\r\n", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff", ".gif": b"GIF8", ".webp": b"RIFF"}
"""Ending → how such a file begins."""
DOCUMENTS = {".pdf": read_pdf, ".docx": read_docx}
FIRST_BYTES = 16


class Resource(NamedTuple):
    """One file that was read; an image is kept as a path for providers that can see."""

    name: str
    """Its path below the folder."""
    kind: Kind
    text: str
    path: Path
    note: str = ""
    """What is unusual about it: another encoding, a cut, an image inside that was left out."""


class Skipped(NamedTuple):
    """One file that was not read."""

    name: str
    why: str


class Gathered(NamedTuple):
    """Everything a folder holds, in the order of the names."""

    resources: tuple[Resource, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def said(self) -> tuple[str, ...]:
        """What the person should know, one sentence for each file."""
        notes = [f"'{one.name}': {one.note}." for one in self.resources if one.note]
        return (*notes, *(f"'{one.name}' was skipped: {one.why}." for one in self.skipped))


def read_resources(folder: Path, limits: Resources) -> Gathered:
    """Read a folder. It blocks, so whoever must not wait calls it in a thread; nothing in it is ever run."""
    found: list[Resource] = []
    skipped: list[Skipped] = []
    for name in names(folder):
        if len(found) >= limits.max_files:
            why = f"there are already {limits.max_files} files (the limit is resources.max_files)"
            skipped.append(Skipped(name, why))
            continue
        read = _read(folder, name, limits)
        if isinstance(read, Resource):
            found.append(read)
        else:
            skipped.append(read)
    return Gathered(tuple(found), tuple(skipped))


def names(folder: Path) -> list[str]:
    """Every entry that is no folder, below folders that are no links; hidden ones belong to other programs."""
    return sorted(_walk(folder, ""))


def _walk(folder: Path, before: str) -> Iterator[str]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder / entry.name, f"{before}{entry.name}/")
        else:
            yield before + entry.name


def _read(folder: Path, name: str, limits: Resources) -> Resource | Skipped:
    path = folder / name
    try:
        problem = _refused(folder, path, limits)
        return Skipped(name, problem) if problem else _read_kind(name, path, limits)
    except OSError as error:
        return Skipped(name, f"it cannot be read ({error.strerror or error})")
    except (Unreadable, NotText) as error:
        return Skipped(name, str(error))


def _refused(folder: Path, path: Path, limits: Resources) -> str:
    """Why a file must not be opened at all."""
    if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        return "it is a link that leads out of the folder"
    facts = path.stat()
    if not stat.S_ISREG(facts.st_mode):
        return "it is no file that can be read"
    if facts.st_size > limits.max_file_mb * 1_000_000:
        size = facts.st_size / 1_000_000
        return f"it has {size:.1f} MB, more than {limits.max_file_mb:g} (the limit is resources.max_file_mb)"
    return "" if facts.st_size else "it is empty"


def _read_kind(name: str, path: Path, limits: Resources) -> Resource | Skipped:
    ending = path.suffix.lower()
    if ending in IMAGES:
        with path.open("rb") as file:
            whole = file.read(FIRST_BYTES).startswith(IMAGES[ending])
        return Resource(name, "image", "", path) if whole else Skipped(name, f"it is no {ending[1:].upper()} image")
    if ending in DOCUMENTS:
        kind: Kind = "pdf" if ending == ".pdf" else "docx"
        text, note = DOCUMENTS[ending](path, limits.max_text_kb * 1000)
    else:
        kind = "code" if CODE.fullmatch(path.name) else "text"
        text, note = read_text(path, limits.max_text_kb * 1000)
    return Resource(name, kind, text, path, note) if text.strip() else Skipped(name, "there is no text in it")
