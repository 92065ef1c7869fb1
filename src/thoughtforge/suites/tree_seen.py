"""Proof that a suite tests this tree: with the tree's modules made unusable, its tests must not go on passing."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from thoughtforge.sandbox.boxes import Sandbox
from thoughtforge.suites.language import language_of
from thoughtforge.suites.result import Job, Report
from thoughtforge.suites.run import run
from thoughtforge.suites.runner import Runner

MARK = "thoughtforge made this module unusable"
SPOILED = f"}}}}{MARK}{{{{\n"
"""Compiles in no language."""
UNSEEN = "tests do not see the workspace"


async def sees_tree(
    job: Job,
    adapter: Runner,
    *,
    changed: Sequence[str],
    sandbox: Sandbox,
    scratch: Path,
    make_copy: Callable[[Path, Path], Awaitable[None]] | None = None,
    before: Report | None = None,
    writable: bool = False,
) -> str:
    """Why a run of this job proves nothing about the tree; empty when its tests do depend on the changed files.

    `changed` are product files, all of them before any work; `before` is what the same job came to on the tree itself.
    """
    code = [path for path in changed if spoilable(path, adapter) and (job.root / path).is_file()]
    if not code:
        return f"{UNSEEN}: there is no code to make unusable"
    scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="spoiled-", dir=scratch)).resolve()
    try:
        copy = folder / "tree"
        await (make_copy or _copy)(job.root, copy)
        await asyncio.to_thread(spoil, copy, code)
        after = await run(job._replace(root=copy), adapter, sandbox=sandbox, scratch=folder, writable=writable)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return _judged(after, before, code)


def spoilable(path: str, adapter: Runner) -> bool:
    """Whether a file is code of the product, and so one whose loss must show."""
    return language_of(path) is not None and not adapter.is_test(path)


def spoil(root: Path, paths: Sequence[str]) -> None:
    """Make files unusable for whoever imports, compiles or runs them."""
    for path in paths:
        place = root / path
        if place.is_symlink() or not place.resolve().is_relative_to(root.resolve()):
            continue  # what it leads to is not in this copy
        place.unlink()  # a copy may share its files with the tree it was made from
        place.write_text(_spoiled(path), encoding="utf-8")


def _spoiled(path: str) -> str:
    language = language_of(path)
    return language.proofs.spoiled(MARK) if language and language.proofs.spoiled else SPOILED


def _judged(after: Report, before: Report | None, code: Sequence[str]) -> str:
    if _marked(after):
        return ""
    if after.broken:
        return f"{UNSEEN}: {after.broken}" if UNSEEN not in after.broken else after.broken
    passed = [each.id for each in (before or after).results.values() if each.outcome == "passed"]
    now = {each.id for each in after.results.values() if each.outcome == "passed"}
    if set(passed) - now or (before is None and (after.unreadable or len(now) < len(after.results))):
        return ""
    named = ", ".join(code[:3]) + (f" and {len(code) - 3} more" if len(code) > 3 else "")
    return f"{UNSEEN}: all {len(now)} still pass when {named} cannot be used"


def _marked(report: Report) -> bool:
    """Whether our own error came through: the surest sign that the tree was used."""
    texts = [
        report.broken,
        *(each.error for each in report.unreadable),
        *(each.error for each in report.results.values()),
    ]
    return any(MARK in text for text in texts)


async def _copy(source: Path, target: Path) -> None:
    await asyncio.to_thread(shutil.copytree, source, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
