"""What the runners of JavaScript and TypeScript have in common: which files are tests, why one failed, what ran."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from pathlib import Path, PurePosixPath
from typing import Any

from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import Cause, SuiteReport, SuiteRun, TestResult, UnreadableFile
from thoughtforge.testing.run import report_of

INSIDE = Path(__file__).parent / "inside"
FOLDERS = {"__tests__", "__mocks__", "__snapshots__", "__fixtures__", "tests", "test", "testdata"}
TEST = re.compile(r".+[.-](?:test|spec)\.[cm]?[jt]sx?|.+\.snap")
NOTHING = "a^"
"""A pattern no test's name fits: all are found, none is run."""
MISSING = (
    re.compile(r"ReferenceError: (?P<name>[\w$]+) is not defined"),
    re.compile(r"TypeError: (?:\(0 ?, ?)?(?P<name>[\w$.]+)\)? is not a (?:function|constructor)"),
    re.compile(r"does not provide an export named '(?P<name>[^']+)'"),
)
MODULE = re.compile(
    r"Cannot find (?:module|package) '(?P<name>[^']+)'|Failed to (?:resolve import|load url) \"?(?P<url>[^\s\"]+)"
)
ASSERTION = re.compile(
    r"^AssertionError|^(?:Error: |JestAssertionError: )?expect\(|^Error: Snapshot|^AssertionError \["
)
LONGEST = 400


def is_javascript_test(path: str) -> bool:
    """Tests by name, snapshots, and everything in a folder of tests."""
    at = PurePosixPath(path)
    return bool(FOLDERS & set(at.parts[:-1])) or bool(TEST.fullmatch(at.name))


def package(paths: Collection[str], read: Callable[[str], str]) -> dict[str, Any]:
    """The repository's package.json; empty when it has none that can be read."""
    try:
        data = json.loads(read("package.json")) if "package.json" in paths else {}
    except json.JSONDecodeError:
        return {}
    return data if isinstance(data, dict) else {}


def uses(data: dict[str, Any], name: str) -> bool:
    """Whether a package is among the declared ones or is named by the test script."""
    kinds = (data.get(kind) for kind in ("dependencies", "devDependencies"))
    script = data.get("scripts", {}).get("test", "") if isinstance(data.get("scripts"), dict) else ""
    return any(isinstance(kind, dict) and name in kind for kind in kinds) or bool(re.search(rf"\b{name}\b", script))


def files_of(job: SuiteRun) -> list[str]:
    """The test files a job is about; all when empty."""
    return list(dict.fromkeys([*job.files, *(id.partition("::")[0] for id in job.ids)]))


def inside(name: str) -> dict[str, str]:
    """A reporter that runs inside the box, and what it needs."""
    return {file: (INSIDE / file).read_text(encoding="utf-8") for file in (name, "telling.cjs")}


def telling(job: SuiteRun) -> dict[str, str]:
    """What a reporter is told by its environment."""
    return {"THOUGHTFORGE_ROOT": str(job.root), "CI": "true", "NODE_ENV": "test"}


def javascript_report(job: SuiteRun, ended: SandboxResult) -> SuiteReport:
    """What a reporter told, with the causes that its messages say, and only the tests that were asked for."""
    report = report_of(ended, collect_only=job.collect_only)
    wanted = frozenset(job.ids)
    inside = f"{job.root}/"
    results = {
        id: _named(result, inside)
        for id, result in report.results.items()
        if not job.collect_only and (not wanted or id in wanted)
    }
    collected = tuple(id for id in report.collected if not wanted or id in wanted)
    return report._replace(
        results=results, collected=collected, unreadable=tuple(_explained(file, inside) for file in report.unreadable)
    )


def cause_of(error: str) -> tuple[Cause, str]:
    """Why a test failed, and what is missing, from the text of its error; a module as a dotted name."""
    if module := MODULE.search(error):
        return "missing", _dotted(module["name"] or module["url"])
    for pattern in MISSING:
        if found := pattern.search(error):
            return "missing", _short(found["name"])
    return ("assertion", "") if ASSERTION.search(error) else ("other", "")


def _named(result: TestResult, inside: str) -> TestResult:
    if result.outcome != "failed":
        return result
    error = result.error.replace(inside, "")
    cause, missing = cause_of(error)
    return result._replace(cause=cause, missing=missing, error=error.partition("\n")[0][:LONGEST])


def _explained(file: UnreadableFile, inside: str) -> UnreadableFile:
    error = file.error.replace(inside, "")
    cause, missing = cause_of(error)
    return file._replace(cause=cause, missing=missing, error=error.partition("\n")[0][:LONGEST])


def _short(name: str) -> str:
    """`_calc.sub` and `__vi_import_0__.sub` are how compilers write `sub`."""
    return re.sub(r"^(?:_+vi_\w+__|_\w+)\.", "", name)


def _dotted(module: str) -> str:
    """`../src/deep/shelf.js` is the module `deep.shelf`."""
    parts = [part for part in PurePosixPath(module).parts if part not in ("..", ".", "/")]
    parts = parts[1:] if len(parts) > 1 and parts[0] in ("src", "lib") else parts
    return re.sub(r"\.[cm]?[jt]sx?$", "", ".".join(parts))
