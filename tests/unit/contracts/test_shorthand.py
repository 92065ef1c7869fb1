"""The short way to write a schema."""

from copy import deepcopy

from thoughtforge.contracts.shorthand import DRAFT, normalise


def test_property_names_at_the_top_become_a_closed_object() -> None:
    short = {
        "title": {"type": "string", "required": True, "min_length": 1, "max_length": 100},
        "tags": {"type": "array", "required": False, "min_items": 1, "max_items": 3, "items": {"type": "string"}},
        "made": {"type": "string", "format": "datetime"},
    }
    assert normalise(short) == {
        "$schema": DRAFT,
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 100},
            "tags": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string"}},
            "made": {"type": "string", "format": "date-time"},
        },
        "required": ["title"],
        "additionalProperties": False,
    }


def test_properties_may_be_named_like_keywords() -> None:
    short = {
        "required": {"type": "boolean", "required": True},
        "type": {"type": "string"},
        "properties": {"type": "object", "required": True, "properties": {"required": {"type": "boolean"}}},
        "min_items": {"type": "integer"},
        "enum": {"type": "array", "items": {"type": "string"}},
    }
    assert normalise(short) == {
        "$schema": DRAFT,
        "type": "object",
        "properties": {
            "required": {"type": "boolean"},
            "type": {"type": "string"},
            "properties": {
                "type": "object",
                "properties": {"required": {"type": "boolean"}},
                "additionalProperties": False,
            },
            "min_items": {"type": "integer"},
            "enum": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["required", "properties"],
        "additionalProperties": False,
    }


def test_a_plain_schema_stays_what_it_is() -> None:
    plain = {
        "$schema": DRAFT,
        "type": "object",
        "properties": {"type": {"type": "string"}, "kind": {"enum": ["datetime", "min_items"]}},
        "required": ["type"],
        "additionalProperties": {"type": "integer"},
    }
    before = deepcopy(plain)
    assert normalise(plain) == before
    assert plain == before


def test_a_schema_without_a_type_is_recognised_by_its_properties() -> None:
    assert normalise({"properties": {"a": {"type": "string", "required": True}}}) == {
        "$schema": DRAFT,
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }


def test_required_properties_join_the_list_that_is_there() -> None:
    schema = {
        "type": "object",
        "required": ["b"],
        "properties": {"a": {"type": "string", "required": True}, "b": {"type": "string", "required": True}},
    }
    assert normalise(schema)["required"] == ["b", "a"]


def test_objects_are_closed_in_lists_maps_and_alternatives() -> None:
    inner = {"type": "object", "properties": {"n": {"type": "integer", "required": True}}}
    closed = {**inner, "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
    schema = normalise(
        {
            "list": {"type": "array", "items": inner},
            "map": {"type": "object", "additionalProperties": inner},
            "either": {"anyOf": [inner, {"type": "string"}]},
            "open": {**inner, "additionalProperties": True},
        }
    )
    assert schema["properties"] == {
        "list": {"type": "array", "items": closed},
        "map": {"type": "object", "additionalProperties": closed},
        "either": {"anyOf": [closed, {"type": "string"}]},
        "open": {**closed, "additionalProperties": True},
    }


def test_a_second_look_at_the_same_object_does_not_close_it() -> None:
    look = {"properties": {"b": {"const": 1}}}
    schema = normalise({"type": "object", "properties": {"a": {}}, "allOf": [look], "if": look, "anyOf": [look]})
    assert (schema["allOf"], schema["if"], schema["anyOf"]) == ([look], look, [look])
    assert schema["additionalProperties"] is False


def test_null_without_quotes_is_the_type_null() -> None:
    schema = normalise({"a": {"type": ["string", None]}, "b": {"type": None}, "c": {"enum": [None]}})
    assert schema["properties"] == {"a": {"type": ["string", "null"]}, "b": {"type": "null"}, "c": {"enum": [None]}}


def test_values_are_never_taken_for_schemas() -> None:
    held = {"default": {"min_items": 1, "required": True}, "const": {"properties": {"a": 1}}}
    assert normalise({"a": held})["properties"]["a"] == held
