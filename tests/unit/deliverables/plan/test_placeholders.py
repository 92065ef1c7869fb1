"""What holds the place of content and what is content: by the word and where it stands."""

import time

import pytest

from thoughtforge.deliverables.plan.slots import placeholder

PLACEHOLDERS = {
    "a whole line": [
        "TBD", "tbd.", "TODO", "- TODO", "todo", "to do", "placeholder", "Placeholder text", "[placeholder]", "xxx",
        "to be determined", "Still to be decided", "not said yet", "zu bestimmen", "por definir", '"TBD"', "`TODO`",
        "a line\nTBA", "a<br>TBC",
    ],
    "the last part of a line": [
        "Venue: to be decided", "Decide the venue (TODO)", "Decide the venue (todo)", "Decide the venue [tbd]",
        "We decide - TODO", "We decide – todo", "The venue is open. TODO", "Who? TODO", "Budget: placeholder",
    ],
    "TBD anywhere": ["Date: TBD", "Who: tbd, when: May", "Date TBD (Ann)", "tbd/tba"],
    "a note to oneself": [
        "TODO: fill", "todo: later", "TODO fill this in", "FIXME: x", "FIXME later", "TODO(ann) write",
        "Pots - TODO ask Ann", "The venue (TODO ask Ann) is large.",
    ],
    "a sentence about itself": [
        "This is a placeholder for the budget", "this is just a placeholder.", "It is only a placeholder, really",
        "placeholder until the budget is known", "Placeholder for the budget", "For now just a placeholder",
    ],
    "a form to fill in": ["[insert date]", "[Your name]", "<insert name here>", "{{ aim_plan }}", "lorem ipsum dolor"],
    "marks alone": ["...", "…", "???", "-", "--", "–", "*", "n\n".replace("n", "-"), "<>"],
}  # fmt: skip
CONTENT = {
    "the name of a thing": [
        "todo list app", "A todo list for guests", "A TODO list app", "TODO list app for teams", "TODO-list app",
        "Build a TODO app in React", "TODO items are kept", "Search for TODO comments", "The TBD column is removed",
        "A todo: list of chores",
    ],
    "a column of a board": ["TODO, DOING, DONE", "Columns: TODO / DOING / DONE", "TODO - In progress - Done"],
    "an item of a list": ["Screens: calendar, notes, todo", "Todo, calendar and notes are screens"],
    "part of a word": ["the todos of the day", "stbd", "Mastodon", "XXL shirts"],
    "a word that is spoken of": [
        "The placeholder text of the input field is grey", "The form has a placeholder text in the field",
        "Use placeholder images.", 'The word "TBD" is refused', "The parser finds `TODO` and `FIXME`",
        "“TODO” is a word", "Placeholder for the search field: Find a pot",
    ],
    "a link": ["[the form](https://example.org)", "[Insert coin](https://example.org)", "[TODO](https://example.org)"],
    "a sentence": [
        "The date is to be decided by May.", "To be determined by Ann", "nothing was said yet", "To be free",
        "(add salt)", "What is there to do in town?", "A template holds {{ name }} here.", "a < b > c", "n/a",
        "5", "✔", "水",
    ],
}  # fmt: skip


def rows(table: dict[str, list[str]]) -> list[object]:
    """One case for each text, named by its rule."""
    return [pytest.param(text, id=f"{rule}-{text}") for rule, texts in table.items() for text in texts]


@pytest.mark.parametrize("text", rows(PLACEHOLDERS))
def test_a_placeholder(text: str) -> None:
    assert placeholder(text) != ""


@pytest.mark.parametrize("text", rows(CONTENT))
def test_content(text: str) -> None:
    assert placeholder(text) == ""


def test_the_placeholder_itself_is_named() -> None:
    texts = ("Pots are bought.\nDecide the venue (TODO)", "This is a placeholder for the budget", " ... ")
    assert [placeholder(text) for text in texts] == ["TODO", "This is a placeholder", "..."]


@pytest.mark.parametrize("mark", ["[", "“", '"', "(", " -", "placeholder for ", "TODO"])
def test_a_page_of_marks_is_read_in_a_moment(mark: str) -> None:
    began = time.process_time()
    placeholder(f"a {mark * 20_000}")
    assert time.process_time() - began < 2.0
