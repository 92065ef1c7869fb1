"""Profiles are data, and a wrong one is told line by line."""

from __future__ import annotations

import pytest

from thoughtforge.catalog import Catalog
from thoughtforge.kernel.errors import UserError
from thoughtforge.polish.profile import bind, built_in, find
from thoughtforge.settings.config import Polish

OWN = """description: Two guards.
guards:
  - guard: growth
    action: warn
    parameters: {limit: 3.0}
  - {guard: max_iterations, action: halt, parameters: {limit: polish.max_iterations}}
"""


def test_the_two_profiles_have_these_guards_in_this_order() -> None:
    assert [(one.name, one.action) for one in built_in("classic").watches] == [
        ("fix_regression", "halt"),
        ("termination", "done"),
        ("hallucination", "halt"),
        ("fabrication", "halt"),
        ("stagnation", "done"),
        ("max_iterations", "halt"),
    ]
    assert [(one.name, one.action) for one in built_in("default").watches] == [
        ("fix_regression", "warn"),
        ("hallucination", "warn"),
        ("fabrication", "warn"),
        ("termination", "done"),
        ("plateau", "done"),
        ("survivor", "halt"),
        ("oscillation", "done"),
        ("growth", "done"),
        ("phantom", "done"),
        ("budget", "halt"),
        ("max_iterations", "halt"),
    ]


def test_a_parameter_can_be_a_key_of_the_configuration() -> None:
    settings = Polish(patience=7, growth_limit=3.5, medium_max=1, max_iterations=9)
    numbers = {one.name: one.parameters.model_dump() for one in bind(built_in("default"), settings).guards}
    assert numbers["plateau"] == {"patience": 7, "near": 3, "factor": 1.5, "above": 3, "critical": 2}
    assert numbers["growth"] == {"limit": 3.5}
    assert numbers["max_iterations"] == {"limit": 9}
    assert (numbers["termination"]["medium_max"], numbers["fabrication"]["medium_max"]) == (1, 1)


def test_a_project_may_have_a_profile_of_its_own() -> None:
    catalog = Catalog(project={"guards/ours.yaml": OWN}, user=None)
    profile = find(catalog, "ours")
    assert (profile.name, profile.description, profile.set_aside) == ("ours", "Two guards.", True)
    assert [bound.parameters.model_dump() for bound in bind(profile, Polish()).guards] == [
        {"limit": 3.0},
        {"limit": 50},
    ]


def test_an_unknown_profile_is_told_with_those_there_are() -> None:
    with pytest.raises(UserError) as caught:
        built_in("relaxed")
    assert (caught.value.what, caught.value.do) == ("there is no profile 'relaxed'", "Known: classic, default")


def test_everything_wrong_is_named_with_its_line() -> None:
    text = """colour: red
description: ""
set_aside: maybe
guards:
  - guard: grwth
    action: done
  - guard: survivor
    action: done
    parameters: {reviews: many, patience: 3}
  - guard: growth
    action: warn
    parameters: {limit: polish.growth}
    colour: red
  - guard: growth
    action: warn
    parameters: 3
  - all of them
"""
    with pytest.raises(UserError) as caught:
        find(Catalog(project={"guards/ours.yaml": text}, user=None), "ours")
    assert caught.value.do == "Correct the profile; docs/guards.md lists guards, parameters and actions."
    names = (
        "budget, fabrication, fix_regression, growth, hallucination, max_iterations, oscillation, phantom, plateau, "
        "stagnation, survivor, termination"
    )
    assert caught.value.details == tuple(
        f".thoughtforge/guards/ours.yaml:{line}"
        for line in (
            "1: colour is not a key of a profile; the keys are description, set_aside, guards",
            "2: description must describe the purpose of the profile in words",
            "3: set_aside must be true or false",
            "4: max_iterations is missing; without it a loop may never end",
            f"5: there is no guard grwth; the guards are {names}",
            "8: done is not an action of survivor; its actions are halt, warn",
            "9: survivor: reviews: expected a valid integer, got 'many'",
            "9: survivor: there is no parameter patience; the parameters are reviews",
            "12: growth: limit: there is no setting polish.growth",
            "13: colour is not a key of a guard; the keys are guard, action, parameters",
            "14: the guard growth is listed twice",
            "16: growth: parameters must be keys and values",
            "17: a guard is a mapping with the keys guard, action, parameters",
        )
    )


@pytest.mark.parametrize("text", ["", "[]", "guards: []\ndescription: x\n", "{"])
def test_a_file_that_is_no_profile_is_a_mistake(text: str) -> None:
    with pytest.raises(UserError):
        find(Catalog(project={"guards/ours.yaml": text}, user=None), "ours")


def test_a_threshold_for_criticals_is_nothing_a_profile_can_set() -> None:
    loose = OWN.replace("growth", "termination").replace("warn", "done").replace("limit: 3.0", "critical_max: 1")
    with pytest.raises(UserError) as caught:
        find(Catalog(project={"guards/ours.yaml": loose}, user=None), "ours")
    assert "critical_max: expected less than or equal to 0, got 1" in caught.value.what
