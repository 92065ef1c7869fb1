"""Files for people beside the record: its views. None is ever read back."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import State
from thoughtforge.store.secrets import Masker
from thoughtforge.views.tasks import details
from thoughtforge.views.values import as_data
from thoughtforge.views.yaml_text import to_yaml


def write_whole(path: Path, data: bytes) -> None:
    """Replace `path`, its folder made if need be; on any failure the old file stays as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    try:
        with fresh.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


EVERY_SECONDS = 1.0
More = Callable[[State], dict[str, str]]
"""Further views of a kind of task, by file name; they come last and may take the place of one above."""


class ViewFiles:
    """The views of one task."""

    def __init__(self, folder: Path, blobs: Blobs, masker: Masker, *, more: More | None = None) -> None:
        self.folder = folder
        self.more = more
        self.blobs = blobs
        self.masker = masker
        self._written = 0.0

    def maybe(self, state: State) -> None:
        """Write them if the last time is long enough ago."""
        now = time.monotonic()
        if now - self._written >= EVERY_SECONDS:
            self.write(state)
            self._written = now

    def write(self, state: State) -> None:
        """Write them all."""
        full = details(state)
        _replace(self.folder / "state.yaml", to_yaml(as_data(full)))
        short = {**as_data(full.overview), "status": str(state.status())}
        _replace(self.folder / "status.json", json.dumps(short, indent=2, ensure_ascii=False) + "\n")
        for name, text in self.more(state).items() if self.more else ():
            _replace(self.folder / name, self.masker.text(text))
        for stage in state.the_task().pipeline.stages:
            self._artifacts(state, stage.name, stage.output_contract)

    def _artifacts(self, state: State, stage: str, contract: str) -> None:
        mine = state.stage(stage)
        folder = self.folder / "artifacts" / stage
        for number, digest in enumerate(mine.versions, start=1):
            self._artifact(folder / f"{contract}_v{number}.yaml", digest)
        if state.exited and state.exited.stage == stage:
            self._artifact(folder / f"{contract}_final.yaml", state.exited.artifact)

    def _artifact(self, path: Path, digest: str) -> None:
        text = self.masker.text(self.blobs.get(digest).decode("utf-8", "replace"))
        try:
            shown = to_yaml(json.loads(text))
        except ValueError:
            shown = text  # an answer that was no artifact; the gate has said so
        if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != shown:
            _replace(path, shown)


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)  # never through a link
    fresh.write_text(text, encoding="utf-8", errors="replace")
    fresh.replace(path)
