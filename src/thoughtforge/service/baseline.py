"""A base commit whose tests say nothing: why, as far as the errors tell, and what a person can do before any call."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import yaml

from thoughtforge.catalog import LIBRARY
from thoughtforge.code.session import CodeSession
from thoughtforge.kernel.errors import UserError
from thoughtforge.testing.language import languages
from thoughtforge.testing.report import SuiteReport
from thoughtforge.workspaces.patterns import parse_ignore

CAUSES_FILE = LIBRARY / "baseline.yaml"
NEARLY_ALL = 0.9
"""The share of test files in error above which the suite says nothing."""
ROOTS = ("", "src/", "lib/")


class NotPassing(NamedTuple):
    """One test or test file that does not pass."""

    path: str
    error: str
    missing: str
    in_error: bool
    """It could not do its work; a wrong result is none."""


def faults(report: SuiteReport, brought: Collection[str] = ()) -> tuple[NotPassing, ...]:
    """Why the suite says nothing about the code; empty when it does. Tests brought along for the task do not count."""
    found = [NotPassing(item.path, item.error, item.missing, in_error=True) for item in report.unreadable]
    found += [
        NotPassing(_file(r.id), r.error, r.missing, in_error=r.cause != "assertion")
        for r in report.results.values()
        if r.outcome == "failed"
    ]
    found = [fault for fault in found if fault.path not in brought]
    passing = {_file(r.id) for r in report.results.values() if r.outcome == "passed"}
    errors = {fault.path for fault in found if fault.in_error} - passing
    files = passing | {fault.path for fault in found}
    silent = not passing or len(errors) >= NEARLY_ALL * len(files)
    return tuple(found) if files and silent else ()


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
    cause, do = explained(error, missing, path)
    passed = sum(r.outcome == "passed" for r in report.results.values())
    told = f"{passed} tests pass and {len(found)} tests or test files do not" if passed else "no test passes"
    raise UserError(
        f"the tests of the base commit say nothing: {told}; the commonest error, {often} times: {error[:300]}. {cause}",
        do=f"{do} To work without them, set tests.allow_none: true.",
        details=tuple(f"{fault.path}: {fault.error}" for fault in found[:5]),
    )


def explained(error: str, missing: str, path: str) -> tuple[str, str]:
    """The likely cause of an error and what to do."""
    data = yaml.safe_load(CAUSES_FILE.read_text(encoding="utf-8"))
    fits = [one for one in data["causes"] if re.search(one["when"], error, re.IGNORECASE)]
    fits = [one for one in fits if path or "{path}" not in one["cause"]]
    chosen = (fits or [data["otherwise"]])[0]
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
