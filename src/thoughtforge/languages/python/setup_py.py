"""What a setup.py says with literals. It is read and never run: what it computes stays unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

FIELDS = ("install_requires", "tests_require", "extras_require")


class SetupArgument(NamedTuple):
    """One argument of `setup`: its value, or that nothing but running it would tell."""

    name: str
    value: Any = None
    known: bool = False


def told(text: str) -> Iterator[SetupArgument]:
    """The arguments that say what a project needs: literals, and names that stand for one."""
    tree = ast.parse(text)
    names = _constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in FIELDS:
            try:
                yield SetupArgument(node.arg, _value(node.value, names), known=True)
            except (ValueError, TypeError):
                yield SetupArgument(node.arg)


def _constants(tree: ast.Module) -> Mapping[str, ast.expr]:
    """Names that are bound once, at the top, and never touched again but to be read."""
    bound = [
        (target.id, node.value)
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    ]
    writes = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    changed = set(_changed(tree))
    return {name: value for name, value in bound if writes.count(name) == 1 and name not in changed}


def _changed(tree: ast.Module) -> Iterator[str]:
    """Names whose value a method, an item or a loop of others may change: `needs.append(…)`, `extras["x"] = …`."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            yield node.func.value.id
        elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield from (inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name))
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names


def _value(node: ast.expr, names: Mapping[str, ast.expr], *, deep: int = 10) -> Any:
    """The value of an expression of literals, names of literals, lists with stars and sums of lists."""
    if deep == 0:
        raise ValueError
    if isinstance(node, ast.Name) and node.id in names:
        return _value(names[node.id], names, deep=deep - 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _value(node.left, names, deep=deep - 1) + _value(node.right, names, deep=deep - 1)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        items: list[Any] = []
        for each in node.elts:
            starred = isinstance(each, ast.Starred)
            found = _value(each.value if isinstance(each, ast.Starred) else each, names, deep=deep - 1)
            items += found if starred else [found]
        return items
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        known = [(_key(key, names, deep), _value(value, names, deep=deep - 1)) for key, value in pairs]
        return dict(known)
    return ast.literal_eval(node)


def _key(key: ast.expr | None, names: Mapping[str, ast.expr], deep: int) -> Any:
    if key is None:  # `**others`
        raise ValueError
    return _value(key, names, deep=deep - 1)
