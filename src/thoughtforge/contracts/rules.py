"""Every rule a contract may name: what no schema can say, as one function each."""

from __future__ import annotations

from thoughtforge.contracts.rules_definitions import (
    exit_is_an_exit,
    externals_complete,
    one_default_exit,
    prerequisites_met,
    promises_measured,
    remediation_given,
    skips_lead_to_stages,
    tools_disjoint,
)
from thoughtforge.contracts.rules_files import (
    Rule,
    delivered_means_proven,
    files_exist,
    files_new,
    guards_are_criteria,
    mapped_tests_listed,
    names_known,
    paths_inside,
    ready_means_checked,
    refers,
    requirements_reported,
    requirements_tested,
    tested_requirements_known,
    unique,
)
from thoughtforge.contracts.rules_specification import (
    ambiguities_answered,
    assumptions_are_minor,
    criteria_given,
    deliverable_type_known,
    dependencies_acyclic,
    failure_explained,
    filled_unless_stuck,
    human_answers_signed,
    inferences_are_sure,
    intent_accounted_for,
    interfaces_resolve,
    questions_unique,
    request_verbatim,
    requirements_traced,
    settled_ids_known,
    stuck_explained,
)

CHANGED = ("files_created[].path", "files_modified[].path")
ROLE_LISTS = tuple(f"orchestration.{key}[]" for key in ("receives_from", "hands_off_to", "reviewed_by", "reviews"))
EXTERNAL_CONTRACTS = ("accepts_external.*.contract", "requires_external.*.contract")

RULES: dict[str, Rule] = {
    # intake_record
    "request_verbatim": request_verbatim,
    "questions_unique": questions_unique,
    # clarification
    "ambiguities_answered": ambiguities_answered,
    "inferences_are_sure": inferences_are_sure,
    "assumptions_are_minor": assumptions_are_minor,
    "human_answers_signed": human_answers_signed,
    "question_ids_unique": unique("questions[].id"),
    "answer_paths_inside": paths_inside("questions[].evidence[].file"),
    "answer_evidence_exists": files_exist("questions[].evidence[].file"),
    # analysis
    "analysis_ids_unique": unique("risks[].id", "constraints[].id"),
    "analysis_paths_inside": paths_inside("files[].path", "evidence[].file"),
    "analysis_files_exist": files_exist("files[].path", "evidence[].file"),
    # specification
    "criteria_given": criteria_given,
    "guards_are_criteria": guards_are_criteria,
    "requirement_ids_unique": unique("requirements[].id"),
    "constraint_ids_unique": unique("constraints[].id"),
    "requirements_traced": requirements_traced,
    "planned_paths_inside": paths_inside("files_to_modify[]", "files_to_create[]"),
    "modified_files_exist": files_exist("files_to_modify[]"),
    "created_files_are_new": files_new("files_to_create[]"),
    "planned_files_once": unique("files_to_modify[]", "files_to_create[]"),
    "dependencies_acyclic": dependencies_acyclic,
    "interfaces_resolve": interfaces_resolve,
    # test_suite
    "test_paths_inside": paths_inside("test_files[].path"),
    "test_files_once": unique("test_files[].path"),
    "requirements_tested": requirements_tested,
    "tested_requirements_known": tested_requirements_known,
    "mapped_tests_listed": mapped_tests_listed,
    # implementation, deliverable
    "specification_referred": refers("spec_ref", contract="specification", key="spec_id"),
    "tests_referred": refers("test_suite_ref", contract="test_suite", key="suite_id"),
    "implementation_referred": refers("implementation_ref", contract="implementation", key="implementation_id"),
    "changed_paths_inside": paths_inside(*CHANGED),
    "changed_files_once": unique(*CHANGED),
    "improved_paths_inside": paths_inside("improvements[].path"),
    # delivery_report
    "reported_paths_inside": paths_inside("files[].path", "docs[].path", "requirements[].files[]"),
    "requirements_reported": requirements_reported,
    "delivered_means_proven": delivered_means_proven,
    "ready_means_checked": ready_means_checked,
    # security_review
    "issue_ids_unique": unique("blocking_issues[].id", "advisory_issues[].id"),
    "remediation_given": remediation_given,
    # agent_definition
    "tools_disjoint": tools_disjoint,
    "allowed_tools_known": names_known("capabilities.tools.allowed[]", kind="tools"),
    "output_contract_known": names_known("capabilities.output.contract", kind="contracts"),
    "named_roles_known": names_known(*ROLE_LISTS, kind="roles"),
    "promises_measured": promises_measured,
    # pipeline_template
    "stage_names_unique": unique("stages[].name"),
    "stage_contracts_known": names_known("stages[].output_contract", *EXTERNAL_CONTRACTS, kind="contracts"),
    "stage_roles_known": names_known("stages[].role", "stages[].reviewers[]", kind="roles"),
    "exit_is_an_exit": exit_is_an_exit,
    "one_default_exit": one_default_exit,
    "prerequisites_met": prerequisites_met,
    "skips_lead_to_stages": skips_lead_to_stages,
    "externals_complete": externals_complete,
    # intent, proposal
    "deliverable_type_known": deliverable_type_known,
    "intent_ids_unique": unique("unknowns[].id", "open_questions[].id"),
    "proposal_ids_unique": unique("decisions[].id", "challenges[].id", "criteria[].id"),
    "settled_once": unique("resolved[].id", "open[].id"),
    "settled_ids_known": settled_ids_known,
    "intent_accounted_for": intent_accounted_for,
    # plan_section, completeness
    "stuck_explained": stuck_explained,
    "filled_unless_stuck": filled_unless_stuck,
    "failure_explained": failure_explained,
}
OLDER = {"written_paths_inside": paths_inside("files[].path", "removed[]")}
"""Rules that no contract of the library names any more; a person's own contract may."""
