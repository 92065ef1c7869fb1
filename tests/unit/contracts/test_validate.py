"""Checking an artifact: every problem, in words, in a stable order."""

from typing import Any

import pytest

from thoughtforge.contracts.contract import Contract
from thoughtforge.contracts.shorthand import normalise
from thoughtforge.contracts.validate import check, schema_problems
from thoughtforge.kernel.model import Problem


def contract(schema: dict[str, Any], *rules: str) -> Contract:
    return Contract("note", "1.0", "A note.", normalise(schema), rules, "note.yaml")


@pytest.mark.parametrize(
    ("definition", "value", "rule", "what"),
    [
        ({"type": "string"}, 3, "type", "expected text, got 3"),
        ({"type": ["integer", "null"]}, "x", "type", 'expected a whole number or null, got "x"'),
        ({"type": "integer"}, True, "type", "expected a whole number, got true"),
        ({"type": "array"}, {}, "type", "expected a list, got {}"),
        ({"enum": ["a", "b", None]}, "c", "enum", 'expected one of "a", "b", null; got "c"'),
        ({"const": True}, False, "const", "expected true, got false"),
        ({"pattern": "^Q-[0-9]{3}$"}, "Q-1", "pattern", 'expected text that matches ^Q-[0-9]{3}$, got "Q-1"'),
        ({"min_length": 1}, "", "minLength", "expected at least 1 character, got 0"),
        ({"max_length": 2}, "abc", "maxLength", "expected at most 2 characters, got 3"),
        ({"min_items": 2}, [1], "minItems", "expected at least 2 items, got 1"),
        ({"max_items": 1}, [1, 2], "maxItems", "expected at most 1 item, got 2"),
        ({"minimum": 0}, -1, "minimum", "expected at least 0, got -1"),
        ({"maximum": 1}, 1.5, "maximum", "expected at most 1, got 1.5"),
        ({"exclusiveMinimum": 0}, 0, "exclusiveMinimum", "expected more than 0, got 0"),
        ({"exclusiveMaximum": 1}, 1, "exclusiveMaximum", "expected less than 1, got 1"),
        ({"minProperties": 1}, {}, "minProperties", "expected at least 1 field, got 0"),
        ({"uniqueItems": True}, [1, 1], "uniqueItems", "expected no item twice, got [1, 1]"),
        ({"multipleOf": 2}, 3, "multipleOf", "3 is not a multiple of 2"),
        (
            {"format": "datetime"},
            "today",
            "format",
            'expected a date and time such as 2025-12-31T10:15:00Z, got "today"',
        ),
        ({"format": "date"}, "2025-02-29", "format", 'expected a date such as 2025-12-31, got "2025-02-29"'),
        ({"type": "number"}, float("nan"), "type", "expected a number, got nan"),
        ({"minimum": 0, "maximum": 1}, float("nan"), "type", "expected a number, got nan"),
        ({"enum": ["a"]}, "x" * 200, "enum", f'expected one of "a"; got "{"x" * 78}…'),
    ],
)
def test_a_problem_says_what_was_expected_and_what_was_there(
    definition: dict[str, Any], value: Any, rule: str, what: str
) -> None:
    assert check({"value": value}, contract({"value": definition})) == (Problem(where="value", what=what, rule=rule),)


def test_each_missing_and_each_strange_field_is_its_own_problem() -> None:
    note = contract({"a": {"type": "string", "required": True}, "b": {"type": "string", "required": True}})
    assert check({"c": 1, "d e": 2}, note) == (
        Problem(where="a", what="is missing", rule="required"),
        Problem(where="b", what="is missing", rule="required"),
        Problem(where="c", what="is an unknown field; the fields are a, b", rule="additionalProperties"),
        Problem(where='["d e"]', what="is an unknown field; the fields are a, b", rule="additionalProperties"),
    )


def test_places_name_lists_maps_and_odd_keys() -> None:
    number = {"type": "integer"}
    note = contract({"rows": {"type": "array", "items": {"type": "object", "additionalProperties": number}}})
    found = check({"rows": [{}, {"id": "x", "two words": "y", "REQ-001": "z"}]}, note)
    assert [problem.where for problem in found] == ["rows[1].id", 'rows[1]["two words"]', "rows[1].REQ-001"]


def test_of_several_forms_the_one_that_was_meant_is_explained() -> None:
    forms = {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "object", "properties": {"n": {}}}]}
    note = contract({"value": forms})
    assert [(p.where, p.rule) for p in check({"value": ["a", 1]}, note)] == [("value[1]", "type")]
    assert [(p.where, p.rule) for p in check({"value": {"m": 1}}, note)] == [("value.m", "additionalProperties")]
    assert check({"value": 3}, note) == (
        Problem(where="value", what="expected a list or an object, got 3", rule="anyOf"),
    )


@pytest.mark.parametrize("artifact", [None, 3, "text", ["a"]])
def test_rules_are_not_asked_about_what_is_no_object(artifact: Any) -> None:
    found = check(artifact, contract({"a": {"type": "string"}}, "criteria_given", "stage_names_unique"))
    assert [(problem.where, problem.rule) for problem in found] == [("(whole)", "type")]


def test_schema_and_rules_are_reported_together_and_only_once() -> None:
    note = contract({"requirements": {"type": "string"}}, "criteria_given", "requirement_ids_unique")
    artifact = {"requirements": [{"id": "A"}, {"id": "A", "acceptance_criteria": ["x"]}]}
    found = check(artifact, note)
    assert [(p.where, p.rule) for p in found] == [
        ("requirements", "type"),
        ("requirements[0].acceptance_criteria", "criteria_given"),
        ("requirements[1].id", "requirement_ids_unique"),
    ]
    assert check(artifact, note) == found


def test_an_artifact_nested_without_end_is_refused() -> None:
    artifact: dict[str, Any] = {}
    for _ in range(100_000):
        artifact = {"a": artifact}
    try:
        assert check(artifact, contract({"a": {"type": "string"}})) == (
            Problem(where="(whole)", what="nested deeper than 100 levels", rule="depth"),
        )
    finally:
        while artifact:  # taken apart by hand: the interpreter would recurse
            artifact = artifact["a"]


@pytest.mark.parametrize(
    ("text", "is_valid"),
    [
        ("2025-12-31T10:15:00Z", True),
        ("2024-02-29t23:59:59.123456789+02:00", True),
        ("2025-02-29T10:15:00Z", False),
        ("2025-12-31T24:15:00Z", False),
        ("2025-12-31T10:15:00", False),
        ("2025-12-31 10:15:00Z", False),
        ("2025-12-31T10:15Z", False),
        ("2025-12-31", False),
        ("2025-12-31T10:15:00Z\n", False),
        ("٢٠٢٥-12-31T10:15:00Z", False),
    ],
)
def test_a_date_time_is_really_checked(text: str, is_valid: bool) -> None:
    found = schema_problems({"at": text}, normalise({"at": {"type": "string", "format": "datetime"}}))
    assert (found == ()) is is_valid
