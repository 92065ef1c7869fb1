"""Runs that are killed at a chosen moment, and what must be equal after they went on."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import REQUEST, Done, events
from harness.boundaries import Boundary
from harness.forked import thoughtforge
from thoughtforge.store.verify import verify

SITE = Path(__file__).parent / "site"
Events = list[dict[str, Any]]


class Shelf(NamedTuple):
    """One copy of the prepared repository and its person."""

    repository: Path
    person: Path

    def run(self, *args: str, **env: str) -> Done:
        """The command, asked for one JSON object."""
        return thoughtforge(*args, "--json", cwd=self.repository, home=self.person, **env)

    def design(self) -> Done:
        """The usual request, undisturbed."""
        return self.run("design", REQUEST)

    def doomed(self, *args: str, at: str) -> Done:
        """Run the command until `at` (`event name count moment`), where it is killed; or to its end."""
        return self.run(*args, PYTHONPATH=str(SITE), CRASH=at)

    def kill(self, *args: str, at: str) -> None:
        """Run the command and see it killed."""
        ended = self.doomed(*args, at=at)
        assert (ended.code, at) == (-signal.SIGKILL, at), ended.err

    def listed(self) -> list[str]:
        """The tasks a person is shown, each with its state."""
        return [f"{row['task']} {row['state']}" for row in self.run("status").json["tasks"]]

    def events(self) -> Events:
        """The record of the only task."""
        return events(self.repository, self.folder.name)

    @property
    def folder(self) -> Path:
        """The folder of the only task that is listed."""
        (found,) = (self.repository / ".thoughtforge" / "tasks").glob("[!.]*/")
        return found

    def copy(self, place: Path) -> Shelf:
        """The same repository at another place."""
        repository, person = place / "shelf", place / "person"
        shutil.copytree(self.repository, repository)
        person.mkdir()
        return Shelf(repository, person)


def deaths(place: Path, run: Callable[..., Done], boundaries: Sequence[Boundary], *, every: bool) -> Iterator[Boundary]:
    """Each boundary in order, while everything below `place` is as a kill there leaves it.

    One process runs as far as the last of them, where it dies; at those before it the files are copied as they are.
    With `every` a process of its own dies at each.
    """
    clean, kept = place.with_name(f"{place.name}.clean"), place.with_name(f"{place.name}.kept")
    shutil.copytree(place, clean, symlinks=True)
    if not every and boundaries:
        copies = ",".join(one.name for one in boundaries[:-1])
        _die(run, boundaries[-1], COPIES=copies, COPY_FROM=str(place), COPY_TO=str(kept))
        shutil.copytree(place, kept / boundaries[-1].name, symlinks=True)
    for boundary in boundaries:
        put_back(clean if every else kept / boundary.name, place)
        if every:
            _die(run, boundary)
        yield boundary


def _die(run: Callable[..., Done], boundary: Boundary, **env: str) -> None:
    killed = run(PYTHONPATH=str(SITE), CRASH=boundary.at, **env)
    assert (killed.code, boundary) == (-signal.SIGKILL, boundary), killed.err


def put_back(kept: Path, place: Path) -> None:
    """The same files at the same place: the record names places."""
    shutil.rmtree(place)
    shutil.copytree(kept, place, symlinks=True)


class Outcome(NamedTuple):
    """Everything about a finished task that a crash must not change."""

    code: int
    state: str
    digest: str
    """Of the final specification."""
    text: bytes
    """What a person reads of it."""
    damage: tuple[str, ...]
    story: list[tuple[Any, ...]]
    tokens: int
    """Without those reserved for a call that never ended."""
    files: list[str]


def outcome(shelf: Shelf, done: Done) -> Outcome:
    """What came of the only task, in the words of its record."""
    assert done.out, done.err
    data, folder, record = done.json, shelf.folder, shelf.events()
    calls = abandoned(record)
    return Outcome(
        code=done.code,
        state=data["state"],
        digest=data["deliverable"]["digest"],
        text=Path(data["deliverable"]["path"]).read_bytes(),
        damage=verify(folder).damage,
        story=story(record, leave_out=calls),
        tokens=data["cost"]["tokens"] - sum(call["reserved"]["tokens"] for call in calls),
        files=sorted(str(path.relative_to(folder)) for path in (folder / "artifacts").rglob("*") if path.is_file()),
    )


def abandoned(record: Events) -> Events:
    """The calls that were begun and have no end on record."""
    over = {event["call"] for event in record if event["type"] in ("call_ended", "call_failed")}
    return [event for event in record if event["type"] == "call_started" and event["call"] not in over]


def story(record: Events, *, leave_out: Iterable[dict[str, Any]] = ()) -> list[tuple[Any, ...]]:
    """What was done, in order, whoever ran it: every artifact once a round, every call once a place."""
    gone = [event["seq"] for event in leave_out]
    told = [e for e in record if not e["type"].startswith(("runner_", "warning_")) and e["seq"] not in gone]
    return [tuple(event.get(key) for key in ("type", "stage", "round", "key", "to")) for event in told]


def repeats(record: Events) -> list[tuple[str, bool]]:
    """The calls that were made again, and whether they said the same as the first time."""
    seen: dict[str, str] = {}
    found: list[tuple[str, bool]] = []
    for event in record:
        if event["type"] == "call_started":
            key, digest = event["key"], event["context_digest"]
            found += [(key, digest == seen[key])] if key in seen else []
            seen[key] = digest
    return found


def tear(log: Path) -> bytes:
    """Leave half of the last line, as a crash in the middle of a write does; that half."""
    *whole, last = log.read_bytes().splitlines(keepends=True)
    half = last[: len(last) // 2]
    log.write_bytes(b"".join(whole) + half)
    return half
