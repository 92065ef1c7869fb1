"""What the person brought along besides words: files in resources/ and pages behind links."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from thoughtforge.agent.run import Run
from thoughtforge.settings.outside import Resources
from thoughtforge.think.connecting import connect, connect_defaults, find_urls
from thoughtforge.think.conversation import Conversation
from thoughtforge.think.deliverable import write_of
from thoughtforge.think.documents import project, refusal
from thoughtforge.think.reading import CODE, NotText, UnreadableDocument, read_docx, read_pdf, read_text
from thoughtforge.think.talking import answer

TOLD = "materials"
"""The code of what is said about them; what stood before such a message has been looked at."""
FOLDER = "resources"


class Materials(NamedTuple):
    """What can be told to an agent of it."""

    texts: dict[str, str]
    images: tuple[Path, ...] = ()
    """Pictures, for an agent that can see."""


async def gather(run: Run, known: Conversation, *, sees: bool = False) -> Materials:
    """Read everything that can be read; what cannot is named in chat, once, and the work goes on without it."""
    folder = project(run).root / FOLDER
    told = [m for m in known.messages if m.code == TOLD]
    said = await _pulled(run, known, since=told[-1].seq if told else 0)
    found = await asyncio.to_thread(read_resources, folder, run.library.config.resources)
    pictures = [one for one in found.resources if one.kind == "image" and one.path]
    told_of = "the agent is shown it." if sees else "it is kept, and this agent cannot see it."
    images = [f"'{one.name}' is an image; {told_of}" for one in pictures]
    before = "\n".join(m.text for m in told)
    fresh = [sentence for sentence in (*said, *found.said(), *images) if sentence not in before]
    if fresh:
        answer(run, "\n".join(fresh), code=TOLD)
    texts = {one.name: one.text for one in found.resources if one.text.strip()}
    return Materials(texts, tuple(one.path for one in pictures if one.path) if sees else ())


async def _pulled(run: Run, known: Conversation, *, since: int) -> tuple[str, ...]:
    """Pull what the person's links name, and the pages the configuration names for every task."""
    settings, machine = run.library.config.connectors, run.library.machine
    if not settings and not any(find_urls(m.text) for m in known.messages if m.role == "human"):
        return ()
    folder = project(run).root / FOLDER
    person = [m for m in known.messages if m.role == "human"]
    seen = [url for m in person if m.seq < since for url in find_urls(m.text)]
    text = "\n".join(m.text for m in person if m.seq > since)
    said: tuple[str, ...] = ()
    if not since:
        done = await connect_defaults(folder, settings=settings, machine=machine, forbids=lambda n: _forbids(run, n))
        said = done.said
    found = await connect(
        text, folder, settings=settings, machine=machine, known=seen, forbids=lambda n: _forbids(run, n)
    )
    return (*said, *found.said)


def _forbids(run: Run, name: str) -> str:
    """What comes from outside is judged like everything that is written; a connector's file never halts a task."""
    path = f"{FOLDER}/{name}"
    return refusal(run, write_of(path), path, deliverable="plan")


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
    except (UnreadableDocument, NotText) as error:
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
