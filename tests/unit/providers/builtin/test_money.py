"""What a sentence costs or brings in, read off the words people really use, and a table whose figures add up."""

from __future__ import annotations

import pytest

from thoughtforge.providers.builtin.distil import distil
from thoughtforge.providers.builtin.money import cost, cost_table


@pytest.mark.parametrize(
    ("text", "label", "value", "comes_in"),
    [
        ("new tables: 2 x 690 €", "new tables (2 x 690 €)", 1380, False),
        ("coach Li: 2 evenings x 40 weeks x 35 €", "coach Li (2 evenings x 40 weeks x 35 €)", 2800, False),
        ("soil: 4.5 m³ @ 38 €/m³", "soil (4.5 m³ @ 38 €)", 171, False),
        ("Income: membership 142 x 60 € = 8,520 €", "membership 142 x 60 €", 8520, True),
        ("Costs: insurance 610", "insurance", 610, False),
        ("water tank 130,-", "water tank", 130, False),
        ("floor: 14 m² at 45 €/m²", "floor (14 m² at 45 €)", 630, False),
        ("electrician (Mr. Baum) 1.150 €", "electrician (Mr. Baum)", 1150, False),
        ("Bus there and back 1.480€.", "Bus there and back", 1480, False),
        ("El ayuntamiento pone 1.500 euros.", "El ayuntamiento pone", 1500, True),
        ("Band costs 1,200.", "Band", 1200, False),
        ("Correction: hall rent goes up to 5,200 €", "hall rent", 5200, False),
        ("We need a toilet trailer, 380 euros, or a hut.", "a toilet trailer", 380, False),
        ("We only need to rent speakers for 150 euros.", "rent speakers", 150, False),
    ],
)
def test_a_cost(text: str, label: str, value: float, comes_in: bool) -> None:
    found = cost(text)
    assert found is not None
    assert (found.label, found.amount.value, found.comes_in) == (label, value, comes_in)


@pytest.mark.parametrize(
    "text",
    [
        "Posts 3 x 20 € = 70 €",
        "Total 3,000 €",
        "The room is 25 quid per afternoon.",
        "Bring 30 chairs.",
        "Costs 2027",
        "Room 3 at 40 € or so if free",
        "Las camisetas cuestan 6 euros cada una.",
    ],
)
def test_no_cost(text: str) -> None:
    assert cost(text) is None


def test_a_sentence_that_says_more_than_its_cost_stays() -> None:
    found = cost("The marquee is 1,900 euros incl. setup.")
    assert found is not None
    assert not found.whole


def test_amounts_without_a_currency_count_in_the_one_that_is_named() -> None:
    costs = [one for text in ("Costs: balls 40 €", "Costs: insurance 610") if (one := cost(text))]
    assert cost_table(costs).splitlines()[-1] == "| **Total** | **€650** |"


def test_a_heading_says_whether_its_lines_cost_or_bring_in() -> None:
    intent = distil(["We want a budget.\n\nIncome\nmembers 3 x 60 €\nbakery 20 €\n\nCosts\nballs 90 €\nrent 30"], [])
    assert intent["constraints"][:4] == [
        "Income: members 3 x 60 €",
        "Income: bakery 20 €",
        "Costs: balls 90 €",
        "Costs: rent 30",
    ]
    assert "Headings: “Income” / “Costs”" in intent["context"]


def test_no_balance_where_a_price_for_each_is_left_out() -> None:
    costs = [one for text in ("Bus 900 €", "The town gives 500 €") if (one := cost(text))]
    assert "Balance" in cost_table(costs)
    assert "Balance" not in cost_table(costs, balanced=False)
