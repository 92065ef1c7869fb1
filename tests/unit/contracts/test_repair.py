"""What costs nothing to repair is repaired, and nothing else is touched."""

from __future__ import annotations

from typing import Any

import pytest

from thoughtforge.contracts.validate import completed, repaired

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["title", "rows"],
    "properties": {
        "title": {"type": "string"},
        "size": {"type": ["integer", "null"]},
        "share": {"type": "number"},
        "done": {"type": "boolean"},
        "kind": {"type": "string", "enum": ["added", "fixed"]},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"line": {"type": "integer"}}}},
    },
}


@pytest.mark.parametrize(
    ("given", "becomes"),
    [
        ({"size": "12"}, {"size": 12}),
        ({"size": None}, {"size": None}),
        ({"size": "1.5"}, {"size": "1.5"}),
        ({"size": "true"}, {"size": "true"}),
        ({"share": "0.9"}, {"share": 0.9}),
        ({"done": "True"}, {"done": True}),
        ({"title": "12"}, {"title": "12"}),
        ({"rows": '[{"line": "3"}]'}, {"rows": [{"line": 3}]}),
        ({"rows": [{"line": "7"}, {"line": "x"}]}, {"rows": [{"line": 7}, {"line": "x"}]}),
        ({"other": "12"}, {"other": "12"}),
        ({"kind": "Added"}, {"kind": "added"}),
        ({"kind": " FIXED"}, {"kind": "fixed"}),
        ({"kind": "new"}, {"kind": "new"}),
    ],
)
def test_values_written_as_text_get_their_own_type(given: dict[str, Any], becomes: dict[str, Any]) -> None:
    assert repaired(SCHEMA, given) == becomes


def test_what_a_hand_in_leaves_out_is_kept_from_the_one_that_was_refused() -> None:
    last = {"title": "old", "rows": [], "size": 3}
    assert completed(SCHEMA, {"rows": [1]}, last) == {"title": "old", "rows": [1], "size": 3}
    assert completed(SCHEMA, {"title": "new", "rows": []}, last) == {"title": "new", "rows": [], "size": 3}
    assert completed(SCHEMA, {"title": "new", "rows": [], "size": None}, last)["size"] is None
    assert completed(SCHEMA, {"rows": [1]}, None) == {"rows": [1]}
    assert completed(SCHEMA, {}, last) == {}


def test_a_field_of_no_form_does_not_come_back() -> None:
    last = {"title": "old", "rows": [], "colour": "red"}
    assert completed(SCHEMA, {"rows": [1]}, last) == {"title": "old", "rows": [1]}
    assert completed(SCHEMA, {"colour": "blue"}, last) == {"title": "old", "rows": [], "colour": "blue"}


def test_an_object_with_named_fields_keeps_those_that_were_left_out() -> None:
    notes = {"type": "object", "properties": {"summary": {"type": "string"}, "docs": {"type": "array"}}}
    schema = {"type": "object", "properties": {"notes": notes, "free": {"type": "object"}}}
    last = {"notes": {"summary": "old", "docs": ["a", "b"], "strange": 1}, "free": {"a": 1}}
    part = {"notes": {"docs": ["a"]}, "free": {"b": 2}}
    assert completed(schema, part, last) == {"notes": {"summary": "old", "docs": ["a"]}, "free": {"b": 2}}
