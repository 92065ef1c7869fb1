"""A base commit whose tests say nothing: why, as far as the errors tell, and what a person can do before any call."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

import yaml

from thoughtforge.catalog import LIBRARY
from thoughtforge.code.session import CodeSession
from thoughtforge.kernel.errors import UserError
from thoughtforge.testing.language import languages
from thoughtforge.testing.report import SuiteReport, TestResult
from thoughtforge.workspaces.patterns import parse_ignore

CAUSES_FILE = LIBRARY / "baseline.yaml"
NEARLY_ALL = 0.9
"""The share of the tests in error from which on the suite says nothing."""
ROOTS = ("", "src/", "lib/")


class NotPassing(NamedTuple):
    """One test or test file that does not pass."""

    path: str
    error: str
    missing: str
    kind: Literal["error", "wrong", "skipped"]
    """It could not do its work, it found a wrong result, or it was left out."""


def faults(report: SuiteReport, brought: Collection[str] = ()) -> tuple[NotPassing, ...]:
    """Why the suite says nothing about the code; empty when it does. Tests brought along for the task do not count.

    What is skipped says nothing for or against: it is told only when there is nothing else.
    """
    lost = [NotPassing(item.path, item.error, item.missing, "error") for item in report.unreadable]
    ran = [_not_passing(result) for result in report.results.values() if result.outcome != "passed"]
    found = [fault for fault in (*lost, *ran) if fault.path not in brought]
    failed = tuple(fault for fault in found if fault.kind != "skipped")
    passing = [_file(r.id) for r in report.results.values() if r.outcome == "passed"]
    if not passing:
        return failed or tuple(found)
    # nobody knows how many tests a file has that cannot be read; it counts like the mean of the others
    files = {*passing, *(fault.path for fault in ran)}
    mean = max(1, round((len(passing) + len(ran)) / len(files)))
    unreadable = mean * len({fault.path for fault in lost} - {*brought})
    errors = unreadable + sum(fault.kind == "error" for fault in ran if fault.path not in brought)
    wrong = sum(fault.kind == "wrong" for fault in failed)
    return failed if errors >= NEARLY_ALL * (errors + wrong + len(passing)) else ()


def _not_passing(result: TestResult) -> NotPassing:
    kind: Literal["error", "wrong"] = "wrong" if result.cause == "assertion" else "error"
    return NotPassing(
        _file(result.id), result.error, result.missing, "skipped" if result.outcome == "skipped" else kind
    )


def _file(id: str) -> str:
    return id.partition("::")[0]


async def check(session: CodeSession, report: SuiteReport, brought: Collection[str]) -> None:
    """Stop before the first call when the tests of the base commit cannot judge anything."""
    if not report.results and not report.unreadable:
        raise UserError(
            "the repository has no test that runs",
            do="Add a first test and commit it, or set tests.allow_none: true in config.yaml.",
        )
    found = faults(report, brought)
    if not found:
        return
    (error, often), *_ = Counter(fault.error for fault in found).most_common(1)
    missing = next((fault.missing for fault in found if fault.error == error and fault.missing), "")
    path = await _ignored(session, missing)
    cause, do = explained(error, missing, path, otherwise=SKIPPED if found[0].kind == "skipped" else OTHERWISE)
    raise UserError(
        f"the tests of the base commit say nothing: {told(report, found)}, {times(often)}: "
        f"{error[:300] or 'none is told'}. {cause}",
        do=f"{do} To work without them, set tests.allow_none: true.",
        details=tuple(f"{fault.path}: {fault.error}" for fault in found[:5]),
    )


def told(report: SuiteReport, found: Sequence[NotPassing]) -> str:
    """How the suite stands, and what is told of it next."""
    if found[0].kind == "skipped":
        return ("the only test is skipped" if len(found) == 1 else f"all {len(found)} tests are skipped") + REASON
    outcomes = Counter(result.outcome for result in report.results.values())
    if passed := outcomes["passed"]:
        return f"{passed} tests pass and {len(found)} tests or test files do not{ERROR}"
    skipped = f", and {outcomes['skipped']} are skipped" if outcomes["skipped"] else ""
    return f"no test passes{skipped}{ERROR}"


REASON, ERROR = "; the commonest reason", "; the commonest error"


def times(often: int) -> str:
    """How often something was seen."""
    return "once" if often == 1 else f"{often} times"


OTHERWISE, SKIPPED = "otherwise", "skipped"
"""What is told when no cause fits: of tests that fail, and of tests that are left out."""


def explained(error: str, missing: str, path: str, *, otherwise: str = OTHERWISE) -> tuple[str, str]:
    """The likely cause of an error and what to do."""
    data = yaml.safe_load(CAUSES_FILE.read_text(encoding="utf-8"))
    fits = [one for one in data["causes"] if re.search(one["when"], error, re.IGNORECASE)]
    fits = [one for one in fits if path or "{path}" not in one["cause"]]
    chosen = (fits or [data[otherwise]])[0]
    known = {"error": error, "missing": missing or "What it names", "path": path}
    return chosen["cause"].format(**known), chosen["do"].format(**known)


async def _ignored(session: CodeSession, missing: str) -> str:
    """A file of this name that git would ignore; empty when there is none."""
    workspace = session.workspace
    for place in _places(session, missing) if missing else ():
        for folder in PurePosixPath(place).parents:
            rules = await workspace.git.blob(workspace.base, str(folder / ".gitignore"))
            inside = str(PurePosixPath(place).relative_to(folder))
            if rules is not None and parse_ignore(rules.decode("utf-8", "replace")).reason(inside):
                return place
    return ""


def _places(session: CodeSession, missing: str) -> Sequence[str]:
    """Where a file with this name would be."""
    language = languages().get(session.runner.LANGUAGE)
    inner = missing.replace(".", "/") if "/" not in missing else missing.lstrip("./")
    return [f"{root}{inner}{ending}" for root in ROOTS for ending in (language.endings if language else ())]
