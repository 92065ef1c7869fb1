"""What commands and views say of old records stays: a field that was there is still there with the same value.

New fields are welcome. `pytest tests/golden --update-stories` writes what is said anew; the records stay as they are.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from harness import thoughtforge
from thoughtforge.kernel.loop import Journal
from thoughtforge.service.open_task import thought_views
from thoughtforge.store.file_task import FileBlobs
from thoughtforge.store.log import FileLog
from thoughtforge.store.secrets import Masker
from thoughtforge.store.viewfiles import ViewFiles

HERE = Path(__file__).parent
TOLD = HERE / "told"
COMMANDS = ("status last", "inspect last", "inspect last --steps")


class Old(NamedTuple):
    """A copy of an old record in a home of its own."""

    home: Path
    folder: Path

    def told(self, command: str) -> Any:
        """What a command says as JSON, with HOME for the place of the copy."""
        here = {"cwd": self.home.parent, "home": self.home.parent, "THOUGHTFORGE_HOME": str(self.home)}
        done = thoughtforge(*command.split(), "--json", **here)
        assert done.code == 0, done.out + done.err
        return json.loads(done.out.replace(str(self.home), "HOME"))


@pytest.fixture(params=sorted(path.name for path in HERE.glob("v2_*")))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Old:
    """Each record as a person would have it today."""
    record = HERE / request.param
    with (record / "events.jsonl").open(encoding="utf-8") as file:
        task = json.loads(next(file))["task"]
    home = tmp_path / "home"
    if task["goal"] == "think":
        (home / "projects" / task["id"]).mkdir(parents=True)
    return Old(home, Path(shutil.copytree(record, home / "tasks" / task["id"])))


def lost(known: Any, now: Any, at: str = "") -> Iterator[str]:
    """Where what was known is missing or different."""
    if isinstance(known, dict) and isinstance(now, dict):
        for key, value in known.items():
            yield from lost(value, now[key], f"{at}.{key}") if key in now else [f"{at}.{key}: missing"]
    elif isinstance(known, list) and isinstance(now, list) and len(known) == len(now):
        for number, (one, other) in enumerate(zip(known, now, strict=True)):
            yield from lost(one, other, f"{at}[{number}]")
    elif known != now:
        yield f"{at}: {known!r} became {now!r}"


def held(name: str, now: Any, *, update: bool) -> list[str]:
    """What is lost of a stored output."""
    path = TOLD / name
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return list(lost(json.loads(path.read_text(encoding="utf-8")), now))


def test_commands_say_of_an_old_record_what_they_said_then(
    old: Old, request: pytest.FixtureRequest, pytestconfig: pytest.Config
) -> None:
    thought = (old.home / "projects").exists()
    now = {command: old.told(command) for command in (*COMMANDS, *(["chat last"] if thought else []))}
    name = request.node.callspec.params["old"]
    update = bool(pytestconfig.getoption("--update-stories"))
    assert held(f"{name}.commands.json", now, update=update) == []


def test_the_listed_events_of_an_old_record_are_those_on_disk(old: Old) -> None:
    raw = [json.loads(line) for line in (old.folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    known = [{key: value for key, value in event.items() if key not in ("prev", "hash")} for event in raw]
    assert list(lost(known, old.told("inspect last --events")["events"])) == []


def test_views_of_an_old_record_are_what_they_were(
    old: Old, request: pytest.FixtureRequest, pytestconfig: pytest.Config
) -> None:
    before = {path.name for path in old.folder.iterdir()}
    write_views(old.folder)
    files = sorted(path for path in old.folder.iterdir() if path.name not in before and path.is_file())
    now = {path.name: read_view(path) for path in files}
    made = sorted(str(path.relative_to(old.folder)) for path in (old.folder / "artifacts").rglob("*.yaml"))
    update = bool(pytestconfig.getoption("--update-stories"))
    name = request.node.callspec.params["old"]
    assert held(f"{name}.views.json", {**now, "artifacts": made}, update=update) == []


def write_views(folder: Path) -> None:
    """Write every view from the record."""
    masker = Masker.of({})
    log = FileLog(folder, masker=masker, clock=lambda: "2026-12-01T00:00:00+00:00")
    try:
        journal, blobs = Journal(log), FileBlobs(folder, masker=masker)
        ViewFiles(folder, blobs, masker, more=thought_views(journal, blobs)).write(journal.state)
    finally:
        log.close()


def read_view(path: Path) -> Any:
    """Its fields, or its text."""
    text = path.read_text(encoding="utf-8")
    return yaml.safe_load(text) if path.suffix in (".json", ".yaml") else text


def test_a_field_that_went_away_or_changed_is_named() -> None:
    assert list(lost({"a": 1, "b": [{"c": 2}]}, {"b": [{"c": 3, "new": 4}]})) == [".a: missing", ".b[0].c: 2 became 3"]
    assert list(lost([1], [1, 2], "x")) == ["x: [1] became [1, 2]"]
