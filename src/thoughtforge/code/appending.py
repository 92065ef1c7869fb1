"""Tests that are added to an existing test file: only at its end, and without reaching the tests above."""

from __future__ import annotations

from thoughtforge.code.session import CodeSession
from thoughtforge.testing.language import language_of

ALONE = "Add functions and imports with new names only, or create a test file of your own."
"""What to do when an addition is refused."""


async def addition_problems(session: CodeSession, path: str, before: str, after: str) -> list[str]:
    """Why `after` is no file with tests added to `before`; empty when it is."""
    language = language_of(path)
    if not after.startswith(before):
        return [f"{path}: what stands in the file must stay as it is; tests are added at its end"]
    if language is None or language.wrong_addition is None:
        return [f"{path}: the engine cannot judge additions in this language; create a test file"]
    if not session.runner.names(path, before):
        return [f"{path} has no tests; only a file with tests is added to"]
    wrong = language.wrong_addition(before, after[len(before) :], await _test_modules(session))
    return [f"{path}: {one}" for one in wrong]


async def _test_modules(session: CodeSession) -> frozenset[str]:
    """The names by which test files can be imported."""
    paths = await session.workspace.paths(await session.workspace.tree())
    found: set[str] = set()
    for path in filter(session.is_test, paths):
        language = language_of(path)
        if language is not None and language.module_names is not None:
            found.update(language.module_names(paths)(path))
    return frozenset(found)
