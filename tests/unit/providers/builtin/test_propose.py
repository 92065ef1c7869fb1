"""A proposal in the person's own words: what is settled, what is open, and criteria only they gave."""

from pathlib import Path
from typing import Any

import pytest

import thoughtforge
from thoughtforge.catalog import Catalog
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.contract import load
from thoughtforge.contracts.validate import check
from thoughtforge.deliverables.plan import outlines
from thoughtforge.providers.builtin.distil import distil
from thoughtforge.providers.builtin.propose import propose
from thoughtforge.providers.builtin.sentences import (
    BY_WHEN,
    FIRST_STEPS,
    HOW_MUCH,
    LEFT_OPEN,
    NO_CRITERIA,
    SEVERITY,
    WHAT_RISKS,
    WHO_DOES,
)
from thoughtforge.think.tracing import untraced

NOTES = sorted((Path(__file__).parents[3] / "notes").glob("*.md"))
LIBRARY = Path(thoughtforge.__file__).parent / "library" / "contracts"
CONTRACT = load((LIBRARY / "proposal.yaml").read_text(encoding="utf-8"), source="proposal.yaml")
TEMPLATES = outlines(Catalog(project={}, user=None))


@pytest.mark.parametrize("note", NOTES, ids=lambda path: path.stem)
def test_a_proposal_keeps_its_contract_with_every_note(note: Path) -> None:
    intent = distil([note.read_text(encoding="utf-8")])
    assert (
        check(propose(intent, {}, templates=TEMPLATES), CONTRACT, ValidationContext(artifacts={"intent": intent})) == ()
    )


def test_a_whole_proposal() -> None:
    intent = distil(
        ["We want a wedding in May. It must be outside. No need for a band. Above all it has to be cheap. Who pays?"],
        said=["Q-1: all dance", "Q-3: by the lake", "Q-4: ask the priest"],
    )
    sections = [{"name": "Guests", "purpose": "Who comes.", "required": True}, {"name": "Food", "purpose": "What."}]
    assert propose(intent, {"Q-2": "My uncle."}, templates={"wedding": sections}) == {
        "plan_kind": "wedding",
        "language": None,
        "overview": "We want a wedding in May.",
        "structure": [{"name": "Guests", "purpose": "Who comes."}],
        "decisions": [
            {
                "id": "D-1",
                "title": "Kind of plan",
                "decision": "The template of the plan is: wedding",
                "reason": "The intent shares most words with this template.",
            }
        ],
        "challenges": [],
        "resolved": [{"id": "Q-2", "resolution": "My uncle.", "by": "person"}],
        "open": [],
        "dependencies": [],
        "scope": {"in": ["We want a wedding in May."], "out": ["No need for a band."]},
        "priorities": ["Above all it has to be cheap."],
        "exclusions": [],
        "severity": SEVERITY,
        "criteria": [
            {"id": "AC-1", "text": "It must be outside."},
            {"id": "AC-2", "text": "Above all it has to be cheap."},
            {"id": "AC-3", "text": "all dance"},
        ],
        "components": [],
        "traced": [
            {"id": "OBJ-1", "in": ["scope"]},
            {"id": "CON-1", "in": ["AC-1"]},
            {"id": "CON-2", "in": ["Guests"]},
            {"id": "CON-3", "in": ["AC-2"]},
            {"id": "CON-4", "in": ["AC-3"]},
        ],
        "left_out": [],
    }


def test_every_objective_and_constraint_is_traced_or_left_out_with_a_reason() -> None:
    intent = distil(["We want a hall in May. At most 4 people. We need at least 6 people. Bo digs."])
    made = propose(intent, {}, said=["the second"], templates=TEMPLATES)
    assert untraced(intent, made) == []
    assert [one["id"] for one in made["left_out"]] == ["CON-1"]


def test_without_criteria_of_the_person_there_are_none_until_they_say_some() -> None:
    intent = distil(["We want a garden."])
    assert propose(intent, {})["criteria"] == []
    assert [one["question"] for one in propose(intent, {})["open"]] == [
        BY_WHEN,
        WHO_DOES,
        HOW_MUCH,
        NO_CRITERIA,
        FIRST_STEPS,
        WHAT_RISKS,
    ]
    said = ["Q-1: in May\nAC: three kinds of roses", "The gate should close by itself. Thanks.", "Q-4: birds come"]
    assert propose(intent, {}, said=said)["criteria"] == [
        {"id": "AC-1", "text": "The gate should close by itself."},
        {"id": "AC-2", "text": "birds come"},
        {"id": "AC-3", "text": "three kinds of roses"},
    ]
    assert propose(intent, {}, said=said)["resolved"][0] == {"id": "Q-1", "resolution": "in May", "by": "person"}


def test_what_comes_after_the_eighth_question_stays_open_without_being_asked() -> None:
    intent = distil(["We want a boat. " + " ".join(f"Not sure about part {number}." for number in range(9))])
    made = propose(intent, {})
    assert len(made["open"]) == 8
    left = [row["id"] for row in made["resolved"] if row == {"id": row["id"], "resolution": LEFT_OPEN, "by": "ai"}]
    assert sorted([*left, *(one["id"] for one in made["open"])]) == sorted(
        one["id"] for key in ("open_questions", "unknowns") for one in intent[key]
    )


def test_code_has_a_language_only_when_one_was_named() -> None:
    named, silent = distil(["We want a script in Python."]), distil(["We want a script."])
    kinds = [(made["plan_kind"], made["language"]) for made in (propose(named, {}), propose(silent, {}))]
    assert kinds == [(None, "Python"), (None, None)]


def test_a_contradiction_nobody_asked_about_yet_is_a_challenge() -> None:
    intent: dict[str, Any] = distil(["We want a hall."]) | {"constraints": ["At most 4 people.", "At least 6 people."]}
    made = propose(intent, {"C-1": "Six it is."})
    assert made["challenges"] == [
        {
            "id": "C-1",
            "area": "contradictions",
            "concern": "Which of the two is right? “At most 4 people.” / “At least 6 people.”",
            "reasoning": "Two statements contradict each other.",
            "resolution": "Six it is.",
        }
    ]
    assert {"id": "C-1", "resolution": "Six it is.", "by": "person"} in made["resolved"]


def test_a_challenge_keeps_its_id_and_a_new_one_never_takes_the_answer_of_another() -> None:
    hall: dict[str, Any] = distil(["We want a hall."])
    people, hours = ["At most 4 people.", "At least 6 people."], ["At most 2 hours.", "At least 9 hours."]
    before = propose(hall | {"constraints": people}, {})
    made = propose(hall | {"constraints": [*hours, *people]}, {}, said=["C-1: the second"], doubts=before["challenges"])
    assert {one["id"]: (people[0] in one["concern"], one["resolution"]) for one in made["challenges"]} == {
        "C-1": (True, "At least 6 people."),
        "C-2": (False, ""),
    }


def test_out_of_scope_is_what_is_given_up_and_nothing_said_in_passing() -> None:
    note = (
        "We want a party. Forget the band, Tom has a playlist, we only rent speakers. Photographer 950 euros "
        "(he'd do it for half but I don't want to count on that). Out of scope: fireworks."
    )
    assert propose(distil([note]), {})["scope"]["out"] == ["Forget the band", "Out of scope: fireworks."]
