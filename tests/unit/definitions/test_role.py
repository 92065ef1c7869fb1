"""Roles: the eight built-in ones, overrides that inherit, and limits no override can widen."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from thoughtforge.catalog import Catalog, extension_names
from thoughtforge.contracts.measures import MEASURES
from thoughtforge.definitions.role import KnownNames, Role, load_role, load_roles, validate_set
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Problem

BUILT_IN = Catalog(project={}, user=None)
TOOLS = frozenset(extension_names("tools"))
KNOWN = KnownNames(frozenset(BUILT_IN.names("contracts")), TOOLS, frozenset(MEASURES))

# role → (allowed, forbidden, path limits, contract, checks, stages)
READS_ONLY = "edit_file create_file move_file delete_file run_tests run_command"
NOT_TESTS = dict.fromkeys(("edit_file", "create_file", "move_file", "delete_file"), "!tests/**")
TABLE: dict[str, tuple[str, str, dict[str, str], str, str, str]] = {
    "requirements_analyst": (
        "read_file list_files search_codebase read_documentation",
        f"{READS_ONLY} deploy",
        {},
        "intake_record",
        "intent_extracted scope_defined ambiguities_listed",
        "intake",
    ),
    "business_analyst": (
        "read_file list_files search_codebase read_documentation escalate_question complete",
        READS_ONLY,
        {},
        "clarification",
        "all_questions_addressed confidence_scores_provided",
        "clarify",
    ),
    "software_architect": (
        "read_file list_files search_codebase analyze_dependencies read_documentation complete",
        f"{READS_ONLY} deploy",
        {},
        "specification",
        "requirements_addressed interfaces_defined constraints_documented",
        "analyze spec",
    ),
    "security_architect": (
        "read_file list_files search_codebase run_security_scan analyze_dependencies",
        f"{READS_ONLY} deploy",
        {},
        "security_review",
        "review_complete issues_categorized",
        "",
    ),
    "test_engineer": (
        "read_file list_files create_file edit_file append_tests run_tests analyze_coverage search_codebase "
        "escalate_question complete",
        "move_file delete_file deploy commit",
        {"create_file": "tests/**", "edit_file": "tests/**", "append_tests": "tests/**"},
        "test_suite",
        "all_tests_fail requirement_coverage",
        "red",
    ),
    "software_developer": (
        "read_file list_files edit_file create_file move_file delete_file run_tests run_conformance_check "
        "run_type_check search_codebase escalate_question complete",
        "deploy commit",
        NOT_TESTS,
        "implementation",
        "all_tests_pass conformance_pass type_check_pass no_regressions",
        "green",
    ),
    "senior_developer": (
        "read_file list_files edit_file create_file move_file delete_file run_tests run_conformance_check "
        "run_type_check analyze_complexity search_codebase escalate_question complete",
        "deploy commit",
        NOT_TESTS,
        "deliverable",
        "all_tests_pass conformance_pass complexity_acceptable no_code_smells",
        "refactor",
    ),
    "devops_engineer": (
        "read_file list_files create_file generate_changelog verify_deployment_ready create_release_notes "
        "search_codebase escalate_question complete",
        "edit_file move_file delete_file run_tests run_command",
        {"create_file": "docs/**,deploy/**,*.md"},
        "delivery_report",
        "documentation_complete changelog_generated deployment_ready",
        "deliver",
    ),
}
THINKS = ("complete", READS_ONLY, {})
BUILDS = (
    "read_file list_files search_codebase create_file edit_file move_file delete_file run_tests run_conformance_check "
    "run_type_check run_command escalate_question complete",
    "deploy commit",
    {},
)
TABLE |= {
    "distiller": (*THINKS, "intent", "", "distill"),
    "spec_builder": (*THINKS, "proposal", "", "spec"),
    "builder": (*BUILDS, "composition", "", "build"),
    "critic": (*THINKS, "polished", "", "polish"),
    "fixer": (*BUILDS, "plan_fix", "", ""),
    "implementer": (*BUILDS, "phase_work", "", "phases"),
}
LOOKS = ("read_file list_files search_codebase analyze_dependencies complete", READS_ONLY, {})
TABLE |= {
    "drafter": (*LOOKS, "change_plan_draft", "", "plan"),
    "auditor": (*LOOKS, "change_plan_audit", "", ""),
    "reviser": (*LOOKS, "change_plan_revision", "", ""),
}
RELATIONS = {
    "distiller": ((), ("spec_builder",), (), ()),
    "spec_builder": (("distiller",), ("builder",), (), ()),
    "builder": (("spec_builder",), ("critic",), (), ()),
    "critic": (("builder",), ("fixer",), (), ()),
    "fixer": (("critic",), (), (), ()),
    "drafter": ((), ("auditor",), (), ()),
    "auditor": (("drafter",), ("reviser",), (), ()),
    "reviser": (("auditor",), ("implementer",), (), ()),
    "implementer": (("reviser",), (), (), ()),
    "requirements_analyst": ((), ("business_analyst",), (), ()),
    "business_analyst": (("requirements_analyst",), ("software_architect",), (), ()),
    "software_architect": (("business_analyst",), ("test_engineer",), ("security_architect",), ()),
    "security_architect": ((), (), (), ("software_architect", "senior_developer")),
    "test_engineer": (("software_architect",), ("software_developer",), (), ()),
    "software_developer": (("test_engineer",), ("senior_developer",), (), ()),
    "senior_developer": (("software_developer",), ("devops_engineer",), ("security_architect",), ()),
    "devops_engineer": (("senior_developer",), (), (), ()),
}


def with_project(user: Path | None = None, /, **files: str) -> Catalog:
    return Catalog(project={f"roles/{name}.yaml": text for name, text in files.items()}, user=user)


def refused(catalog: Catalog, name: str, *, known: KnownNames = KNOWN) -> tuple[str, ...]:
    with pytest.raises(UserError) as caught:
        load_role(catalog, name, known=known)
    return caught.value.details


def limits(role: Role) -> tuple[str, str, dict[str, str], str, str, str]:
    return (
        " ".join(role.allowed),
        " ".join(role.forbidden),
        role.path_constraints,
        role.output_contract,
        " ".join(role.must_verify),
        " ".join(role.stages),
    )


def test_the_built_in_roles_have_exactly_these_limits() -> None:
    assert {name: limits(role) for name, role in load_roles(BUILT_IN, known=KNOWN).items()} == TABLE


def test_the_built_in_roles_hand_over_and_review_in_both_directions() -> None:
    roles = load_roles(BUILT_IN, known=KNOWN)
    found = {r.name: (r.receives_from, r.hands_off_to, r.reviewed_by, r.reviews) for r in roles.values()}
    assert (found, validate_set(roles)) == (RELATIONS, ())


def test_a_review_only_role_has_no_stage() -> None:
    assert load_role(BUILT_IN, "security_architect", known=KNOWN).stage is None


def test_a_built_in_role_carries_its_file_and_digest() -> None:
    role = load_role(BUILT_IN, "test_engineer", known=KNOWN)
    file = BUILT_IN.find("roles", "test_engineer")
    assert (role.source, role.digest) == ("library/roles/test_engineer.yaml", file.digest)


OVERRIDE = """\
extends: "thoughtforge:software_developer"
identity:
  expertise: [Python, Django, PostgreSQL]
capabilities:
  tools:
    path_constraints:
      edit_file: "!tests/**, !migrations/**"
      run_migrations: "app/**"
    allowed: [read_file, edit_file, run_migrations]
  output:
    must_verify:
      complexity_acceptable: true
constraints:
  - Reach the database through the ORM only.
"""


def test_an_override_inherits_what_it_leaves_out_replaces_lists_and_merges_maps() -> None:
    known = KNOWN._replace(tools=TOOLS | {"run_migrations"})
    base = load_role(BUILT_IN, "software_developer", known=known)
    catalog = with_project(software_developer=OVERRIDE)
    digests = [file.digest for file in catalog.all("roles", "software_developer")]
    assert load_role(catalog, "software_developer", known=known) == base.model_copy(
        update={
            "expertise": ("Python", "Django", "PostgreSQL"),
            "allowed": ("read_file", "edit_file", "run_migrations"),
            "path_constraints": NOT_TESTS | {"edit_file": "!tests/**, !migrations/**", "run_migrations": "app/**"},
            "must_verify": {**base.must_verify, "complexity_acceptable": True},
            "constraints": ("Reach the database through the ORM only.",),
            "source": ".thoughtforge/roles/software_developer.yaml + library/roles/software_developer.yaml",
            "digest": hashlib.sha256("\n".join(digests).encode()).hexdigest(),
        }
    )


def test_a_project_tool_that_does_not_exist_is_refused_at_its_line() -> None:
    (detail,) = refused(with_project(software_developer=OVERRIDE), "software_developer")
    assert detail.startswith(".thoughtforge/roles/software_developer.yaml:9: capabilities.tools.allowed[2]: ")
    assert "run_migrations" in detail


def test_a_bare_name_extends_the_file_it_lies_over_through_every_layer(tmp_path: Path) -> None:
    (tmp_path / "roles").mkdir()
    user = tmp_path / "roles" / "test_engineer.yaml"
    user.write_text("extends: test_engineer\nconstraints: [From the user.]\n", encoding="utf-8")
    catalog = with_project(tmp_path, test_engineer="extends: test_engineer\nagent: {display_name: Tester}\n")
    role = load_role(catalog, "test_engineer", known=KNOWN)
    assert (role.display_name, role.constraints, role.version) == ("Tester", ("From the user.",), "1.0")
    assert role.source == f".thoughtforge/roles/test_engineer.yaml + {user} + library/roles/test_engineer.yaml"


WIDER = """\
extends: thoughtforge:test_engineer
capabilities:
  tools:
    allowed: [read_file, move_file]
    forbidden: [move_file, deploy]
    path_constraints:
      create_file: "tests/**,src/**"
  output:
    contract: implementation
    must_verify:
      all_tests_fail: false
      requirement_coverage: 80%
"""


def test_every_attempt_to_widen_a_limit_is_reported_with_file_line_and_remedy() -> None:
    at = ".thoughtforge/roles/test_engineer.yaml"
    gone = "so an override cannot remove it from the list; add it again"
    assert refused(with_project(test_engineer=WIDER), "test_engineer") == (
        f"{at}:4: capabilities.tools.allowed[1]: move_file is forbidden below; a tool is either allowed or forbidden",
        f"{at}:5: capabilities.tools.forbidden: the built-in role forbids delete_file, {gone}",
        f"{at}:5: capabilities.tools.forbidden: the built-in role forbids commit, {gone}",
        f"{at}:4: capabilities.tools.allowed[1]: the built-in role forbids move_file, "
        "so an override cannot allow it; remove it",
        f"{at}:7: capabilities.tools.path_constraints.create_file: "
        'the built-in limit is "tests/**"; keep it whole, and add only parts that begin with "!"',
        f"{at}:9: capabilities.output.contract: an override cannot change the output contract; put test_suite back",
        f"{at}:11: capabilities.output.must_verify.all_tests_fail: "
        "an override cannot lower a check; all_tests_fail must be at least true",
        f"{at}:12: capabilities.output.must_verify.requirement_coverage: "
        "an override cannot lower a check; requirement_coverage must be at least 100%",
    )


@pytest.mark.parametrize("limit", ['"src/**"', '""', '"tests/unit/**"', "null", '"!src/**"'])
def test_a_path_limit_that_does_not_repeat_the_built_in_one_is_refused(limit: str) -> None:
    text = f"extends: test_engineer\ncapabilities: {{tools: {{path_constraints: {{create_file: {limit}}}}}}}\n"
    details = refused(with_project(test_engineer=text), "test_engineer")
    assert any('the built-in limit is "tests/**"' in detail for detail in details)


def test_a_file_without_extends_over_a_built_in_role_has_the_same_limits() -> None:
    whole = BUILT_IN.find("roles", "software_developer").text
    loose = whole.replace('edit_file: "!tests/**"', 'edit_file: "**"').replace("      no_regressions: true\n", "")
    lines = loose.splitlines()
    first, second = lines.index('      edit_file: "**"') + 1, lines.index("    must_verify:") + 1
    assert refused(with_project(software_developer=loose), "software_developer") == (
        f".thoughtforge/roles/software_developer.yaml:{first}: capabilities.tools.path_constraints.edit_file: "
        'the built-in limit is "!tests/**"; keep it whole, and add only parts that begin with "!"',
        f".thoughtforge/roles/software_developer.yaml:{second}: capabilities.output.must_verify.no_regressions: "
        "an override cannot drop the check no_regressions; put true back",
    )


def test_a_check_may_be_raised_and_written_as_a_list() -> None:
    text = "extends: test_engineer\ncapabilities: {output: {must_verify: [requirement_coverage: 100]}}\n"
    role = load_role(with_project(test_engineer=text), "test_engineer", known=KNOWN)
    assert role.must_verify == {"all_tests_fail": True, "requirement_coverage": 100}


def test_a_new_role_can_extend_a_built_in_one_under_its_own_name_within_its_limits() -> None:
    text = "extends: thoughtforge:test_engineer\nagent: {role: api_tester}\n"
    role = load_role(with_project(api_tester=text), "api_tester", known=KNOWN)
    assert (role.name, role.output_contract) == ("api_tester", "test_suite")
    wide = text + "capabilities: {tools: {allowed: [move_file], forbidden: []}}\n"
    assert any("an override cannot allow it" in line for line in refused(with_project(api_tester=wide), "api_tester"))


def test_a_role_must_bear_the_name_of_its_file() -> None:
    text = "extends: thoughtforge:test_engineer\n"
    assert refused(with_project(api_tester=text), "api_tester") == (
        "library/roles/test_engineer.yaml:2: agent.role: must be api_tester, the name of the file",
    )


def test_extending_nothing_known_or_oneself_in_a_circle_is_refused() -> None:
    names = ", ".join(sorted([*TABLE, "x"]))
    assert refused(with_project(x="\nextends: nobody\n"), "x") == (
        f'.thoughtforge/roles/x.yaml:2: extends: names "nobody", which does not exist; name one of {names}',
    )
    assert refused(with_project(x="extends: 5\n"), "x") == (
        f".thoughtforge/roles/x.yaml:1: extends: must be text; name one of {names}",
    )
    assert refused(with_project(x="extends: y\n", y="extends: x\n"), "x") == (
        ".thoughtforge/roles/y.yaml:1: extends: is a file that extends this one; let it name a built-in role",
    )


def test_the_problems_of_all_files_are_reported_together() -> None:
    catalog = with_project(a="- not\n- a mapping\n", b="agent: [unclosed\n", c="extends: nobody\n")
    with pytest.raises(UserError) as caught:
        load_roles(catalog, known=KNOWN)
    places = [detail.split(": ")[0] for detail in caught.value.details]
    assert sorted({place.split(":")[0] for place in places}) == [f".thoughtforge/roles/{n}.yaml" for n in "abc"]


def test_a_relation_only_one_side_knows_is_reported_on_the_side_that_claims_it() -> None:
    roles = load_roles(BUILT_IN, known=KNOWN)
    roles["business_analyst"] = roles["business_analyst"].model_copy(update={"receives_from": ("nobody",)})
    roles["security_architect"] = roles["security_architect"].model_copy(update={"reviews": ("senior_developer",)})
    assert validate_set(roles) == (
        Problem(
            where="library/roles/business_analyst.yaml: orchestration.receives_from",
            what="there is no role nobody; remove it or add its file",
            rule="roles",
        ),
        Problem(
            where="library/roles/requirements_analyst.yaml: orchestration.hands_off_to",
            what="names business_analyst, whose receives_from does not name requirements_analyst; "
            "add it in library/roles/business_analyst.yaml",
            rule="symmetric",
        ),
        Problem(
            where="library/roles/software_architect.yaml: orchestration.reviewed_by",
            what="names security_architect, whose reviews does not name software_architect; "
            "add it in library/roles/security_architect.yaml",
            rule="symmetric",
        ),
    )


def test_an_override_that_breaks_a_hand_over_makes_the_set_refused() -> None:
    catalog = with_project(test_engineer="extends: test_engineer\norchestration: {hands_off_to: []}\n")
    with pytest.raises(UserError) as caught:
        load_roles(catalog, known=KNOWN)
    assert caught.value.details == (
        "library/roles/software_developer.yaml: orchestration.receives_from: names test_engineer, whose hands_off_to "
        "does not name software_developer; add it in .thoughtforge/roles/test_engineer.yaml + "
        "library/roles/test_engineer.yaml",
    )


def test_a_project_cannot_loosen_the_contract_its_roles_are_judged_by() -> None:
    loose = "contract: agent_definition\nversion: '1.0'\ndescription: anything\nschema: {agent: {type: object}}\n"
    catalog = Catalog(project={"contracts/agent_definition.yaml": loose, "roles/x.yaml": "agent: {}\n"}, user=None)
    assert ".thoughtforge/roles/x.yaml:1: identity: is missing" in refused(catalog, "x")
