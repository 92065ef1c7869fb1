"""An answer that lacks something is shown again, and only what was wrong has to be handed in once more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.test_think_material import form_of, serve
from flows.thoughts import INTENT, PROPOSAL, Garden, Rule, agreed, built, make_garden, polished
from model_server import Asked, ModelServer
from model_server.playbooks import from_playbook
from thoughtforge.providers.scripted import load

LAST = "### your last answer as it stands"


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def thought(garden: Garden, *rules: Rule) -> list[Asked]:
    """Let it run to its end; every request that was sent."""
    script = garden.folder / "served.yaml"
    script.write_text(json.dumps({"rules": [*rules]}))
    with ModelServer(from_playbook(load(script))) as server:
        serve(garden, server)
        done = garden.json("think", garden.note())
        assert done["phase"] == "done", done
        return list(server.asked)


def without(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    """An object that lacks something."""
    return {key: value for key, value in data.items() if key not in keys}


def test_an_intent_that_lacks_a_field_needs_only_that_field(garden: Garden) -> None:
    lacking = {"when": {"context": "form of intent"}, "reply": without(INTENT, "type_reason"), "times": 1}
    field = {"when": {"context": ["form of intent", LAST]}, "reply": {"type_reason": "The note asks for a plan."}}
    asked = thought(garden, field, lacking, *agreed(), *built(), *polished())
    first, second = [one.user for one in asked if form_of(one) == "intent"]
    assert LAST not in first
    assert "Not sure which pots to buy." in second.partition(LAST)[2]
    assert "Only fields that were wrong or missing have to be handed in" in second
    assert "The note asks for a plan." in garden.doc("intent.md")


def test_a_point_without_a_trace_needs_only_its_trace_and_hears_what_was_wrong(garden: Garden) -> None:
    wrong = [{"id": "OBJ-1", "in": ["overview"]}, {"id": "CON-1", "in": ["Kitchen"]}]
    first = {"when": {"context": "form of proposal"}, "reply": {**PROPOSAL, "traced": wrong}, "times": 1}
    field = {"when": {"context": ["form of proposal", LAST]}, "reply": {"traced": [{"id": "CON-1", "in": ["AC-1"]}]}}
    asked = thought(garden, field, first, *agreed(), *built(), *polished())
    again = [one.user for one in asked if form_of(one) == "proposal"][1]
    assert "- CON-1: Budget is 80 euros. (`traced` says Kitchen, which is no part, nearest is " in again
    assert "A plan for herbs on a balcony." in again.partition(LAST)[2]
    assert "Budget is 80 euros. → AC-1" in garden.doc("spec.md")
    assert "I want a plan for a small herb garden on the balcony. → overview" in garden.doc("spec.md")


@pytest.mark.parametrize("name", ["Stepps", "Money", "money and mean"])
def test_a_name_that_is_nearly_a_part_needs_no_second_answer(garden: Garden, name: str) -> None:
    near = {**PROPOSAL, "traced": [PROPOSAL["traced"][0], {"id": "CON-1", "in": [name]}]}
    asked = thought(garden, *agreed(proposal=near), *built(), *polished())
    assert len([one for one in asked if form_of(one) == "proposal"]) == 1
    assert "Budget is 80 euros. → " + ("Steps" if name == "Stepps" else "Money and means") in garden.doc("spec.md")


def test_a_constraint_with_two_limits_is_asked_to_be_split_and_each_is_traced(garden: Garden) -> None:
    both = {**INTENT, "constraints": ["At most 80 euros, and never more than 6 pots on the balcony."]}
    two = ["At most 80 euros.", "Never more than 6 pots on the balcony."]
    first = {"when": {"context": "form of intent"}, "reply": both, "times": 1}
    split = {"when": {"context": ["form of intent", "more than one limit"]}, "reply": {"constraints": two}}
    asked = thought(garden, split, first, *agreed(), *built(), *polished())
    assert len([one for one in asked if form_of(one) == "intent"]) == 2
    assert "- **CON-2** Never more than 6 pots on the balcony." in garden.doc("intent.md")
    assert "- CON-2: Never more than 6 pots" in [one.user for one in asked if form_of(one) == "proposal"][1]
