"""Runs unittest on the tree for the engine and tells each test's outcome the moment it is known."""

from __future__ import annotations

import importlib
import json
import re
import sys
import time
import unittest
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .lines import measured, tell_lines
from .seal import UNITTEST, seal
from .tree import origin_check, provided, put_first
from .witness import Witness, detail, failure, line_in, raised_in

CHANGED = "the test runner was changed"
ANY = "test*.py", "*_test.py"


def main(run: str) -> None:
    """Run what the engine asked for and say how it ended."""
    began = time.perf_counter()
    ask = json.loads(Path(run, "ask.json").read_text(encoding="utf-8"))
    witness = Witness()
    sys.path[:] = [place for place in sys.path if place not in ("", run)] + ask["after"]
    root = Path(ask["root"])
    strangers, changed = origin_check(ask["root"], provided(ask["places"])), seal(UNITTEST)
    measure = measured(ask)
    put_first(ask["root"], ask["places"])
    sys.argv = [str(Path(unittest.__file__).with_name("__main__.py"))]
    found = [(test, path) for path in _files(ask, root) for test in _loaded(witness, path, root)]
    ids = {test.id(): _id(test, path) for test, path in found}
    tests = [test for test, _ in found if not ask["ids"] or ids[test.id()] in ask["ids"]]
    ids = {test.id(): ids[test.id()] for test in tests}
    witness.send("collected", ids=list(ids.values()))
    witness.send_all("tests do not see the workspace", strangers())
    result = Telling(witness, root, changed=changed, ids=ids)
    if not ask["collect_only"]:
        unittest.TestSuite(tests).run(result)
    tell_lines(witness, measure, ask)
    witness.send_all("tests do not see the workspace", strangers())
    witness.send_all(CHANGED, changed())
    witness.send("end", code=0, seconds=round(time.perf_counter() - began, 3))


def _files(ask: Mapping[str, Any], root: Path) -> list[str]:
    if ask["files"]:
        return [name for name in ask["files"] if (root / name).is_file()]
    found = {path.relative_to(root) for pattern in ANY for path in root.rglob(pattern)}
    return sorted(path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts))


def _id(test: unittest.TestCase, path: str) -> str:
    """As pytest would name it, so that a test's file can be told from its id."""
    return f"{path}::{type(test).__qualname__.replace('.', '::')}::{test._testMethodName}"


def _loaded(witness: Witness, path: str, root: Path) -> Iterator[unittest.TestCase]:
    """A file's tests, imported by the name its folders give it."""
    file = root / path
    top, parts = file.parent, [file.stem]
    while top != root and (top / "__init__.py").exists():
        parts.insert(0, top.name)
        top = top.parent
    if str(top) not in sys.path:
        sys.path.append(str(top))
    try:
        module = importlib.import_module(".".join(parts))
    except Exception as error:  # noqa: BLE001 - whatever a test file raises is what is wrong with it
        cause, missing, text = failure(error)
        text = text.replace(f"{root}/", "")
        line = line_in(error, str(file))
        witness.send("unreadable", path=path, line=line, cause=cause, missing=missing, error=text)
        return
    yield from _flat(unittest.defaultTestLoader.loadTestsFromModule(module))


def _flat(suite: Any) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _flat(test)
        else:
            yield test


class Telling(unittest.TestResult):
    """Sends what unittest tells it."""

    def __init__(self, witness: Witness, root: Path, *, changed: Any, ids: Mapping[str, str]) -> None:
        super().__init__()
        self.witness, self.root, self.changed, self.ids = witness, root, changed, ids
        self.answered: set[str] = set()
        self.began = time.perf_counter()

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        super().startTest(test)
        self.began = time.perf_counter()

    def tell(self, test: Any, outcome: str, error: BaseException | None = None, *, said: str = "") -> None:
        """One answer. A class or module that could not be set up answers for each of its tests."""
        place = re.match(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)", test.id())
        told = self._facts(test, outcome, error, said)
        for name in [name for name in self.ids if name.startswith(f"{place[1]}.")] if place else [test.id()]:
            id = self.ids[name]
            when = "sub" if id in self.answered else "call"
            self.answered.add(id)
            self.witness.send("result", id=id, when=when, outcome=outcome, **told)
        self.witness.send_all(CHANGED, self.changed())

    def _facts(self, test: Any, outcome: str, error: BaseException | None, said: str) -> dict[str, Any]:
        file = getattr(sys.modules.get(type(test).__module__), "__file__", None) or ""
        path = file[len(str(self.root)) + 1 :] if file.startswith(f"{self.root}/") else ""
        code = getattr(getattr(type(test), getattr(test, "_testMethodName", ""), None), "__code__", None)
        line = code.co_firstlineno if path and code is not None else 0
        told: dict[str, Any] = {"path": path, "line": line, "seconds": round(time.perf_counter() - self.began, 4)}
        if outcome == "failed":
            cause, missing, text = failure(error) if error is not None else ("other", "", said)
            told.update(cause=cause, missing=missing, error=text.replace(f"{self.root}/", ""))
            told["detail"] = (detail(error) if error is not None else "").replace(f"{self.root}/", "")
            told["raised_in"] = raised_in(error, f"{self.root}/") if error is not None else ""
            told["line"] = (line_in(error, file) if error is not None and path else 0) or line
        elif said:
            told["error"] = said[:400]
        return told

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        self.tell(test, "passed")

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        self.tell(test, "failed", err[1])

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self.tell(test, "failed", err[1])

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        self.tell(test, "skipped", said=reason)

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self.tell(test, "skipped", said="expected to fail")

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        self.tell(test, "failed", said="passed although it is marked as expected to fail")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        if err is not None:
            self.tell(test, "failed", err[1])
