"""A schema in short."""

from thoughtforge.agent.prompt import outline


def test_a_schema_becomes_one_line_per_field() -> None:
    schema = {
        "type": "object",
        "required": ["title", "items", "where"],
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 100, "description": "What it is called."},
            "kind": {"enum": ["a", "b"]},
            "items": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["id"],
                    "properties": {"id": {"type": "string", "pattern": "^X$"}, "note": {"type": ["string", "null"]}},
                },
            },
            "names": {"type": "array", "items": {"type": "string"}},
            "where": {"type": "object", "properties": {"file": {"type": "string"}}},
            "sure": {"const": True},
        },
    }
    assert outline(schema) == "\n".join(
        [
            "title: string of at most 100 characters — What it is called.",
            "kind?: a | b",
            "items: list, at least 1, each:",
            "  id: string like ^X$",
            "  note?: string or null",
            "names?: list of string",
            "where:",
            "  file?: string",
            "sure?: true",
        ]
    )
