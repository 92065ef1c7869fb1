"""Totals in tables: added up where the figures can be read, reported where they cannot, never guessed."""

from decimal import Decimal
from typing import NamedTuple

import pytest

from thoughtforge.deliverables.plan.figures import amount, unchecked, wrong_sums
from thoughtforge.deliverables.plan.markdown import outline


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("EUR 1,200", "1200"), ("1.200 €", "1200"), ("£15k", "15000"), ("1 234,50", "1234.50"), ("-5", "-5"),
        ("US$ 1,000.50", "1000.50"), ("EUR -3", "-3"), ("**8,705**", "8705"), ("95 a month", "95"), ("~300", "300"),
        ("€5m", "5000000"), ("900 (estimate: a shop)", "900"), ("12 %", "12"), ("0.125", "0.125"), 
        ("1'000 CHF", "1000"), ("1.234.567", "1234567"),
    ],
)  # fmt: skip
def test_a_plain_amount(text: str, value: str) -> None:
    found = amount(text)
    assert found is not None
    assert found.readings[0] == Decimal(value)


@pytest.mark.parametrize("text", ["", "free", "2 x 45", "100–200", "5 m", "about right", "week 3 of 8", "3/4"])
def test_what_is_no_plain_amount(text: str) -> None:
    assert amount(text) is None


class Told(NamedTuple):
    """What is said of a table."""

    wrong: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


def told(*rows: str, header: str = "| Item | EUR |") -> Told:
    """What is wrong and what was not checked in a table."""
    rule = "|---" * (header.count("|") - 1) + "|"
    tables = outline("\n".join(["## Money", header, rule, *rows])).tables
    return Told(tuple(one.told() for one in wrong_sums(tables)), unchecked(tables))


@pytest.mark.parametrize(
    "rows",
    [
        ("| Pots | 20 |", "| Soil | 12.50 |", "| **Total** | **32.50** |"),
        ("| Pots | EUR 1,200 |", "| Soil | 950 |", "| Total | EUR 2,150 |"),
        ("| Pots | 1.200 € |", "| Soil | 950 € |", "| Summe | 2.150 € |"),
        ("| A | 1.125 |", "| B | 2.5 |", "| Total | 3.625 |"),
        ("| A | 7,400 |", "| B | 7,450 |", "| Total | 15k |"),
        ("| A | 12.40 |", "| B | 12.40 |", "| Total | 25 |"),
        ("| A | 1 |", "| Subtotal | 1 |", "| B | 2 |", "| Subtotal | 2 |", "| Total | 3 |"),
        ("| A | 1 |", "| Total without | 1 |", "| Option | 2 |", "| Total with | 3 |"),
        ("| A | 1 |", "| B | included |", "| C | – |", "| D | |", "| Total | 1 |"),
        ("| A | -1 |", "| B | 3 |", "| Total | 2 |"),
        ("| Total | 3 |",),
        ("| Summer camp | 3 |", "| Winter | 9 |"),
        ("| A | 3 |", "| Total | see above |"),
    ],
)
def test_a_total_that_is_right_or_that_there_is_none(rows: tuple[str, ...]) -> None:
    assert told(*rows) == Told()


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            ("| Pots | 20 |", "| Soil | 12.50 |", "| Total | 40 |"),
            "the row 'Total' says 40 under 'EUR', the rows above add up to 32.50 (20 + 12.50)",
        ),
        (
            ("| Pots | EUR 1,200 |", "| Soil | 950 |", "| **Total** | **EUR 2,250** |"),
            "the row 'Total' says EUR 2,250 under 'EUR', the rows above add up to 2,150 (EUR 1,200 + 950)",
        ),
        (
            ("| A | 1 |", "| Total | 1 |", "| B | 2 |", "| Grand total | 4 |"),
            "the row 'Grand total' says 4 under 'EUR', the rows above add up to 3 (1 + 2)",
        ),
        (
            ("| A | 7,400 |", "| B | 8,450 |", "| Total | 15k |"),
            "the row 'Total' says 15k under 'EUR', the rows above add up to 15,850 (7,400 + 8,450)",
        ),
    ],
)
def test_a_total_that_is_wrong_is_told_with_its_figures(rows: tuple[str, ...], expected: str) -> None:
    assert told(*rows) == Told(wrong=(expected,))


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (("| A | 100–200 |", "| Total | 500 |"), "'100–200' is no plain amount"),
        (("| A | 2 x 45 |", "| Total | 500 |"), "'2 x 45' is no plain amount"),
        (("| A | 20 € |", "| B | 30 $ |", "| Total | 500 |"), "its figures are in $, €"),
    ],
)
def test_what_cannot_be_added_up_is_said_and_not_judged(rows: tuple[str, ...], why: str) -> None:
    assert told(*rows) == Told(unchecked=(f"Money: the column 'EUR' was not added up: {why}",))


def test_every_column_with_a_total_is_added_up_by_itself() -> None:
    rows = ("| Pots | 2 | 10 | 20 |", "| Soil | 1 | 5 | 5 |", "| Total | | | 26 |")
    found = told(*rows, header="| Item | Number | Each | EUR |")
    assert found == Told(wrong=("the row 'Total' says 26 under 'EUR', the rows above add up to 25 (20 + 5)",))
