"""Where new files came from: what was found in a file before it was moved is not new after it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import PurePosixPath

ALIKE = 0.5
"""Which part of the lines two files must share to be one that was moved."""


class Moved:
    """The files that are new beside those that are gone since the base commit."""

    def __init__(self, before: Mapping[str, str]) -> None:
        self.before = before
        self.origins: dict[str, str] = {}
        """New file → what it was called at the base commit."""
        self.seen: tuple[object, ...] = ()

    def trace(self, texts: Mapping[str, str]) -> frozenset[str]:
        """Follow the files as they are now; answers those of which something else is known than before.

        A file that is gone is the origin of one new file at most, and of none once it is back: a copy is new.
        """
        new = {path: texts[path] for path in sorted(texts.keys() - self.before.keys())}
        gone = self.before.keys() - texts.keys() if new else frozenset()
        if self.seen == (new, gone):
            return frozenset()
        self.seen = (new, gone)
        origins: dict[str, str] = {}
        for path, text in new.items():
            old = _origin(path, text, gone=gone - set(origins.values()), before=self.before)
            if old:
                origins[path] = old
        differing = {
            path for path in origins.keys() | self.origins.keys() if origins.get(path) != self.origins.get(path)
        }
        self.origins = origins
        return frozenset(differing)


def _origin(path: str, text: str, *, gone: Collection[str], before: Mapping[str, str]) -> str:
    """One of the same name is the likeliest, then the most similar one."""
    pure = PurePosixPath(path)
    shared = {old: _shared(text, before[old]) for old in gone if PurePosixPath(old).suffix == pure.suffix}
    likely = [old for old in sorted(shared) if shared[old] >= ALIKE]
    return max(likely, key=lambda old: (PurePosixPath(old).name == pure.name, shared[old]), default="")


def _shared(one: str, other: str) -> float:
    """Which part of the longer text's lines the other one has too; nothing in common with an empty one."""
    mine, others = _lines(one), _lines(other)
    return len(mine & others) / max(len(mine), len(others)) if mine and others else 0.0


@lru_cache(maxsize=256)
def _lines(text: str) -> frozenset[str]:
    return frozenset(line.strip() for line in text.split("\n")) - {""}
