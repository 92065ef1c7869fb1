"""A verdict is told by category; what is broken is never told as clean."""

from thoughtforge.code.inspection import told
from thoughtforge.code.tool_context import ToolResult
from thoughtforge.gate.findings import Finding, GateVerdict, Outcome


def finding(number: int, category: str, **more: str) -> Finding:
    facts = {"severity": "major", "path": "a.py", "hint": "Do it.", "check": "a-check", **more}
    return Finding(id=f"V-{number:012}", category=category, line=number, message="wrong", rule="", **facts)  # type: ignore[arg-type]


def verdict(new: list[Finding], existing: list[Finding] = [], broken: list[Outcome] = []) -> GateVerdict:  # noqa: B006
    return GateVerdict((), tuple(new), tuple(existing), tuple(broken), "", 0.0)


def test_findings_of_other_categories_are_left_out():
    given = verdict([finding(1, "types"), finding(2, "style")], [finding(3, "types"), finding(4, "security")])
    assert told(given, ["a.py"], what="types", categories=("types",)) == ToolResult(
        True,
        "types: 1 new finding in 1 file, 1 there before",
        "types: 1 new finding in 1 file, 1 there before\n- V-000000000001 major a.py:1 a-check: wrong → Do it.",
    )


def test_a_broken_check_is_told_as_broken_and_the_answer_is_not_good():
    outcome = Outcome("types", "types", "broken", broken="ty is missing. Install it.")
    result = told(verdict([], broken=[outcome]), ["a.py"], what="types", categories=("types",))
    assert result == ToolResult(
        False,
        "types: 0 new findings in 1 file, 0 there before; broken: types",
        "types: 0 new findings in 1 file, 0 there before; broken: types\n"
        "broken, so it says nothing: types: ty is missing. Install it.",
    )


def test_a_broken_check_of_another_category_does_not_matter():
    outcome = Outcome("types", "types", "broken", broken="ty is missing")
    assert told(verdict([], broken=[outcome]), ["a.py"], what="security", categories=("security",)).ok


def test_a_syntax_error_counts_for_every_category():
    result = told(verdict([finding(1, "syntax")]), ["a.py"], what="security", categories=("security",))
    assert result.output.splitlines()[2] == "nothing else was looked at: put the syntax right first"


def test_many_findings_are_cut_and_one_without_a_file_is_about_the_repository():
    many = [finding(number, "style", path="" if number == 1 else "a.py", hint="") for number in range(1, 26)]
    lines = told(verdict(many), ["a.py"], what="conformance", categories=("style",)).output.splitlines()
    assert lines[1] == "- V-000000000001 major the repository a-check: wrong"
    assert (len(lines), lines[-1]) == (22, "and 5 more; correct these first")
