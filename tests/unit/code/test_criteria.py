"""Criteria have ids, listed tests stand for collected ones, and only what is promised may be missing."""

from typing import Any

import pytest

from thoughtforge.code.criteria import Listed, ids_of, listed, plain, resolve, will_exist
from thoughtforge.contracts.rules_files import criteria


def requirement(id: str, *texts: str, **more: Any) -> dict[str, Any]:
    fields = {"description": "d", "priority": "must", "verification_method": "test"}
    return {"id": id, "acceptance_criteria": list(texts), **fields, **more}


SPECIFICATION = {
    "description": "The report can be read by scripts through `as_json`.",
    "requirements": [
        requirement("REQ-001", "It is JSON", "It ends with a line break"),
        requirement("REQ-002", "Rows keep their order", description="Rows come as dicts from to_rows."),
        requirement("REQ-003", "The manual says so", verification_method="inspection"),
        requirement("REQ-004", "It is in colour", priority="wont"),
    ],
    "interfaces": [{"name": "JsonReport", "type": "api"}],
    "files_to_create": ["src/shelf/export/json.py", "shelf/plugins/__init__.py"],
    "files_to_modify": ["shelf/report.py"],
}
KNOWN = {
    "REQ-001.1": "It is JSON",
    "REQ-001.2": "It ends with a line break",
    "REQ-002.1": "Rows keep their order",
}


def test_every_criterion_a_test_must_prove_has_an_id_and_no_other() -> None:
    assert criteria(SPECIFICATION) == KNOWN
    assert criteria({}) == {}


@pytest.mark.parametrize(
    ("requirement_ref", "named", "found"),
    [
        ("REQ-001", "REQ-001.2", "REQ-001.2"),
        ("REQ-001", "2", "REQ-001.2"),
        ("REQ-001", " It  is JSON ", "REQ-001.1"),
        ("REQ-002", "It is JSON", None),
        ("REQ-002", "REQ-001.1", None),
        ("REQ-001", "3", None),
        ("REQ-003", "REQ-003.1", None),
    ],
)
def test_a_criterion_is_named_by_id_number_or_words_of_its_own_requirement(
    requirement_ref: str, named: str, found: str | None
) -> None:
    assert resolve(Listed("tests/test_a.py", "test_a", requirement_ref, named), KNOWN) == found


COLLECTED = frozenset(
    {
        "tests/test_a.py::test_one",
        "tests/test_a.py::test_two[1-x]",
        "tests/test_a.py::test_two[2-y]",
        "tests/test_a.py::TestShelf::test_three",
        "tests/test_b.py::test_one",
        "shelf > report > reads",
    }
)


@pytest.mark.parametrize(
    ("path", "name", "ids"),
    [
        ("tests/test_a.py", "test_one", ["tests/test_a.py::test_one"]),
        ("tests/test_a.py", "tests/test_a.py::test_one", ["tests/test_a.py::test_one"]),
        ("tests/test_a.py", "test_two", ["tests/test_a.py::test_two[1-x]", "tests/test_a.py::test_two[2-y]"]),
        ("tests/test_a.py", "test_two[2-y]", ["tests/test_a.py::test_two[2-y]"]),
        ("tests/test_a.py", "test_three", ["tests/test_a.py::TestShelf::test_three"]),
        ("tests/test_a.py", "TestShelf::test_three", ["tests/test_a.py::TestShelf::test_three"]),
        ("tests/report.test.js", "reads", ["shelf > report > reads"]),
        ("tests/test_a.py", "one", []),
        ("tests/test_a.py", "test_tw", []),
        ("tests/test_c.py", "test_one", []),
    ],
)
def test_a_listed_test_stands_for_the_collected_ids_that_are_really_it(path: str, name: str, ids: list[str]) -> None:
    assert list(ids_of(Listed(path, name, "REQ-001", "1"), COLLECTED)) == ids


def test_tests_are_read_as_they_were_handed_in() -> None:
    row = {"name": "test_a", "requirement_ref": "REQ-001", "acceptance_criterion": "1"}
    handed = {"test_files": [{"path": "tests/test_a.py", "tests": [row]}, {"path": "tests/empty.py"}]}
    assert listed(handed) == [Listed("tests/test_a.py", "test_a", "REQ-001", "1")]
    assert plain("tests/test_a.py::test_two[1-x]") == "tests/test_a.py::test_two"


@pytest.mark.parametrize(
    ("missing", "promised"),
    [
        ("shelf.export.json", True),
        ("shelf.export.json.dumps_all", True),
        ("shelf.report.anything", True),
        ("shelf.plugins", True),
        ("as_json", True),
        ("other.as_json", True),
        ("JsonReport", True),
        ("to_rows", True),
        ("shelf.stock", False),
        ("numpy", False),
        ("fixture_nobody_wrote", False),
        ("", False),
    ],
)
def test_only_what_the_specification_says_will_be_made_may_be_missing(missing: str, promised: bool) -> None:
    assert will_exist(missing, SPECIFICATION) is promised


PARAMETERS = {
    "description": "Reports may be short.",
    "requirements": [
        requirement("REQ-001", "as_text(rows, limit=2) has two rows"),
        requirement("REQ-002", "The other one takes `colour`", description="Reports are in colour."),
    ],
    "interfaces": [{"name": "shelf.report:Shelf(rows, depth)", "type": "api"}],
}
INTERFACE = {"interface": [{"name": "shelf:as_rows", "signature": "as_rows(start: int = 0)", "purpose": "width"}]}


@pytest.mark.parametrize(
    ("missing", "promised"),
    [
        ("as_text(limit)", True),
        ("Report.as_text(limit)", True),
        ("Shelf(depth)", True),
        ("as_rows(start)", True),
        ("as_rows(width)", False),
        ("as_text(colour)", False),
        ("as_text(start)", False),
        ("other(limit)", False),
        ("limit()", False),
    ],
)
def test_a_parameter_may_be_missing_where_it_is_named_together_with_its_function(missing: str, promised: bool) -> None:
    assert will_exist(missing, PARAMETERS, INTERFACE) is promised
    assert will_exist("as_rows(start)", PARAMETERS) is False


THOUGHT = {
    "requirements": [
        {"id": "AC-1", "description": "d", "priority": "must", "acceptance_criteria": ["It greets."],
         "verification_method": "test"},
    ],
    "interfaces": [{"name": "greeter.words:greet"}, {"name": "src/shelf.js:count"}],
}  # fmt: skip


def test_a_criterion_of_a_thought_stands_for_itself() -> None:
    known = criteria(THOUGHT)
    assert known == {"AC-1": "It greets."}
    named = [Listed("t.py", "test_a", "AC-1", word) for word in ("AC-1", "It  greets.", "AC-2")]
    assert [resolve(one, known) for one in named] == ["AC-1", "AC-1", None]


@pytest.mark.parametrize(
    ("missing", "promised"), [("greeter.words", True), ("greet", True), ("other", False), ("src.shelf", True)]
)
def test_what_an_interface_promises_will_exist(missing: str, promised: bool) -> None:
    assert will_exist(missing, THOUGHT) is promised
