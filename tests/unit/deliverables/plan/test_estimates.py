"""Figures nobody gave: found, unless the material has them, a mark covers them or they are calculated."""

import pytest

from thoughtforge.deliverables.plan.estimates import unmarked

MATERIAL = "At most 5 days at 850 EUR. The share has 1.9 TB. 40 people. 15k is the ceiling.\n"
MATERIAL += "item,number,price\npot,3,19.40\nsoil,7.60"


@pytest.mark.parametrize(
    "text",
    [
        "We pay 850 EUR a day and stay below 15,000 EUR.",
        "5 days at 850 EUR are 4,250 EUR.",
        "A box for 412 EUR (estimate: price of a shop).",
        "A box for 412 EUR. (estimate: price of a shop. Two were asked.)",
        "| Box (estimate: shop) | 412 |",
        "| Total | 999 |",
        "On 23 October 2026, at 17:30, and by 2026-11-27.",
        "1. Do 3 things in week 12.",
        "A pot is 19.40 EUR, soil 7.60.",
        "See AC-14 and D-27 and `win2012`.",
        "```\nport 8080\n```",
    ],
)
def test_what_is_given_marked_calculated_or_no_figure(text: str) -> None:
    assert unmarked(f"## Costs\n\n{text}\n", MATERIAL) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A box for 412 EUR.", ("Costs: 412",)),
        ("It costs $7 and 13 % more, 7k in all.", ("Costs: $7", "Costs: 13 %", "Costs: 7k")),
        ("A box for 412 EUR (estimate: a shop). A cable for 30 EUR.", ("Costs: 30",)),
        ("A box for 412 EUR (estimate).", ("Costs: 412",)),
        ("| Box | 412 |\n| Cable (estimate: shop) | 30 |", ("Costs: 412",)),
        ("412 EUR here and 412 EUR there.", ("Costs: 412",)),
    ],
)
def test_what_is_listed(text: str, expected: tuple[str, ...]) -> None:
    assert unmarked(f"## Costs\n\n{text}\n", MATERIAL) == expected
