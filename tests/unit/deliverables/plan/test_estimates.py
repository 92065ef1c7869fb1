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


LEDGER = """| Item | EUR |
|---|---|
| 3 pots of 19.40 | 58.20 |
| Soil | 7.60 |
| Day of work | 850.00 |
| Total | 915.80 |

| Date | What | EUR | Left |
|---|---|---|---|
| now | | | 15,000.00 |
| May | Pots and soil | -65.80 | 14,934.20 |
| June | Work | -850.00 | 14,084.20 |

All in all 915.80 EUR are spent, 857.60 of it without pots."""


def test_sums_products_and_balances_of_given_figures_are_no_inventions() -> None:
    assert unmarked(f"## Costs\n\n{LEDGER}\n\n## Time\n\nIt takes 915.80 EUR.\n", MATERIAL) == ()


@pytest.mark.parametrize("figure", ["87.30", "12.00", "412", "250 EUR"])
def test_a_figure_that_is_really_new_is_listed_among_calculated_ones(figure: str) -> None:
    added = LEDGER.replace("All in all", f"A gas bottle is {figure}. All in all")
    assert unmarked(f"## Costs\n\n{added}\n", MATERIAL) == (f"Costs: {figure.removesuffix(' EUR')}",)


def test_a_new_amount_is_not_explained_by_the_total_it_is_part_of() -> None:
    added = LEDGER.replace("| Total | 915.80 |", "| Gas | 77.00 |\n| Total | 992.80 |").replace(
        "All in all 915.80", "So"
    )
    assert "Costs: 77.00" in unmarked(f"## Costs\n\n{added}\n", MATERIAL)


PRICES = "Hall 240.50 and kitchen 119.50 a day, 15% for cleaning. Flyers 140 each week. Deposit 5.00. Keys 1."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| Hall | 240.50 |\n| Kitchen | 119.50 |\n| Cleaning, 15% of 360.00 | 54.00 |", ()),
        ("The flyers of two weeks are 280.", ()),
        ("The flyers of two weeks are 290.", ("Costs: 290",)),
        (
            "| Part | EUR |\n|---|---|\n| Hall | 240.50 |\n| Kitchen | 119.50 |\n\nA day: 361.00 - 1.00 = 360.00 EUR.",
            ("Costs: 361.00",),
        ),
        ("With the deposit it is 245.50, so 245.50 - 5.00 = 240.50.", ()),
        ("The rent of 612.40 less 200.15 is 412.25.", ("Costs: 612.40", "Costs: 200.15", "Costs: 412.25")),
    ],
)
def test_what_follows_from_given_figures_is_not_listed_and_no_difference_proves_its_own_parts(
    text: str, expected: tuple[str, ...]
) -> None:
    assert unmarked(f"## Costs\n\n{text}\n", PRICES) == expected
