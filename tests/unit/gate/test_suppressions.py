"""A suppression counts when the base commit has it; later ones are made deaf without moving a column."""

import pytest

from thoughtforge.gate.mirror import without_new


@pytest.mark.parametrize(
    ("line", "deaf"),
    [
        ("x = 1  # noqa", "x = 1  # xoqa"),
        ("x = 1  #NOQA:E501", "x = 1  #xOQA:E501"),
        ("x = 1  # type: ignore[arg-type]", "x = 1  # xype: ignore[arg-type]"),
        ("x = 1  # ty: ignore", "x = 1  # xy: ignore"),
        ("# ruff: noqa", "# xuff: xoqa"),
        ("# flake8: noqa", "# xlake8: xoqa"),
        ("# isort: skip_file", "# xsort: skip_file"),
        ("# a reason first  # noqa: T201", "# a reason first  # xoqa: T201"),
        ("x = '#'  # noqa", "x = '#'  # xoqa"),
    ],
)
def test_every_kind_of_new_suppression_is_made_deaf_and_keeps_its_length(line: str, deaf: str) -> None:
    assert without_new(f"a = 2\n{line}\n", "a = 2\n") == f"a = 2\n{deaf}\n"
    assert len(line) == len(deaf)


def test_what_the_base_has_counts_wherever_it_moved() -> None:
    base = "x = 1  # noqa\n"
    assert without_new("y = 2\nif y:\n    x = 1  # noqa\n", base) == "y = 2\nif y:\n    x = 1  # noqa\n"


def test_a_copied_suppression_counts_only_as_often_as_the_base_has_it() -> None:
    assert without_new("x = 1  # noqa\nx = 1  # noqa\n", "x = 1  # noqa\n") == "x = 1  # noqa\nx = 1  # xoqa\n"


def test_a_suppression_on_a_line_that_changed_is_a_new_one() -> None:
    assert without_new("x = 2  # noqa\n", "x = 1  # noqa\n") == "x = 2  # xoqa\n"


def test_a_line_break_only_unicode_knows_does_not_end_the_comment() -> None:
    assert without_new("x = 1  # a\u2028noqa\n", None) == "x = 1  # a\u2028xoqa\n"


def test_a_text_without_suppressions_is_the_very_same() -> None:
    text = "x = 1  # a comment\r\n\x0cy = 'type: ignore'\r\n"
    assert without_new(text, None) is text
