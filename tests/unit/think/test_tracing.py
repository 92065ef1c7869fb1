"""Where the points of an intent went: by ids that exist, by the very words, by a reason, or nowhere."""

from __future__ import annotations

from typing import Any

from thoughtforge.think.tracing import Trace, points, traced, untraced, with_ids

INTENT: dict[str, Any] = {"objective": ["A quiet party."], "constraints": ["Under 80 euros", "No nuts"], "unknowns": []}
PROPOSAL: dict[str, Any] = {
    "overview": "A small party.",
    "structure": [{"name": "Food", "purpose": "What is eaten."}],
    "decisions": [{"id": "D-1", "title": "Cake", "decision": "Apple", "reason": "cheap"}],
    "challenges": [],
    "resolved": [],
    "dependencies": [],
    "scope": {"in": ["cake"], "out": []},
    "priorities": [],
    "exclusions": [],
    "criteria": [{"id": "AC-1", "text": "It costs under 80  euros."}],
}


def test_objectives_and_constraints_are_numbered_apart() -> None:
    assert points(INTENT) == [("OBJ-1", "A quiet party."), ("CON-1", "Under 80 euros"), ("CON-2", "No nuts")]
    assert with_ids(INTENT)["constraints"] == [
        {"id": "CON-1", "text": "Under 80 euros"},
        {"id": "CON-2", "text": "No nuts"},
    ]
    assert INTENT["constraints"] == ["Under 80 euros", "No nuts"]


def test_words_that_stand_in_a_part_need_no_claim() -> None:
    assert traced(INTENT, PROPOSAL) == (
        Trace("OBJ-1", "A quiet party."),
        Trace("CON-1", "Under 80 euros", ("AC-1",)),
        Trace("CON-2", "No nuts"),
    )
    assert untraced(INTENT, PROPOSAL) == [("OBJ-1", "A quiet party."), ("CON-2", "No nuts")]


def test_a_claim_counts_for_parts_that_exist_and_only_for_them() -> None:
    claims = [{"id": "OBJ-1", "in": ["d-1", "food", "scope"]}, {"id": "CON-2", "in": ["D-7", "Drinks", "everywhere"]}]
    found = traced(INTENT, {**PROPOSAL, "traced": claims})
    assert [one.places for one in found] == [("D-1", "Food", "scope"), ("AC-1",), ()]
    assert untraced(INTENT, {**PROPOSAL, "traced": claims}) == [("CON-2", "No nuts")]


def test_what_is_left_out_has_its_reason_and_a_blank_one_is_none() -> None:
    left = [{"id": "OBJ-1", "reason": " "}, {"id": "CON-2", "reason": "Nobody is allergic."}]
    found = traced(INTENT, {**PROPOSAL, "left_out": left})
    assert [one.left_out for one in found] == ["", "", "Nobody is allergic."]
    assert untraced(INTENT, {**PROPOSAL, "left_out": left}) == [("OBJ-1", "A quiet party.")]


def test_a_part_without_content_and_a_doubt_without_resolution_take_up_nothing() -> None:
    doubts = [
        {"id": "C-1", "concern": "Too dear?", "resolution": " "},
        {"id": "C-2", "concern": "x", "resolution": "y"},
    ]
    claims = [{"id": "OBJ-1", "in": ["exclusions", "C-1"]}, {"id": "CON-2", "in": ["C-2"]}]
    found = traced(INTENT, {**PROPOSAL, "challenges": doubts, "traced": claims})
    assert [one.places for one in found] == [(), ("AC-1",), ("C-2",)]
