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
from thoughtforge.providers.builtin.propose import answers_in, propose
from thoughtforge.providers.builtin.sentences import NO_CRITERIA, NO_LIMITS, SEVERITY

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
        ["We want a wedding. It must be outside. No need for a band. Above all it has to be cheap. Who pays?"]
    )
    assert propose(
        intent, {"Q-1": "My uncle."}, templates={"wedding": [{"name": "Guests", "purpose": "Who comes."}]}
    ) == {
        "plan_kind": "wedding",
        "language": None,
        "overview": "We want a wedding.",
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
        "resolved": [{"id": "Q-1", "resolution": "My uncle.", "by": "person"}],
        "open": [],
        "dependencies": [],
        "scope": {"in": ["We want a wedding."], "out": ["No need for a band."]},
        "priorities": ["Above all it has to be cheap."],
        "exclusions": [],
        "severity": SEVERITY,
        "criteria": [
            {"id": "AC-1", "text": "It must be outside."},
            {"id": "AC-2", "text": "Above all it has to be cheap."},
        ],
        "components": [],
    }


def test_without_criteria_of_the_person_there_are_none_until_they_say_some() -> None:
    intent = distil(["We want a garden."])
    assert propose(intent, {})["criteria"] == []
    assert [one["question"] for one in propose(intent, {})["open"]] == [NO_LIMITS, NO_CRITERIA]
    said = ["Q-1: none\nAC: three kinds of roses", "The gate should close by itself. Thanks."]
    assert propose(intent, {}, said=said)["criteria"] == [
        {"id": "AC-1", "text": "The gate should close by itself."},
        {"id": "AC-2", "text": "three kinds of roses"},
    ]
    assert propose(intent, {}, said=said)["resolved"] == [{"id": "Q-1", "resolution": "none", "by": "person"}]


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


def test_answers_are_read_by_id_and_the_latest_counts() -> None:
    assert answers_in(["Q-1: yes\n- u-2 = no: never", "Q-1. no", "Q-12", "about Q-3: hm"]) == {
        "Q-1": "no",
        "U-2": "no: never",
    }
