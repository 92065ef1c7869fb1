"""Where a sentence belongs, in three languages; anything else is context."""

import pytest

from thoughtforge.providers.builtin.clauses import parted
from thoughtforge.providers.builtin.sentences import Piece
from thoughtforge.providers.builtin.sorting import belongs, is_filler


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We want a quiet garden.", "objective"),
        ("The idea is a shop on wheels.", "objective"),
        ("Wir möchten eine Schaukel.", "objective"),
        ("Queremos una terraza.", "objective"),
        ("We want at most 80 guests.", "objective"),
        ("We want it, but it must be cheap.", "constraints"),
        ("It must not leak.", "constraints"),
        ("Es darf nicht tropfen.", "constraints"),
        ("No puede durar más de una hora.", "constraints"),
        ("I think it must be wood.", "constraints"),
        ("Only wood.", "constraints"),
        ("About 300 € a month", "constraints"),
        ("I guess the roof is fine.", "assumptions"),
        ("Ich glaube, das Dach ist dicht.", "assumptions"),
        ("Creo que el techo aguanta.", "assumptions"),
        ("Not sure about the roof.", "unknowns"),
        ("Vielleicht ein Baum.", "unknowns"),
        ("Quizás un árbol.", "unknowns"),
        ("Maybe it must be red.", "unknowns"),
        ("Is it red?", "open_questions"),
        ("who brings the cake", "open_questions"),
        ("How it began is a long story.", "context"),
        ("Constraints: wood and stone", "constraints"),
        ("Ziel: ein ruhiger Ort", "objective"),
        ("The cat sleeps.", "context"),
        ("https://example.org/we-want/must-not?maybe=1", "context"),
        ("Ο γάτος κοιμάται.", "context"),
    ],
)
def test_a_sentence_belongs(text: str, expected: str) -> None:
    assert belongs(Piece(text, "sentence", "")) == expected


def test_a_heading_says_what_stands_below_it_when_the_sentence_does_not() -> None:
    assert belongs(Piece("Wood and stone", "sentence", "Assumptions")) == "assumptions"
    assert belongs(Piece("It must be wood", "sentence", "Assumptions")) == "constraints"
    assert belongs(Piece("Wood and stone", "sentence", "What we said about limits last year")) == "context"


def test_code_and_headings_stay_as_they_are() -> None:
    assert belongs(Piece("```\nmust = 1\n```", "code", "")) == "context"
    assert belongs(Piece("We want", "heading", "We want")) == "context"


@pytest.mark.parametrize("text", ["ok so the wedding.", "nobody knows", "the toilets.", "Hm, right.", "not sure yet"])
def test_a_sentence_that_only_clears_the_throat_says_nothing(text: str) -> None:
    assert is_filler(text)


@pytest.mark.parametrize(
    "text",
    [
        "So the hall has no heating.",
        "Well, Ann books the hall.",
        "Ok, 40 chairs.",
        "Right, who pays?",
        "the band",
        "Not sure whether it pays.",
    ],
)
def test_a_sentence_that_says_something_after_clearing_the_throat_is_kept(text: str) -> None:
    assert not is_filler(text)


def test_no_clause_is_cut_out_of_a_bracket() -> None:
    text = "We want a trip for 26 kids (me, Mr. Okafor, and one parent we still have to find)."
    found = parted(text)
    assert found is None or all(part.text.count("(") == part.text.count(")") for part in found.parts)
