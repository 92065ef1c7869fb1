"""Which Python files are tests, and which tests a file shows by its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

FOLDERS = {"tests", "test", "testdata", "test_data", "__snapshots__"}
FUNCTION = re.compile(r"^(?:async )?def test", re.M)
PYTEST = re.compile(r"^\s*(?:import|from) pytest\b", re.M)
UNITTEST = re.compile(r"^\s*(?:import|from) unittest\b", re.M)


def is_python_test(path: str) -> bool:
    """Tests, `conftest.py` anywhere, and everything in a folder of tests."""
    at = PurePosixPath(path)
    return bool(FOLDERS & set(at.parts[:-1])) or at.name == "conftest.py" or _named_so(at.name)


def files_with_tests(paths: Iterable[str]) -> list[str]:
    """The files a runner would look for tests in."""
    return [path for path in paths if _named_so(PurePosixPath(path).name)]


def imports_unittest_only(text: str) -> bool:
    """Whether a test file is written for unittest alone."""
    return bool(UNITTEST.search(text)) and not PYTEST.search(text) and not FUNCTION.search(text)


def _named_so(name: str) -> bool:
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def names_in(path: str, text: str) -> tuple[str, ...]:
    """Ids without parameters, of a file that cannot be run yet; empty when its text cannot be read either."""
    try:
        return tuple(f"{path}::{name}" for name in _names(ast.parse(text).body, ""))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def _names(body: list[ast.stmt], outer: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield f"{outer}{node.name}"
        elif isinstance(node, ast.ClassDef) and _holds_tests(node):
            yield from _names(node.body, f"{outer}{node.name}::")


def _holds_tests(node: ast.ClassDef) -> bool:
    above = [ast.unparse(one).rpartition(".")[2] for one in node.bases]
    return node.name.startswith("Test") or any(name.endswith("TestCase") for name in above)
