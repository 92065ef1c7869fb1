"""What the engine measures itself: the meaning of every `must_verify` key, and plain facts for skip conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.rules_specification import (
    ambiguities_answered,
    confidence,
    criteria_given,
    interfaces_resolve,
    questions_unique,
    requirements_traced,
)
from thoughtforge.contracts.shorthand import find, objects, text, texts
from thoughtforge.kernel.model import JsonObject

Measured = bool | int | float | str


class Measure(NamedTuple):
    """One thing the engine can find out."""

    text: str
    """What is measured, as a sentence."""
    of: Callable[[JsonObject, ValidationContext], Measured] | None = None
    """The measurement on the artifact; None when it takes running code, which the stages named in the text do."""


def _all_filled(artifact: JsonObject, pattern: str, *keys: str) -> bool:
    """Whether the list is there and each of its entries has text under the keys."""
    list_, _, _ = pattern.partition("[")
    is_list = any(isinstance(found.value, list) for found in find(artifact, list_))
    entries = [found.value for found in find(artifact, pattern)]
    return is_list and all(isinstance(e, dict) and all(text(e, key).strip() for key in keys) for e in entries)


def intent_extracted(artifact: JsonObject, given: ValidationContext) -> bool:
    intent = artifact.get("extracted_intent")
    return isinstance(intent, dict) and all(text(intent, key).strip() for key in ("action", "target"))


def scope_defined(artifact: JsonObject, given: ValidationContext) -> bool:
    intent = artifact.get("extracted_intent")
    return isinstance(intent, dict) and text(intent, "scope") in ("file", "module", "feature", "system")


def ambiguities_listed(artifact: JsonObject, given: ValidationContext) -> bool:
    filled = _all_filled(artifact, "identified_ambiguities[]", "area", "question", "impact")
    return filled and not any(questions_unique(artifact, given))


def all_questions_addressed(artifact: JsonObject, given: ValidationContext) -> bool:
    filled = _all_filled(artifact, "questions[]", "question", "answer")
    return filled and not any(ambiguities_answered(artifact, given))


def confidence_scores_provided(artifact: JsonObject, given: ValidationContext) -> bool:
    filled = _all_filled(artifact, "questions[]")
    return filled and all(confidence(found.value) >= 0 for found in objects(artifact, "questions[]"))


def requirements_addressed(artifact: JsonObject, given: ValidationContext) -> bool:
    some = any(objects(artifact, "requirements[]"))
    return some and not any(criteria_given(artifact, given)) and not any(requirements_traced(artifact, given))


def interfaces_defined(artifact: JsonObject, given: ValidationContext) -> bool:
    filled = _all_filled(artifact, "interfaces[]", "name", "type", "direction")
    return filled and not any(interfaces_resolve(artifact, given))


def constraints_documented(artifact: JsonObject, given: ValidationContext) -> bool:
    return _all_filled(artifact, "constraints[]", "id", "description", "rationale")


def review_complete(artifact: JsonObject, given: ValidationContext) -> bool:
    looked_at = [found.value for found in texts(artifact, "scope[]") if found.value.strip()]
    lists = all(isinstance(artifact.get(key), list) for key in ("blocking_issues", "advisory_issues"))
    return lists and bool(looked_at) and bool(text(artifact, "summary").strip())


def issues_categorized(artifact: JsonObject, given: ValidationContext) -> bool:
    ids = [found.value for found in texts(artifact, "blocking_issues[].id", "advisory_issues[].id")]
    filled = all(_all_filled(artifact, f"{key}[]", "id", "severity") for key in ("blocking_issues", "advisory_issues"))
    return filled and len(ids) == len(set(ids))


MEASURES: dict[str, Measure] = {
    "intent_extracted": Measure("The intake record names an action and its target.", intent_extracted),
    "scope_defined": Measure("The intake record says how far the request reaches.", scope_defined),
    "ambiguities_listed": Measure("Open questions are listed, each once and with its weight.", ambiguities_listed),
    "all_questions_addressed": Measure("Every question of the intake has an answer.", all_questions_addressed),
    "confidence_scores_provided": Measure("Every answer has a confidence from 0 to 1.", confidence_scores_provided),
    "requirements_addressed": Measure("Every requirement has criteria and a source.", requirements_addressed),
    "interfaces_defined": Measure("Interfaces are listed and their references resolve.", interfaces_defined),
    "constraints_documented": Measure("Constraints are listed, each with its reason.", constraints_documented),
    "review_complete": Measure("The review names what it examined and gives both lists of issues.", review_complete),
    "issues_categorized": Measure("Every issue has a severity and is in one list only.", issues_categorized),
    "all_tests_fail": Measure("Stage red runs the new tests and each one fails for a missing behaviour."),
    "requirement_coverage": Measure("Stage red counts the share of requirements that have a test that exists."),
    "all_tests_pass": Measure("Stages green and refactor run the tests of stage red and each one passes."),
    "conformance_pass": Measure("Stages green and refactor run every conformance check without a finding."),
    "type_check_pass": Measure("Stages green and refactor run the type checker without an error."),
    "no_regressions": Measure("Stages green and refactor run the old tests and none fails or is gone."),
    "complexity_acceptable": Measure("Stage refactor measures the complexity of each changed function."),
    "no_code_smells": Measure("Stage refactor looks for duplication and other findings in the changed code."),
    "documentation_complete": Measure("Stage deliver looks for the documents its report names in the commit."),
    "changelog_generated": Measure("Stage deliver looks for the changelog entry in the commit."),
    "deployment_ready": Measure("Stage deliver runs the whole suite and every check in a clean checkout."),
}
"""must_verify key → what the engine measures for it."""

COUNTS: dict[str, dict[str, str]] = {
    "intake_record": {"ambiguities": "identified_ambiguities[]"},
    "clarification": {"questions": "questions[]"},
    "analysis": {"files": "files[]", "risks": "risks[]", "constraints": "constraints[]"},
    "specification": {"requirements": "requirements[]", "criteria": "requirements[].acceptance_criteria[]"},
    "test_suite": {"test_files": "test_files[]", "tests": "test_files[].tests[]"},
    "implementation": {"files_created": "files_created[]", "files_modified": "files_modified[]"},
    "deliverable": {"files_created": "files_created[]", "files_modified": "files_modified[]"},
    "delivery_report": {"requirements": "requirements[]", "files": "files[]", "checks": "checks[]"},
    "security_review": {"blocking": "blocking_issues[]", "advisory": "advisory_issues[]"},
}
WORDS: dict[str, dict[str, str]] = {
    "intent": {"title": "title", "deliverable_type": "deliverable_type"},
    "intake_record": {"complexity": "initial_complexity"},
    "specification": {"complexity": "estimated_complexity"},
}


def facts(contract: str, artifact: JsonObject) -> dict[str, Any]:
    """What can be counted or read off an artifact; nothing for a contract nobody has facts about."""
    counted = {name: sum(1 for _ in find(artifact, at)) for name, at in COUNTS.get(contract, {}).items()}
    read = {name: found.value for name, at in WORDS.get(contract, {}).items() for found in texts(artifact, at)}
    return {**counted, **read}
