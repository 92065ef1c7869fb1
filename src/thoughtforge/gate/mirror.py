"""The Python files as the tools see them: a private copy without any configuration and without new suppressions.

ruff and ty look for configuration beside and above the files they read. In this copy there is none to be found, so
that nothing in a workspace can silence them; what they are told comes from the engine alone.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from thoughtforge.gate.packages import Package, packages, roots
from thoughtforge.gate.suppressions import without_new

ENDINGS = (".py", ".pyi")
MARKER = "py.typed"
FIRST_AGE = 1_000_000_000


class Mirror:
    """The copy of one set of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.state = 0
        """Counts changes, so that what was computed from the files can be known to be old."""
        self.layout: tuple[tuple[Package, ...], tuple[str, ...]] | None = None

    def shows(self, path: str) -> bool:
        """Whether a file belongs into the copy."""
        parts = PurePosixPath(path).parts
        plain = not path.startswith("/") and ".." not in parts
        return plain and (path.endswith(ENDINGS) or parts[-1:] == (MARKER,))

    def put(self, path: str, text: str, *, base: str | None) -> bool:
        """Take a file as it is now; says whether anything changed."""
        seen = without_new(text, base)
        if self.texts.get(path) == seen:
            return False
        if path not in self.texts:
            self.layout = None
        file = self.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(seen.encode("utf-8", "replace"))
        self.texts[path] = seen
        self.state += 1
        # no two versions of a file are of the same age, however quickly one follows the other: caches go by it
        os.utime(file, (FIRST_AGE + self.state, FIRST_AGE + self.state))
        return True

    def drop(self, path: str) -> bool:
        """Forget a file that is gone; says whether it was there."""
        if self.texts.pop(path, None) is None:
            return False
        self.layout = None
        self.file(path).unlink(missing_ok=True)
        self.state += 1
        return True

    def file(self, path: str) -> Path:
        """Where a file lies in the copy."""
        return self.folder / path

    def packages(self) -> tuple[Package, ...]:
        """The repository's own packages."""
        return self._layout()[0]

    def roots(self) -> tuple[str, ...]:
        """The folders imports begin at."""
        return self._layout()[1]

    def _layout(self) -> tuple[tuple[Package, ...], tuple[str, ...]]:
        if self.layout is None:
            self.layout = (packages(self.texts), roots(self.texts))
        return self.layout
