"""The files people read: written from the log, at rest and at most once a second, never parsed back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from thoughtforge import views
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import State
from thoughtforge.store.secrets import Masker

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
        full = views.status(state)
        _replace(self.folder / "state.yaml", to_yaml(full))
        short = {**views.summary(state), "status": str(state.status())}
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


def to_yaml(data: Any) -> str:
    """Plain YAML in the order given."""
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return text


class _Dumper(yaml.CSafeDumper):
    """Long texts as blocks, the way a person would write them."""


def _block(dumper: yaml.CSafeDumper, text: str) -> yaml.Node:
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair, as in a name that is not UTF-8
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _block)


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)  # never through a link
    fresh.write_text(text, encoding="utf-8", errors="replace")
    fresh.replace(path)
