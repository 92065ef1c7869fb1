"""The person's material: whole when it fits, else the passages that matter, with their lines and what was left out."""

from __future__ import annotations

from thoughtforge.agent.context import lay_out
from thoughtforge.agent.tokens import estimate
from thoughtforge.think.material import Source, resource_blocks, split, terms

PRICES = "item,price\nclay pot,4.20\nsoil,7.00\n"
LETTER = "Dear all,\n\nthe balcony faces north.\nIt gets two hours of sun.\n\nBest wishes\n"
NOISE = "\n\n".join(f"The neighbour {word} sings about nothing at all for a long while." for word in "abcdefghijklmnop")


def source(name: str, text: str) -> Source:
    return Source(name, text, split(text))


def test_files_that_fit_are_shown_whole_under_their_path() -> None:
    blocks = resource_blocks([source("prices.csv", PRICES), source("sub/letter.txt", LETTER)], about="pots", budget=900)
    assert [(block.title, block.text, block.untrusted, block.whole) for block in blocks] == [
        ("resources/prices.csv", PRICES, True, 0),
        ("resources/sub/letter.txt", LETTER, True, 0),
    ]
    shown = lay_out(blocks, budget=900).text
    assert "clay pot,4.20" in shown
    assert "two hours of sun" in shown


def test_a_folder_without_files_has_no_block() -> None:
    assert resource_blocks([], about="pots", budget=900) == []


def test_of_a_file_too_long_the_passages_about_the_work_are_shown_with_their_lines() -> None:
    long = f"{NOISE}\n\nA clay pot costs 4.20 euros.\n\n{NOISE}"
    (excerpts, left_out) = resource_blocks([source("notes.md", long)], about="pots of clay", budget=300)
    assert (excerpts.title, excerpts.whole) == ("resources/notes.md (excerpts)", estimate(long))
    assert "[line 33]\nA clay pot costs 4.20 euros." in excerpts.text
    assert left_out.title == "left out for lack of room"
    assert left_out.text == "- resources/notes.md: lines 15–31, lines 35–65"
    assert estimate(lay_out([excerpts, left_out], budget=300).text) <= 300


def test_every_file_has_its_best_passage_before_one_file_has_all() -> None:
    about = "The pots, the soil and the sun"
    many = [source("a.md", f"{NOISE}\n\npots and soil\n\nsoil and sun"), source("b.md", f"{NOISE}\n\nsun on tuesday")]
    texts = {block.title: block.text for block in resource_blocks(many, about=about, budget=420)}
    assert "pots and soil" in texts["resources/a.md (excerpts)"]
    assert "sun on tuesday" in texts["resources/b.md (excerpts)"]


def test_the_budget_is_kept_and_a_file_without_room_is_named() -> None:
    many = [source(f"{number}.md", NOISE) for number in range(9)]
    blocks = resource_blocks(many, about="singing", budget=700)
    assert sum(block.cap for block in blocks) <= 700
    assert "resources/8.md: all of it" in blocks[-1].text


def test_passages_are_paragraphs_and_long_ones_come_in_pieces() -> None:
    rows = "\n".join(f"row {number}" for number in range(1, 31))
    assert [(one.first, one.last) for one in split(f"title\n\n{rows}\n\n\nend")] == [
        (1, 1),
        (3, 14),
        (15, 26),
        (27, 32),
        (35, 35),
    ]
    assert [(one.first, one.last, len(one.text)) for one in split("x" * 3000)] == [
        (1, 1, 1200),
        (1, 1, 1200),
        (1, 1, 600),
    ]
    assert split(" \n\n") == ()


def test_words_are_the_same_by_their_beginning_and_figures_only_whole() -> None:
    assert terms("Catering, the caterer: 12.50 or 1250 €") == {"cater", "the", "12", "50", "1250"}
