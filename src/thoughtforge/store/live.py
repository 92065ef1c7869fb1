"""The reply being streamed: shown as it comes, never hashed, never folded, begun anew with each call."""

from __future__ import annotations

import time
from pathlib import Path

from thoughtforge.store.secrets import Masker

EVERY_SECONDS = 0.1
TAIL = 80
"""Characters held back at least, so that a secret that arrives in pieces is masked whole."""


class Live:
    """The `live` file of one task."""

    def __init__(self, folder: Path, masker: Masker) -> None:
        self.path = folder / "live"
        self.masker = masker
        self.held_back = max(TAIL, *map(len, masker.forms), 0)
        self.text = ""
        self._written = 0.0

    def show(self, piece: str | None) -> None:
        """Add a piece; None begins a new reply."""
        self.text = "" if piece is None else self.text + piece
        now = time.monotonic()
        if piece is not None and now - self._written < EVERY_SECONDS:
            return
        self._written = now
        shown = self.masker.text(self.text)[: -self.held_back]
        self.path.write_text(shown, encoding="utf-8", errors="replace")
