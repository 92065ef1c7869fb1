"""Published schemas describe their fields by the text below each, wherever a class has it from."""

from __future__ import annotations

from pydantic import Field, create_model

from thoughtforge.contracts.published import field_texts, schema_of
from thoughtforge.kernel.model import Value


class Shelf(Value):
    """A shelf."""

    boards: int = 3
    """How many boards it has."""
    width: float
    """How wide it is,
    in metres."""
    paint: str = Field(default="", description="Its colour.")
    kind: str = Field(default="", alias="type")
    """What it is for."""
    plain: str = ""


class Rack(Shelf):
    """A shelf for bottles."""

    width: float = 2.0
    """The width of one bottle."""


def test_the_text_below_a_field_is_its_description() -> None:
    assert field_texts(Shelf) == {
        "boards": "How many boards it has.",
        "width": "How wide it is,\nin metres.",
        "paint": "Its colour.",
        "kind": "What it is for.",
    }


def test_what_a_class_says_itself_comes_before_what_it_inherits() -> None:
    assert field_texts(Rack) == {**field_texts(Shelf), "width": "The width of one bottle."}


def test_a_schema_has_the_descriptions_under_the_names_people_write() -> None:
    described = {name: field.get("description") for name, field in schema_of(Shelf)["properties"].items()}
    assert described == {
        "boards": "How many boards it has.",
        "width": "How wide it is,\nin metres.",
        "paint": "Its colour.",
        "type": "What it is for.",
        "plain": None,
    }


def test_a_class_inside_a_list_is_described_too() -> None:
    class Room(Value):
        """A room.

        One line of its text begins at the margin.
        """

        shelves: tuple[Shelf, ...] = ()
        """What stands in it."""

    schema = schema_of(Room)
    assert schema["properties"]["shelves"]["description"] == "What stands in it."
    assert schema["$defs"]["Shelf"]["properties"]["boards"]["description"] == "How many boards it has."


def test_a_class_made_while_the_program_runs_describes_itself() -> None:
    made = create_model("Made", __base__=Value, size=(int, Field(default=1, description="Its size.")))
    assert field_texts(made) == {"size": "Its size."}
