"""A runner whose task was taken from it writes nothing more: no event, no ref, no notice."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles import Said, Server
from harness.place import from_demo, make_place
from model_server import Answer, Asked, ModelServer


def replace_lock(folder: Path) -> None:
    (folder / "lease").unlink()
    (folder / "lease").touch()


def exchange_folder(folder: Path) -> None:
    away = folder.rename(folder.parents[2] / "away")
    shutil.copytree(away, folder)


@pytest.mark.parametrize("take", [replace_lock, exchange_folder])
def test_a_runner_that_lost_its_task_appends_and_tells_nothing(tmp_path: Path, take: Callable[[Path], None]) -> None:
    place, posted, before, usual = make_place(tmp_path), [], [], from_demo(tmp_path)

    def answer(asked: Asked) -> Answer:
        """Take the task from its runner, then answer it."""
        if not before:
            before.append(len(place.events()))
            take(place.folder)
        return usual(asked)

    with ModelServer(answer) as model, Server(lambda asked: (posted.append(asked.json), Said(200, {}))[1]) as hook:
        channels = {"mine": {"kind": "webhook", "url": hook.url}}
        place.serve(model, config={"notifications": {"channels": channels}})
        done = place.design()
    assert done.code == 1, done.out + done.err
    assert done.json["error"]["what"].startswith(f"this process no longer holds task {place.task}: ")
    assert "thoughtforge status" in done.json["error"]["do"]
    assert ([len(place.events())], posted) == (before, [])
