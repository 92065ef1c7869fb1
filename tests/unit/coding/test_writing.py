"""An edit is on record before it is made, made whole, and judged at once."""

from __future__ import annotations

import hashlib

import pytest

from sessions import SHELF
from thoughtforge.agent.memory import PENDING
from thoughtforge.code.tool_context import Edit
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import Measured
from thoughtforge.workspaces.events import EditPlanned
from unit.agent.at_work import GREEN, RED, Place, at_work

BOOKS = str(SHELF["shelf/books.py"]).encode()
FINE = BOOKS + b'\n\ndef none(books: list[str]) -> bool:\n    """Whether there is none."""\n    return not books\n'
ILL_TYPED = BOOKS.replace(b"return len(books)", b'return "many"')


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_an_edit_is_recorded_made_judged_and_kept_as_a_patch() -> None:
    async def act(place: Place) -> None:
        told = await place.context.write([Edit("shelf/books.py", FINE)])
        assert told == "gate: 0 new findings, 0 of 2 affected tests fail"
        planned, measured = [r.event for r in place.run.record.journal.log.read(after=2)]
        assert planned == EditPlanned(
            stage="green", step=0, path="shelf/books.py", before=digest(BOOKS), after=digest(FINE), mode="100644"
        )
        assert isinstance(measured, Measured)
        assert (measured.what, measured.outcome, measured.facts["affected_tests"]) == ("edit", "pass", 2)
        assert measured.tree == await place.session.workspace.tree()
        assert (place.files / "shelf/books.py").read_bytes() == FINE
        assert (await place.context.tree.read("shelf/books.py")).text.encode() == FINE
        patch = (place.session.scratch.parent / "snapshots" / "step_0000.patch").read_text()
        assert "+def none(books: list[str]) -> bool:" in patch

    at_work(act, GREEN)


def test_what_is_wrong_with_an_edit_comes_back_as_the_answer_with_what_to_do_next() -> None:
    async def act(place: Place) -> None:
        told = (await place.context.write([Edit("shelf/books.py", ILL_TYPED)])).splitlines()
        assert told[0] == "gate: 1 new findings, 2 of 2 affected tests fail"
        assert told[1].startswith("- V-")
        assert " shelf/books.py:6 types/types: " in told[1]
        assert "- test tests/test_books.py::test_count tests/test_books.py:5 AssertionError" in "\n".join(told)
        measured = place.run.record.stage("green").measured["edit"]
        assert (measured.outcome, measured.facts["findings"], measured.facts["affected_failing"]) == ("fail", 1, 2)
        assert "shelf/books.py" in str(measured.facts["next_action"])

    at_work(act, GREEN)


def test_tests_that_cannot_be_read_any_more_are_told_as_what_comes_next() -> None:
    async def act(place: Place) -> list[str]:
        found = []
        for text in (BOOKS.replace(b"len(books)", b"1 + len(books)"), BOOKS + b'\n\nraise RuntimeError("gone")\n'):
            await place.context.write([Edit("shelf/books.py", text)])
            found.append(str(place.run.record.stage("green").measured["edit"].facts["next_action"]))
        return found

    failing, unreadable = at_work(act, GREEN)
    assert failing == "Make tests/test_books.py::test_count pass."
    assert unreadable.startswith("Let the tests run again: tests/test_books.py:")


UNSORTED = b"    import os\n    from shelf.report import told\n    import ast\n"


def test_imports_an_edit_adds_are_put_in_order_within_the_same_edit() -> None:
    added = BOOKS + b'\n\ndef more() -> None:\n    """More."""\n' + UNSORTED + b"    print(os, told, ast)\n"
    wanted = added.replace(UNSORTED, b"    import ast\n    import os\n\n    from shelf.report import told\n")

    async def act(place: Place) -> tuple[str, bytes, list[str | None]]:
        told = await place.context.write([Edit("shelf/books.py", added)])
        planned = [r.event for r in place.run.record.journal.log.read(after=2) if isinstance(r.event, EditPlanned)]
        return told, (place.files / "shelf/books.py").read_bytes(), [one.after for one in planned]

    told, written, recorded = at_work(act, GREEN)
    assert told.splitlines()[0] == "imports were put in order"
    assert "import-order" not in told
    assert written == wanted
    assert recorded == [digest(wanted)]


def test_imports_that_were_out_of_order_before_stay_and_do_not_count() -> None:
    before = b"import sys\nimport os\n\nNAME = (sys, os)\n"

    async def act(place: Place) -> tuple[str, bytes]:
        told = await place.context.write([Edit("shelf/untidy.py", before.replace(b"import os", b"import os, ast"))])
        return told, (place.files / "shelf/untidy.py").read_bytes()

    told, written = at_work(act, GREEN, files={**SHELF, "shelf/untidy.py": before})
    assert written == before.replace(b"import os", b"import os, ast")
    assert "put in order" not in told


def test_a_file_that_does_not_parse_is_told_before_any_test_is_run() -> None:
    async def act(place: Place) -> tuple[str, object]:
        told = await place.context.write([Edit("shelf/books.py", b"def count(:\n")])
        return told.splitlines()[0], place.run.record.stage("green").measured["edit"].facts["affected_tests"]

    assert at_work(act, GREEN) == ("gate: 1 new findings", 0)


def test_tests_may_use_what_does_not_exist_yet_but_not_be_broken() -> None:
    async def act(place: Place) -> list[str]:
        waiting = b"from shelf.export import as_json\n\n\ndef test_it():\n    assert as_json([]) == '[]'\n"
        first = await place.context.write([Edit("tests/test_export.py", waiting)])
        second = await place.context.write([Edit("tests/test_export.py", b"def test_it(:\n")])
        return [first.splitlines()[0], second.splitlines()[0]]

    assert at_work(act, RED) == ["gate: 0 new findings", "gate: 1 new findings"]


def test_a_file_above_the_limit_is_refused_and_nothing_is_written_or_planned() -> None:
    async def act(place: Place) -> None:
        with pytest.raises(UserError, match="big.py would have 600,000 bytes, the limit is 524,288"):
            await place.context.write([Edit("big.py", b"#" * 600_000)])
        assert not (place.files / "big.py").exists()
        assert place.run.record.journal.of(PENDING) == ()

    at_work(act, GREEN)


def test_a_file_that_is_moved_stays_executable_and_the_record_says_so() -> None:
    async def act(place: Place) -> None:
        await place.context.write([Edit("run.sh", b"#!/bin/sh\n", executable=True)])
        await place.context.write([Edit("run.sh", b"#!/bin/sh\ntrue\n")])
        await place.context.write([Edit("run.sh", None), Edit("go.sh", b"#!/bin/sh\ntrue\n", executable=True)])
        planned = [r.event for r in place.run.record.journal.log.read() if isinstance(r.event, EditPlanned)]
        assert [edit.mode for edit in planned] == ["100755", "100755", "", "100755"]
        entries = {
            e.path: e.mode for e in await place.session.workspace.git.entries(await place.session.workspace.tree())
        }
        assert (entries["go.sh"], await place.session.workspace.matches()) == ("100755", ())

    at_work(act, GREEN)


ALIKE = """import pytest
from shelf import books


@pytest.mark.parametrize("given", ["one, two", "a b", "c d", "e"])
def test_given(given):
    assert books.count([given]) == 1
"""


def test_failures_that_are_alike_are_one_line_and_a_test_is_named_in_full() -> None:
    async def act(place: Place) -> tuple[str, str]:
        wrong = BOOKS.replace(b"return len(books)", b"return len(books) + 1")
        told = await place.context.write([Edit("shelf/books.py", wrong)])
        return told, str(place.run.record.stage("green").measured["edit"].facts["next_action"])

    told, following = at_work(act, GREEN, {**SHELF, "tests/test_given.py": ALIKE, "tests/test_books.py": ""})
    assert told.count("assert 2 == 1") == 1
    assert "test_given[a b] tests/test_given.py:7, " in told
    assert "test_given[c d] tests/test_given.py:7 and 1 more) AssertionError:" in told
    assert following == "Make tests/test_given.py::test_given[one, two] pass."
