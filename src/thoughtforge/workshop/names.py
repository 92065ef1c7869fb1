"""The names of the tests in a file that cannot be run yet, read from its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

PATTERNS = {
    "go": re.compile(r"^func\s+(Test\w+)\s*\(", re.MULTILINE),
    "rust": re.compile(r"#\[test\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)", re.MULTILINE),
    "javascript": re.compile(r"\b(?:test|it)(?:\.\w+)?\s*\(\s*(?:'([^']+)'|\"([^\"]+)\"|`([^`]+)`)"),
}


def names_in(language: str, path: str, text: str) -> tuple[str, ...]:
    """Ids without parameters, as the runner would give them; empty when the text cannot be read either."""
    if language == "python":
        return tuple(f"{path}::{name}" for name in _python(text))
    pattern = PATTERNS.get(language)
    if pattern is None:
        return ()
    return tuple(f"{path}::{next(group for group in found.groups() if group)}" for found in pattern.finditer(text))


def _python(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    yield from _tests(tree.body, "")


def _tests(body: list[ast.stmt], outer: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield f"{outer}{node.name}"
        elif isinstance(node, ast.ClassDef) and _holds_tests(node):
            yield from _tests(node.body, f"{outer}{node.name}::")


def _holds_tests(node: ast.ClassDef) -> bool:
    above = [ast.unparse(one).rpartition(".")[2] for one in node.bases]
    return node.name.startswith("Test") or any(name.endswith("TestCase") for name in above)
