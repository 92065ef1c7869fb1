"""The pytest plug-in that tells each test's outcome the moment it is known."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .witness import Witness, detail, failure, line_in, raised_in

CHUNK = 200
FOREIGN_MARKS = ("flaky", "no_cover", "repeat", "xdist_group", "random_order", "order")
"""Markers of plug-ins the engine never loads; a test that carries one is still a test."""

CHANGED = "the test runner was changed"

Check = Callable[[], "list[str]"]


class Plugin:
    """Sends what pytest finds and does; stays silent about what it does not know."""

    def __init__(
        self,
        witness: Witness,
        *,
        root: str,
        ids: Iterable[str],
        strangers: Check,
        changed: Check,
        named: Sequence[Any],
        asked: Iterable[str],
    ) -> None:
        self.send, self.worthless = witness.send, witness.send_all
        self.root = root.rstrip(os.sep) + os.sep
        self.ids = frozenset(ids)
        self.strangers = strangers
        self.changed = changed
        self.named, self.asked = named, frozenset(asked)
        self.raised: dict[tuple[str, str], BaseException] = {}
        self.loop: Any = None

    def pytest_addoption(self, parser: Any, pluginmanager: Any) -> None:
        """Register the plug-ins named at base; this is called before anything of the repository is read."""
        self.loop = getattr(pluginmanager, "_inner_hookexec", None)
        for name, plugin in self.named:
            pluginmanager.register(plugin, name)

    def pytest_configure(self, config: Any) -> None:
        for name in FOREIGN_MARKS:
            config.addinivalue_line("markers", f"{name}: marker of a plug-in that is not loaded")

    @pytest.hookimpl(tryfirst=True, hookwrapper=True)
    def pytest_load_initial_conftests(self) -> Generator[None, Any, None]:
        outcome = yield
        if outcome.excinfo:
            error = outcome.excinfo[1]
            cause = getattr(error, "cause", None) or (getattr(error, "excinfo", None) or (None, None))[1]
            if cause is not None:
                self._unreadable(str(error.path), cause)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Generator[None, Any, None]:
        outcome = yield
        if outcome.excinfo:
            return
        call = vars(outcome.get_result()).get("call")
        if outcome.get_result().failed and call is not None and call.excinfo is not None:
            error = call.excinfo.value
            if type(error).__name__ == "CollectError" and error.__cause__ is not None:
                error = error.__cause__
            # A folder whose conftest.py cannot be imported fails as a folder.
            failed = error if type(error).__name__ == "ConftestImportFailure" else collector
            self._unreadable(str(getattr(failed, "path", collector.nodeid)), getattr(error, "cause", None) or error)

    def _unreadable(self, path: str, error: BaseException) -> None:
        cause, missing, text = failure(error)
        shown = path[len(self.root) :] if path.startswith(self.root) else path
        line, text = line_in(error, path), text.replace(self.root, "")
        self.send("unreadable", path=shown, line=line, cause=cause, missing=missing, error=text)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.ids:
            items[:] = [item for item in items if item.nodeid in self.ids]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: Any) -> None:
        ids = [item.nodeid for item in session.items]
        for start in range(0, len(ids), CHUNK):
            self.send("collected", ids=ids[start : start + CHUNK])
        self.look(session.config.pluginmanager, {getattr(item, "module", None) for item in session.items})

    @pytest.hookimpl(tryfirst=True, hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        yield
        if call.excinfo is not None:
            self.raised[item.nodeid, call.when] = call.excinfo.value

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        error = self.raised.pop((report.nodeid, report.when), None)
        outcome = self._outcome(report, error)
        sub = hasattr(report, "context") and report.when == "call"
        if outcome == "passed" and (sub or report.when != "call"):
            return  # only the test as a whole can pass
        told = {"id": report.nodeid, "when": "sub" if sub else report.when, "outcome": outcome}
        path, line = report.location[0], (report.location[1] or 0) + 1
        if outcome == "failed":
            cause, missing, text = failure(error) if error is not None else ("other", "", _said(report))
            line = (line_in(error, self.root + path) if error is not None else 0) or line
            told.update(cause=cause, missing=missing, error=text.replace(self.root, ""))
            told["detail"] = (detail(error) if error is not None else "").replace(self.root, "")
            if error is not None and report.when == "call":
                told["raised_in"] = raised_in(error, self.root)
        elif outcome == "skipped":
            told["error"] = _reason(report).replace(self.root, "")
        self.send("result", path=path, line=line, seconds=round(report.duration, 4), **told)
        self.worthless(CHANGED, self.changed())

    def _outcome(self, report: Any, error: BaseException | None) -> str:
        if report.outcome == "passed" and (error is not None or hasattr(report, "wasxfail")):
            return "failed"  # an unexpected pass, or a failure that somebody turned into one
        return str(report.outcome)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: Any) -> None:
        self.look(session.config.pluginmanager, set())

    def look(self, manager: Any, test_modules: set[Any]) -> None:
        """Everything that would make the answers worthless: another tree, another runner."""
        self.worthless("tests do not see the workspace", self.strangers())
        self.worthless(CHANGED, self.changed())
        self.worthless(CHANGED, [] if getattr(manager, "_inner_hookexec", None) is self.loop else ["its hook loop"])
        self.worthless(CHANGED, [f"hooks in {file}" for file in self._planted(manager, test_modules)])

    def _planted(self, manager: Any, test_modules: set[Any]) -> Iterable[str]:
        """Files with hooks that neither an installed plug-in nor the test set put there."""
        modules = {thing for thing in (*manager.get_plugins(), *test_modules) if isinstance(thing, ModuleType)}
        ours = [module for module in modules if self.known(getattr(module, "__file__", None) or "")]
        declared = {name for module in ours for name in _listed(getattr(module, "pytest_plugins", ()))}
        allowed = {getattr(sys.modules.get(name), "__file__", None) for name in declared | self.asked}
        for caller in vars(manager.hook).values():
            for implementation in caller.get_hookimpls() if hasattr(caller, "get_hookimpls") else ():
                function = getattr(implementation.function, "__func__", implementation.function)
                file = getattr(getattr(function, "__code__", None), "co_filename", "?")
                if file not in allowed and not self.known(file):
                    yield file

    def known(self, file: str) -> bool:
        """Whether a file belongs to what was installed at the start or to the tests."""
        if not file.startswith(self.root):
            return file.startswith(INSTALLED)
        parts = Path(file).relative_to(self.root).parts
        return parts[-1].startswith(("conftest.py", "test_")) or bool({"tests", "test"} & set(parts[:-1]))


INSTALLED = tuple(
    place.rstrip(os.sep) + os.sep
    for place in (*sys.path, sys.prefix, sys.base_prefix, str(Path(__file__).parent))
    if place
)
"""Where modules come from before the tree is put on the path."""


def _listed(value: Any) -> Sequence[str]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _said(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return "passed although it is marked as expected to fail"
    lines = str(getattr(report, "longreprtext", "")).strip().splitlines()
    return lines[-1][:400] if lines else "failed without a reason"


def _reason(report: Any) -> str:
    """Why a test was skipped, or was expected to fail."""
    if hasattr(report, "wasxfail"):
        return f"expected to fail: {report.wasxfail}".rstrip(": ")[:400]
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    return str(told or "").removeprefix("Skipped: ")[:400]
