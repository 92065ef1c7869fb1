"""Both forms of must_verify."""

from typing import Any

import pytest

from thoughtforge.contracts.rules_definitions import one_form


def role(must_verify: Any) -> dict[str, Any]:
    return {
        "agent": {"role": "x"},
        "capabilities": {"tools": {}, "output": {"contract": "y", "must_verify": must_verify}},
    }


def test_a_list_of_single_key_maps_becomes_a_map_and_the_rest_stays() -> None:
    written = role([{"all_tests_fail": True}, {"requirement_coverage": "100%"}])
    assert one_form(written) == role({"all_tests_fail": True, "requirement_coverage": "100%"})
    assert written == role([{"all_tests_fail": True}, {"requirement_coverage": "100%"}])


@pytest.mark.parametrize("must_verify", [{"a": True}, [{"a": 1, "b": 2}], [{"a": 1}, {"a": 2}], ["a"], None, 3])
def test_what_is_a_map_already_or_cannot_become_one_is_left_for_the_contract(must_verify: Any) -> None:
    assert one_form(role(must_verify)) == role(must_verify)


@pytest.mark.parametrize("definition", [{}, {"capabilities": 3}, {"capabilities": {"output": []}}])
def test_a_definition_without_output_is_left_alone(definition: dict[str, Any]) -> None:
    assert one_form(definition) == definition
