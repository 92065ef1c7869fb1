"""Proofs on tests: they fail with changed expectations, and on files that cannot be used.

A test that still holds did not depend on what the code does: the run was forged. How an expected value is changed is a
capability of the language; a file of a language without it is left out.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path

from thoughtforge.sandbox.sandbox import Sandbox
from thoughtforge.testing.language import ChangedTests, Runner, language_of, languages
from thoughtforge.testing.report import SuiteReport, SuiteRun
from thoughtforge.testing.run import run


def change_all(files: Mapping[str, str]) -> dict[str, ChangedTests]:
    """Test files with their expected values changed; a function of one may assert for the tests of another."""
    made: dict[str, ChangedTests] = {}
    for language in languages().values():
        if language.proofs.change_expectations is not None:
            mine = {path: text for path, text in files.items() if path.endswith(language.endings)}
            made |= language.proofs.change_expectations(mine)
    return made


def knows_assertions(paths: Iterable[str]) -> bool:
    """Whether the engine can change the expected values of at least one of these files."""
    known = (language_of(path) for path in paths)
    return any(each is not None and each.proofs.change_expectations is not None for each in known)


def judge(report: SuiteReport, ids: Iterable[str]) -> tuple[str, ...]:
    """The tests that did not fail although they had to: forged. A broken report judges nothing; look at that first."""
    return tuple(each for each in ids if each not in report.results or report.results[each].outcome != "failed")


MARK = "thoughtforge made this module unusable"
SPOILED = f"}}}}{MARK}{{{{\n"
"""Compiles in no language."""
UNSEEN = "tests do not see the workspace"


async def sees_tree(
    job: SuiteRun,
    adapter: Runner,
    *,
    changed: Sequence[str],
    sandbox: Sandbox,
    scratch: Path,
    make_copy: Callable[[Path, Path], Awaitable[None]] | None = None,
    before: SuiteReport | None = None,
    writable: bool = False,
) -> str:
    """Why a run of this job proves nothing about the tree; empty when its tests do depend on the changed files.

    `changed` are product files, all of them before any work; `before` is what the same job came to on the tree itself.
    """
    code = [path for path in changed if spoilable(path, adapter) and (job.root / path).is_file()]
    if not code:
        return f"{UNSEEN}: the change has no code to disable"
    scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="spoiled-", dir=scratch)).resolve()
    try:
        copy = folder / "tree"
        await (make_copy or _copy)(job.root, copy)
        await asyncio.to_thread(spoil, copy, code)
        after = await run(job._replace(root=copy), adapter, sandbox=sandbox, scratch=folder, writable=writable)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    if before is not None:
        after = after._replace(results={id: one for id, one in after.results.items() if id in before.results})
    return _judged(after, before, code)


def spoilable(path: str, adapter: Runner) -> bool:
    """Whether a file is code of the product, and so one whose loss must show."""
    return language_of(path) is not None and not adapter.is_test(path)


def spoil(root: Path, paths: Sequence[str]) -> None:
    """Make files impossible to import, compile or run."""
    _put(root, {path: _spoiled(path) for path in paths})


def stub(root: Path, paths: Sequence[str]) -> None:
    """Make every function of these files fail when it is called; where a language has no such proof, spoil them."""
    _put(root, {path: _stubbed(root, path) for path in paths})


def idle(root: Path, paths: Sequence[str], *, kind: int) -> bool:
    """Let every function of these files do nothing and return a value of that kind; whether any language can."""
    texts = {path: made[kind] for path in paths if len(made := _idle(root, path)) > kind}
    _put(root, texts)
    return bool(texts)


def _idle(root: Path, path: str) -> Sequence[str]:
    language = language_of(path)
    if language is None or language.proofs.idle is None or not _own(root, path):
        return ()
    return language.proofs.idle((root / path).read_text(encoding="utf-8", errors="replace"))


def _put(root: Path, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        place = root / path
        if not _own(root, path):
            continue  # what it leads to is not in this copy
        place.unlink()  # a copy may share its files with the tree it was made from
        place.write_text(text, encoding="utf-8")


def _own(root: Path, path: str) -> bool:
    place = root / path
    return place.is_file() and not place.is_symlink() and place.resolve().is_relative_to(root.resolve())


def _spoiled(path: str) -> str:
    language = language_of(path)
    return language.proofs.spoiled(MARK) if language and language.proofs.spoiled else SPOILED


def _stubbed(root: Path, path: str) -> str:
    language = language_of(path)
    if language is None or language.proofs.stubbed is None or not _own(root, path):
        return _spoiled(path)
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    return language.proofs.stubbed(text, MARK) or _spoiled(path)


def _judged(after: SuiteReport, before: SuiteReport | None, code: Sequence[str]) -> str:
    if marked(after):
        return ""
    if after.broken:
        return f"{UNSEEN}: {after.broken}" if UNSEEN not in after.broken else after.broken
    passed = [each.id for each in (before or after).results.values() if each.outcome == "passed"]
    now = {each.id for each in after.results.values() if each.outcome == "passed"}
    if set(passed) - now or (before is None and (after.unreadable or len(now) < len(after.results))):
        return ""
    named = ", ".join(code[:3]) + (f" and {len(code) - 3} more" if len(code) > 3 else "")
    return f"{UNSEEN}: all {len(now)} still pass when {named} is disabled"


def marked(report: SuiteReport) -> bool:
    """Whether our own error came through: the surest sign that the tree was used."""
    texts = [
        report.broken,
        *(each.error for each in report.unreadable),
        *(each.error for each in report.results.values()),
    ]
    return any(MARK in text for text in texts)


async def _copy(source: Path, target: Path) -> None:
    await asyncio.to_thread(shutil.copytree, source, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
