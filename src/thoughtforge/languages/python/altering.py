"""Python tests with changed expectations: edits of a source by place; everything else stays as it was written."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import NamedTuple


class Splice(NamedTuple):
    """Bytes `start` to `end` of a source become `text`."""

    start: int
    end: int
    text: str


class SourceText:
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


ALTERED = "_thoughtforge_altered"
OTHER = "_ThoughtforgeOther"
CHANGED = " (changed)"
PRELUDE = f'''
class {OTHER}(Warning):
    """An error and a warning that nobody raises."""


def {ALTERED}(value):
    kind = type(value)
    if kind is bool:
        return not value
    if kind is int:
        return value + 1
    if kind is float:
        return value + 1000 * max(1.0, abs(value))
    if kind in (str, bytes):
        return value + ({CHANGED!r} if kind is str else {CHANGED.encode()!r})
    if kind in (list, tuple):
        return value + kind(({CHANGED!r},))
    if kind in (set, frozenset):
        return value | {{{CHANGED!r}}}
    if kind is dict:
        return {{**value, {CHANGED!r}: None}}
    return object()


'''
"""Goes to the top of a changed file. A value of a type it does not know becomes an object equal to nothing."""

DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)


def rank(node: ast.expr) -> int:
    """How surely a side of a comparison is the expected one: 0 for what is written out, 2 for what is called."""
    if is_literal(node) or isinstance(node, (ast.JoinedStr, *DISPLAYS)) or is_approx(node):
        return 0
    return 2 if any(isinstance(part, ast.Call | ast.Await) for part in ast.walk(node)) else 1


def expected_of(left: ast.expr, right: ast.expr) -> ast.expr:
    """The expected side: the one more surely written out, the right one when both are alike."""
    return left if rank(left) < rank(right) else right


def altered(source: SourceText, node: ast.expr, *, near: bool = False) -> Splice:
    """The change of one expected value. `near` means that it is compared with a tolerance."""
    if isinstance(node, ast.Call) and is_approx(node) and node.args and _number(node.args[0]) is not None:
        return altered(source, node.args[0], near=True)
    if is_literal(node):
        text = _other_literal(node, near)
        if text:
            return source.replace(node, text)
    if isinstance(node, DISPLAYS):
        return _longer(source, node)
    return source.wrap(node, f"{ALTERED}(", after=")")


def is_literal(node: ast.expr) -> bool:
    """Whether it is one constant, possibly with a sign."""
    return isinstance(node, ast.Constant) or _number(node) is not None


def is_approx(node: ast.expr) -> bool:
    """Whether it is pytest's approx(…)."""
    return isinstance(node, ast.Call) and called(node) == "approx"


def called(node: ast.Call) -> str:
    """The last part of the name of what is called; empty when it has none."""
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _number(node: ast.expr) -> int | float | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    value = node.value if isinstance(node, ast.Constant) else None
    return sign * value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _other_literal(node: ast.expr, near: bool) -> str:
    """Another literal of the same type; empty for None and what has no other."""
    number = _number(node)
    if number is not None:
        far = near or isinstance(number, float)
        moved = number + (1000 * max(1, abs(number)) if far else 1)
        text = "0.0" if math.isinf(moved) else repr(moved)
        return f"({text})" if moved < 0 else text
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool):
        return repr(not value)
    if isinstance(value, str):
        return repr(value + CHANGED)
    if isinstance(value, bytes):
        return repr(value + CHANGED.encode())
    return ""


def _longer(source: SourceText, node: ast.expr) -> Splice:
    """A written-out container with one more member."""
    inside = source.segment(node)[1:-1]
    more = f"{CHANGED!r}: None" if isinstance(node, ast.Dict) else repr(CHANGED)
    opening, closing = {ast.List: ("[", "]"), ast.Tuple: ("(", ")")}.get(type(node), ("{", "}"))
    # in front, because a comment may end the list
    return source.replace(node, f"{opening}{more},{inside}{closing}")
