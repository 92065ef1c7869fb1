"""What the engine measures on an artifact."""

from collections.abc import Callable
from typing import Any

import pytest

from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.measures import MEASURES, facts

ON_THE_ARTIFACT = {
    "intake_record": ["intent_extracted", "scope_defined", "ambiguities_listed"],
    "clarification": ["all_questions_addressed", "confidence_scores_provided"],
    "specification": ["requirements_addressed", "interfaces_defined", "constraints_documented"],
    "security_review": ["review_complete", "issues_categorized"],
}
BY_A_STAGE = {
    *("all_tests_fail", "requirement_coverage", "all_tests_pass", "conformance_pass", "type_check_pass"),
    *("no_regressions", "complexity_acceptable", "no_code_smells"),
    *("documentation_complete", "changelog_generated", "deployment_ready"),
}


def measured(key: str, artifact: dict[str, Any], given: ValidationContext) -> Any:
    measure = MEASURES[key].of
    assert measure is not None
    return measure(artifact, given)


def test_every_promise_of_a_role_has_a_measurement() -> None:
    read_off = {name for names in ON_THE_ARTIFACT.values() for name in names}
    assert set(MEASURES) == read_off | BY_A_STAGE
    assert {name for name, measure in MEASURES.items() if measure.of is None} == BY_A_STAGE


def test_a_measurement_by_a_stage_names_the_stage() -> None:
    assert {name: MEASURES[name].text.split()[0] for name in BY_A_STAGE if "tage" not in MEASURES[name].text} == {}


@pytest.mark.parametrize(
    ("contract", "name"),
    [
        ("intake_record", "valid_full"),
        ("intake_record", "valid_without_questions"),
        ("clarification", "valid_inference_and_assumption"),
        ("clarification", "valid_nothing_to_answer"),
        ("specification", "valid_full"),
        ("security_review", "valid_nothing_found"),
    ],
)
def test_a_valid_artifact_measures_up(contract: str, name: str, example: Callable[..., Any]) -> None:
    artifact, given, _ = example(contract, name)
    found = {key: measured(key, artifact, given) for key in ON_THE_ARTIFACT[contract]}
    assert found == dict.fromkeys(ON_THE_ARTIFACT[contract], True)


@pytest.mark.parametrize(
    ("contract", "name", "failed"),
    [
        ("intake_record", "invalid_missing_fields", {"intent_extracted", "ambiguities_listed"}),
        ("intake_record", "invalid_unknown_words", {"scope_defined"}),
        ("intake_record", "invalid_question_twice", {"ambiguities_listed"}),
        ("clarification", "invalid_invented_and_forgotten", {"all_questions_addressed"}),
        ("clarification", "invalid_confidence_out_of_range", {"confidence_scores_provided"}),
        ("specification", "invalid_blank_criteria", {"requirements_addressed"}),
        ("specification", "invalid_invented_requirements", {"requirements_addressed"}),
        ("specification", "invalid_references_nowhere", {"interfaces_defined"}),
        ("security_review", "invalid_lists_missing", {"review_complete", "issues_categorized"}),
        ("security_review", "invalid_same_id_in_both_lists", {"issues_categorized"}),
        ("security_review", "invalid_remediation_missing", {"review_complete"}),
    ],
)
def test_a_measurement_fails_where_the_artifact_falls_short(
    contract: str, name: str, failed: set[str], example: Callable[..., Any]
) -> None:
    artifact, given, _ = example(contract, name)
    assert {key for key in ON_THE_ARTIFACT[contract] if not measured(key, artifact, given)} == failed


def test_constraints_without_a_reason_are_not_documented(example: Callable[..., Any]) -> None:
    artifact, given, _ = example("specification", "valid_full")
    artifact["constraints"][0]["rationale"] = " "
    assert measured("constraints_documented", artifact, given) is False


@pytest.mark.parametrize(
    ("contract", "name", "expected"),
    [
        ("intake_record", "valid_full", {"ambiguities": 2, "complexity": "simple"}),
        ("intake_record", "valid_without_questions", {"ambiguities": 0, "complexity": "trivial"}),
        ("clarification", "valid_answered_by_a_person", {"questions": 2}),
        ("analysis", "valid_full", {"files": 2, "risks": 1, "constraints": 1}),
        ("specification", "valid_full", {"requirements": 3, "criteria": 4, "complexity": "simple"}),
        ("test_suite", "valid_full", {"test_files": 2, "tests": 3}),
        ("implementation", "valid_full", {"files_created": 1, "files_modified": 1}),
        ("security_review", "valid_full", {"blocking": 1, "advisory": 1}),
        ("agent_definition", "valid_full", {}),
    ],
)
def test_facts_are_counted(contract: str, name: str, expected: dict[str, Any], example: Callable[..., Any]) -> None:
    assert facts(contract, example(contract, name).artifact) == expected


def test_facts_of_a_malformed_artifact_are_zero_and_not_a_crash() -> None:
    assert facts("specification", {"requirements": "many"}) == {"requirements": 0, "criteria": 0}
