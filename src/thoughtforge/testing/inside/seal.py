"""Whether the functions that decide a test's outcome are still the ones the process started with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType
from typing import Any

Key = tuple[str, str]
Known = tuple[Any, CodeType | None]

PYTEST = (
    ("pluggy._callers", "_multicall"),
    ("pluggy._hooks", "HookCaller.__call__"),
    ("pluggy._manager", "PluginManager._hookexec"),
    ("_pytest.main", "pytest_runtestloop"),
    ("_pytest.main", "Session.perform_collect"),
    ("_pytest.python", "Function.runtest"),
    ("_pytest.python", "pytest_pyfunc_call"),
    ("_pytest.outcomes", "fail"),
    ("_pytest.raises", "RaisesExc.__exit__"),
    ("_pytest.python_api", "RaisesContext.__exit__"),
    ("_pytest.reports", "TestReport.__init__"),
    ("_pytest.reports", "TestReport.from_item_and_call"),
    ("_pytest.runner", "CallInfo.from_call"),
    ("_pytest.runner", "call_and_report"),
    ("_pytest.runner", "call_runtest_hook"),
    ("_pytest.runner", "pytest_runtest_call"),
    ("_pytest.runner", "pytest_runtest_makereport"),
    ("_pytest.runner", "pytest_runtest_protocol"),
    ("_pytest.runner", "pytest_runtest_setup"),
    ("_pytest.runner", "pytest_runtest_teardown"),
    ("_pytest.runner", "runtestprotocol"),
    ("_pytest.skipping", "pytest_runtest_makereport"),
    ("_pytest.unittest", "TestCaseFunction.addError"),
    ("_pytest.unittest", "TestCaseFunction.addFailure"),
    ("_pytest.unittest", "TestCaseFunction.runtest"),
)
"""Some of them exist in some versions only; those that are there are watched."""

UNITTEST = tuple(
    ("unittest.case", f"TestCase.{name}")
    for name in (
        "__call__",
        "run",
        "_callTestMethod",
        "fail",
        "assertEqual",
        "assertTrue",
        "assertFalse",
        "assertRaises",
    )
) + (("unittest.case", "_AssertRaisesContext.__exit__"), ("unittest.suite", "TestSuite.run"))


def seal(watched: Iterable[Key]) -> Callable[[], list[str]]:
    """A function that names what was replaced since now."""
    wanted = [key for key in watched if key[0] in sys.modules]
    modules = {name: sys.modules[name] for name, _ in wanted}
    find = _found
    before: dict[Key, Known] = {key: find(modules[key[0]], key[1]) for key in wanted}

    def changed() -> list[str]:
        return [
            f"{module}.{name}"
            for (module, name), known in before.items()
            if not _same(find(modules[module], name), known)
        ]

    return changed


def _same(now: Known, before: Known) -> bool:
    return now[0] is before[0] and now[1] is before[1]


def _found(module: Any, dotted: str) -> Known:
    """What a name stands for, without binding it, and the code behind it."""
    at = module
    for name in dotted.split("."):
        at = vars(at).get(name) if at is not None else None
    inner = getattr(at, "__func__", at)
    return at, inner.__code__ if isinstance(inner, FunctionType) else None
