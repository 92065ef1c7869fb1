"""One bullet for each item, whatever the item holds."""

from thoughtforge.think.texts import NOTHING, bullets, numbered, section


def test_further_lines_stay_below_their_bullet() -> None:
    assert bullets(["one", "```\ncode\n```"]) == "- one\n- ```\n  code\n  ```"


def test_an_empty_list_says_so() -> None:
    assert (bullets([]), numbered([])) == (NOTHING, NOTHING)


def test_ids_and_headings() -> None:
    assert section("Unknowns", numbered([("U-1", "Who?")])) == "## Unknowns\n\n- **U-1** Who?\n"
