"""A note cut into pieces: nothing in the middle of a word, an abbreviation or a code block."""

import pytest

from thoughtforge.providers.builtin.sentences import Piece, pieces, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. two! Three? four", ["One.", "two!", "Three?", "four"]),
        ("See https://a.b/c?d=1.2. Then go.", ["See https://a.b/c?d=1.2.", "Then go."]),
        ("Ask Dr. Weiss e.g. on 3. Mai about z.B. tea.", ["Ask Dr. Weiss e.g. on 3. Mai about z.B. tea."]),
        ("“Really?” he said.", ["“Really?”", "he said."]),
        ("hmm... maybe", ["hmm...", "maybe"]),
        ("雨です。中止！", ["雨です。", "中止！"]),
        ("¿Quién? ¡Hay que ir!", ["¿Quién?", "¡Hay que ir!"]),
        ("3.50 per head", ["3.50 per head"]),
        ("open from 10 p.m. to 4 a.m. Then we close.", ["open from 10 p.m. to 4 a.m.", "Then we close."]),
        ("Come before 8. Our goal is 9.", ["Come before 8.", "Our goal is 9."]),
        ("Am 3. Mai um 8. Dann nicht.", ["Am 3. Mai um 8.", "Dann nicht."]),
        ("1. Buy soil", ["1. Buy soil"]),
        ("  ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_headings_bullets_labels_and_code_are_pieces_of_their_own() -> None:
    text = "# Garden #\nfirst line\n- a bullet that\n  goes on\n* [x] done. Really\n1. numbered\n"
    text += "Open:\n```py\nx = 1.  \n```\n---\nend"
    assert pieces(text) == [
        Piece("Garden", "heading", "Garden"),
        Piece("first line", "sentence", "Garden"),
        Piece("a bullet that goes on", "sentence", "Garden"),
        Piece("[x] done.", "sentence", "Garden"),
        Piece("Really", "sentence", "Garden"),
        Piece("1. numbered", "sentence", "Garden"),
        Piece("Open:", "heading", "Open"),
        Piece("```py\nx = 1.  \n```", "code", "Open"),
        Piece("end", "sentence", "Open"),
    ]


def test_a_line_that_is_full_goes_on_in_the_next_and_a_short_one_does_not() -> None:
    full = "this line is long enough that it was surely wrapped by an"
    assert [piece.text for piece in pieces(f"{full}\neditor\nshort\nnext")] == [f"{full} editor", "short", "next"]


def test_a_fence_that_is_never_closed_takes_the_rest() -> None:
    assert pieces("a\n~~~\nb. c\n# d") == [Piece("a", "sentence", ""), Piece("~~~\nb. c\n# d", "code", "")]


def test_a_table_is_one_piece() -> None:
    found = pieces(
        "Quotes:\n| who | price |\n|---|---|\n| Bo | 4 € |\nWe take Bo. The list!!! by 1 October. It is 3.-7. August."
    )
    assert [(piece.kind, piece.text) for piece in found] == [
        ("heading", "Quotes:"),
        ("table", "| who | price |\n|---|---|\n| Bo | 4 € |"),
        ("sentence", "We take Bo."),
        ("sentence", "The list!!! by 1 October."),
        ("sentence", "It is 3.-7. August."),
    ]
