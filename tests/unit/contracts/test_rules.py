"""Rules in detail; that each has a passing and a failing example is proven by the examples of the library."""

from typing import Any

import pytest

from thoughtforge.contracts.context import NOTHING_GIVEN, ValidationContext
from thoughtforge.contracts.rules import OLDER, RULES
from thoughtforge.contracts.rules_files import path_problem
from thoughtforge.contracts.rules_specification import confidence
from thoughtforge.kernel.model import Problem

REQUEST = "Let readers export\ntheir bookmarks as CSV"


def places(rule: str, artifact: dict[str, Any], given: ValidationContext = NOTHING_GIVEN) -> list[str]:
    return [problem.where for problem in (RULES | OLDER)[rule](artifact, given)]


@pytest.mark.parametrize(
    "path", ["a.py", "src/a b/ü.py", ".github/workflows/ci.yml", ".gitignore", "a..b/c", "-x", "a~"]
)
def test_a_normal_relative_path_has_no_problem(path: str) -> None:
    assert path_problem(path) == ""


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        (" a.py", "has control characters, or white space at its start or end"),
        ("a\x00.py", "has control characters, or white space at its start or end"),
        ("a.py\n", "has control characters, or white space at its start or end"),
        ("a\\b.py", "has a backslash; write / between folders"),
        ("/etc/passwd", "is absolute; give it relative to the repository"),
        ("~/x", "is absolute; give it relative to the repository"),
        ("C:/x", "is absolute; give it relative to the repository"),
        ("../x", "leaves the repository"),
        ("a/../b", "leaves the repository"),
        (".git/config", "is in a git directory"),
        ("sub/.GIT/config", "is in a git directory"),
        ("./a", "is not normalised; leave out empty and . parts"),
        ("a//b", "is not normalised; leave out empty and . parts"),
        ("a/", "is not normalised; leave out empty and . parts"),
        (".", "is not normalised; leave out empty and . parts"),
    ],
)
def test_any_other_path_says_why_it_is_refused(path: str, problem: str) -> None:
    assert path_problem(path) == problem


@pytest.mark.parametrize(
    "trace", ["export their bookmarks", "EXPORT   their\tbookmarks", '"as CSV"', "only titles", "CON-001"]
)
def test_a_requirement_is_traced_by_a_quote_or_a_constraint(trace: str) -> None:
    given = ValidationContext(
        request=REQUEST,
        artifacts={
            "clarification": {"questions": [{"answer": "Only titles, please"}]},
            "analysis": {"constraints": [{"id": "CON-001"}]},
        },
    )
    assert places("requirements_traced", {"requirements": [{"trace": trace}]}, given) == []


@pytest.mark.parametrize("trace", ["", "  ", '""', "as", "import bookmarks", "CON-001", "only titles"])
def test_a_requirement_nobody_asked_for_is_not_traced(trace: str) -> None:
    artifact = {"requirements": [{"trace": trace}]}
    assert places("requirements_traced", artifact, ValidationContext(request=REQUEST)) == ["requirements[0].trace"]


def test_a_trace_cannot_be_judged_without_a_request() -> None:
    assert places("requirements_traced", {"requirements": [{"trace": "anything"}]}) == []


def test_what_is_unknown_is_not_judged() -> None:
    artifact = {
        "files_to_modify": ["a.py"],
        "files_to_create": ["b.py"],
        "interfaces": [{"contract_ref": "x"}],
        "original_request": "x",
        "questions": [{"question": "x"}],
        "capabilities": {"tools": {"allowed": ["fly"]}, "output": {"contract": "x", "must_verify": {"x": True}}},
        "orchestration": {"receives_from": ["x"]},
        "stages": [{"role": "x", "output_contract": "x", "reviewers": ["x"]}],
        "spec_ref": "x",
    }
    unknown = [
        *("modified_files_exist", "created_files_are_new", "interfaces_resolve", "request_verbatim"),
        *("ambiguities_answered", "allowed_tools_known", "output_contract_known", "promises_measured"),
        *("named_roles_known", "stage_contracts_known", "stage_roles_known", "specification_referred"),
    ]
    assert {rule: places(rule, artifact) for rule in unknown} == {rule: [] for rule in unknown}


def test_a_known_empty_repository_is_not_an_unknown_one() -> None:
    assert places("modified_files_exist", {"files_to_modify": ["a.py"]}, ValidationContext(paths=frozenset())) == [
        "files_to_modify[0]"
    ]


@pytest.mark.parametrize("reference", ["#REQ-001", "specification", "src/a.py", "src/new.py", "src/a.py#row"])
def test_an_interface_may_refer_to_a_contract_a_file_or_a_requirement(reference: str) -> None:
    artifact = {
        "requirements": [{"id": "REQ-001"}],
        "files_to_create": ["src/new.py"],
        "interfaces": [{"contract_ref": reference}],
    }
    given = ValidationContext(paths=frozenset({"src/a.py"}), contracts=frozenset({"specification"}))
    assert places("interfaces_resolve", artifact, given) == []


def test_a_circle_is_shown_with_its_members() -> None:
    artifact = {"spec_id": "S", "dependencies": {"tasks": [{"id": "b", "depends_on": ["S"]}, {"id": "a"}]}}
    assert list(RULES["dependencies_acyclic"](artifact, NOTHING_GIVEN)) == [
        Problem(where="dependencies", what="form a cycle: S → b → S")
    ]


@pytest.mark.parametrize(("value", "read"), [(0, 0.0), (1, 1.0), (0.5, 0.5), (True, -1.0), ("1", -1.0), (2, -1.0)])
def test_only_a_number_from_0_to_1_is_a_confidence(value: Any, read: float) -> None:
    assert confidence({"confidence": value}) == read
    assert confidence({"confidence": float("nan")}) == -1.0


def test_problems_list_the_names_that_exist() -> None:
    artifact = {"capabilities": {"tools": {"allowed": ["fly"]}}}
    assert list(RULES["allowed_tools_known"](artifact, ValidationContext(tools=frozenset({"walk", "read"})))) == [
        Problem(where="capabilities.tools.allowed[0]", what="'fly' is unknown; the tools are read, walk")
    ]


def test_an_older_rule_looks_at_written_and_removed_paths() -> None:
    artifact = {"files": [{"path": "../a.py"}, {"path": "b.py"}], "removed": ["/c.py"]}
    assert places("written_paths_inside", artifact) == ["files[0].path", "removed[0]"]
