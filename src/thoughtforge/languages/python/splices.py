"""Changes to a Python source by place, so that everything else in it stays as it was written."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple


class Splice(NamedTuple):
    """Bytes `start` to `end` of a source become `text`."""

    start: int
    end: int
    text: str


class Source:
    """A Python text, its syntax tree, and where in the text each part of the tree is."""

    def __init__(self, text: str) -> None:
        self.data = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").encode()
        self.tree = ast.parse(self.data)
        self._starts = [0]
        for line in self.data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Where a part begins, in bytes."""
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Where a part ends, in bytes."""
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """A part as it is written."""
        return self.data[self.start(node) : self.end(node)].decode()

    def replace(self, node: ast.expr | ast.stmt, text: str) -> Splice:
        """The part becomes `text`."""
        return Splice(self.start(node), self.end(node), text)

    def wrap(self, node: ast.expr, before: str, *, after: str = "") -> Splice:
        """The part stays, in brackets, between two texts."""
        return self.replace(node, f"{before}({self.segment(node)}){after}")

    def line(self, number: int) -> int:
        """Where a line begins, in bytes; the first is 1."""
        return self._starts[number - 1]

    def with_changes(self, splices: Iterable[Splice]) -> str:
        """The text with all changes made; they must not overlap."""
        data = self.data
        for splice in sorted(splices, reverse=True):
            data = data[: splice.start] + splice.text.encode("utf-8", "surrogateescape") + data[splice.end :]
        return data.decode()
