"""Whether a new test waits for behaviour that is missing, or is broken and would wait for ever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thoughtforge.code.criteria import PARAMETER, will_exist
from thoughtforge.code.session import CodeSession
from thoughtforge.kernel.model import JsonObject
from thoughtforge.testing.report import TestResult, UnreadableFile

UNNAMED = "; a new parameter is accepted where a requirement or your interface names it together with its function"


def unreadable_files(items: Iterable[UnreadableFile], specification: JsonObject, handed: JsonObject) -> list[str]:
    """The files that cannot be read for another reason than the missing behaviour."""
    return [
        f"{item.path}:{item.line}: {item.error}"
        for item in items
        if not (item.cause == "missing" and will_exist(item.missing, specification, handed))
    ]


def broken_tests(
    session: CodeSession, results: Iterable[TestResult], specification: JsonObject, handed: JsonObject | None = None
) -> Iterator[str]:
    """The tests that fail for another reason than the missing behaviour."""
    for result in results:
        if result.outcome == "failed" and not _waits(session, result, specification, handed or {}):
            more = UNNAMED if PARAMETER.fullmatch(result.missing) else ""
            yield f"{result.id} is broken, not waiting for the behaviour: {result.error}{more}"


def _waits(session: CodeSession, result: TestResult, specification: JsonObject, handed: JsonObject) -> bool:
    """An assertion, a name that will exist, or an error that comes out of the product where the test wants none of it.

    A test that raises by itself, in its own lines or in a file of the tests, never gets to the product.
    """
    if result.cause == "assertion":
        return True
    if result.cause == "missing" and will_exist(result.missing, specification, handed):
        return True
    return bool(result.raised_in) and not session.is_test(result.raised_in)
