"""A section from what was said: sentences where their words belong, tables of figures, and what is open once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan import outlines
from thoughtforge.providers.builtin.distil import distil
from thoughtforge.providers.builtin.fill import fill
from thoughtforge.providers.builtin.propose import propose
from thoughtforge.providers.builtin.sentences import (
    FIRST_STEPS,
    NO_CRITERIA,
    NO_CRITERION,
    NO_OWN_CRITERION,
    OPEN_POINTS,
    SEE_BELOW,
    WHERE,
)

NOTES = sorted((Path(__file__).parents[3] / "notes").glob("*.md"))
TEMPLATES = outlines(Catalog(project={}, user=None))
PARTS = ("objective", "plan", "assessment", "body")
Section = dict[str, str]


def filled(note: str, *said: str, resources: list[dict[str, str]] | None = None) -> dict[str, Section]:
    intent = distil([note], resources or [])
    proposal = propose(intent, {}, said=said, templates=TEMPLATES, resources=resources or [])
    return {section["name"]: one(section, intent, proposal, resources or []) for section in proposal["structure"]}


def one(section: dict[str, Any], intent: Any, proposal: Any, resources: list[dict[str, str]]) -> Section:
    asked = {"heading": section["name"], "purpose": section["purpose"], "slots": [f"x_{part}" for part in PARTS]}
    content = fill(asked, intent, proposal=proposal, resources=resources)["content"]
    return {part: content[f"x_{part}"] for part in PARTS}


def test_sentences_stand_where_their_words_belong() -> None:
    note = "We want a wedding in June. At most 80 guests. The cake is vegan. Budget is 900 euros. Who plays music?"
    found = filled(note, "Q-1: all dance", "Q-2: Bo.", "Q-3: the garden", "Q-4: ask the priest")
    assert found["The celebration"]["objective"] == "We want a wedding in June."
    assert found["Guests"]["assessment"] == "At most 80 guests."
    assert found["Food and drink"]["plan"] == "The cake is vegan."
    assert found["Programme"]["plan"] == "Who plays music? Bo."
    assert found["Budget"]["plan"] == "Budget is 900 euros."
    assert OPEN_POINTS not in found


def test_a_section_nothing_is_known_about_is_left_out() -> None:
    template = [section["name"] for section in TEMPLATES["wedding"]]
    found = filled("We want a wedding in June. It must be cheap. Who plays music?")
    assert set(template) - set(found) >= {"Food and drink", "Guests"}
    assert list(found)[-1] == OPEN_POINTS


def test_what_is_open_is_listed_once_at_the_end() -> None:
    found = filled("We want a wedding in June, Bo helps. It must be cheap. Who plays music? Who pays?")
    assert found[OPEN_POINTS]["body"].splitlines() == [
        f"- **Q-1** {NO_CRITERIA}",
        "- **Q-2** Who plays music?",
        "- **Q-3** Who pays?",
        f"- **Q-4** {WHERE}",
        f"- **Q-5** {FIRST_STEPS}",
    ]
    others = "".join(text for name, section in found.items() if name != OPEN_POINTS for text in section.values())
    assert "Who pays?" not in others


def test_costs_become_a_table_whose_total_is_their_sum() -> None:
    found = filled("We want a fence by May. Posts cost 120 €.\nPaint: 45.50 €\nBudget is 300 €. Bo digs.")
    assert found["Money and means"]["body"] == (
        "| What | Amount |\n|---|---:|\n| Posts | 120 € |\n| Paint | 45.50 € |\n| **Total** | **€165.50** |"
    )
    assert found["Money and means"]["plan"] == "Budget is 300 €."


def test_what_comes_in_is_no_cost_and_the_balance_is_right() -> None:
    found = filled("We want a fence by May. Posts cost 120 €.\nPaint: 40 €\nThe council gives 100 €. Bo digs.")
    assert found["Money and means"]["body"].splitlines()[2:] == [
        "| Posts | 120 € |",
        "| Paint | 40 € |",
        "| **Total** | **€160** |",
        "| Income: The council gives | 100 € |",
        "| **Balance** | **–€60** |",
    ]


def test_steps_nobody_named_are_the_aims_with_the_person_and_the_day_that_were_answered() -> None:
    found = filled("We want a garden. It must be cheap.", "Q-1: in May", "Q-2: Ann", "leave the rest open")
    assert found["Steps"]["body"].splitlines()[2:] == [
        "| Settle Q-3, Q-4, Q-5, U-1 | – | – | – |",
        "| a garden | Ann | in May | Open points |",
    ]


def test_no_question_stands_in_a_cell() -> None:
    for section in filled("We want a dance. How do we heat the barn? Who sweeps?").values():
        assert [part for part in PARTS[:3] if "?" in section[part]] == []


def test_two_currencies_have_no_total_and_rates_no_row() -> None:
    found = filled("We want a fence by May. Posts cost 120 €. Paint is 40 dollars. Bo digs for 20 € a day.")
    assert "Total" not in found["Money and means"]["body"]
    assert "a day" not in found["Money and means"]["body"]


def test_who_does_what_by_when_becomes_a_table_of_tasks() -> None:
    found = filled("We want a party. Ann bakes the cake by 3 May. Action Bo: call the band. It must be cheap.")
    assert found["Steps"]["body"].splitlines()[2:] == [
        "| bakes the cake | Ann | 3 May | – |",
        "| call the band | Bo | – | – |",
    ]
    assert found["Steps"]["plan"] == SEE_BELOW


def test_tables_and_sentences_of_a_resource_are_in_the_plan() -> None:
    brought = [
        {"name": "prices.csv", "text": "item,price,from\nsoil,40,Green Ltd\npots,25,Clay & Co"},
        {"name": "rules.md", "text": "The yard opens at 7.\n\n| day | hours |\n|---|---|\n| Mon | 7-9 |"},
    ]
    text = str(filled("We want a garden by May. Bo digs. At most 200 euros.", resources=brought))
    for part in ("| soil | 40 | Green Ltd |", "### prices.csv", "| Mon | 7-9 |", "The yard opens at 7."):
        assert part in text


@pytest.mark.parametrize("note", NOTES, ids=lambda path: path.stem)
def test_no_slot_of_the_frame_is_empty_and_none_is_a_wall(note: Path) -> None:
    for name, section in filled(note.read_text(encoding="utf-8")).items():
        for part in PARTS[:3]:
            assert 0 < len(section[part]) <= 300, (name, part)


def test_without_a_criterion_the_frame_points_to_the_open_points() -> None:
    assert filled("We want a garden.")["Aim"]["assessment"] == NO_CRITERION
    assert filled("We want a garden. The cake must be vegan.")["Aim"]["assessment"] in (
        NO_OWN_CRITERION,
        "The cake must be vegan.",
    )


def test_a_frame_without_room_below_it_carries_everything_in_its_middle() -> None:
    intent = distil(["We want a garden. The pond is deep. Ann digs the pond by May."])
    section = {"heading": "Pond", "purpose": "The pond.", "slots": ["pond_plan"]}
    content = fill(section, intent, proposal=propose(intent, {}))["content"]
    assert "The pond is deep." in content["pond_plan"]
