"""A verdict is told by category; what is broken is never told as clean."""

from thoughtforge.code.inspection import Shares, shares, told
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.gate.findings import Finding, GateVerdict, Outcome


def finding(number: int, category: str, **more: str) -> Finding:
    facts = {"severity": "major", "path": "a.py", "hint": "Do it.", "check": "a-check", **more}
    return Finding(id=f"V-{number:012}", category=category, line=number, message="wrong", rule="", **facts)  # type: ignore[arg-type]


def verdict(new: list[Finding], existing: list[Finding] = [], broken: list[Outcome] = []) -> Shares:  # noqa: B006
    return Shares(GateVerdict((), tuple(new), tuple(existing), tuple(broken), "", 0.0), ())


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
    many = [
        finding(number, "style", path="" if number == 1 else "a.py", hint="", check=f"check-{number}")
        for number in range(1, 26)
    ]
    lines = told(verdict(many), ["a.py"], what="conformance", categories=("style",)).output.splitlines()
    assert lines[1] == "- V-000000000001 major the repository check-1: wrong"
    assert (len(lines), lines[-1]) == (22, "and 5 more; correct these first")


def test_equal_findings_are_one_line_with_the_first_places_and_the_number_of_the_others():
    lines = told(verdict([finding(n, "types") for n in range(1, 7)]), ["a.py"], what="types", categories=("types",))
    assert lines.output.splitlines() == [
        "types: 6 new findings in 1 file, 0 there before",
        "- V-000000000001 major a.py:1, a.py:2, a.py:3 and 3 more places a-check: wrong → Do it.",
    ]


def test_a_finding_in_a_test_that_stays_as_it_is_is_told_and_does_not_count():
    mine, test = finding(1, "types"), finding(2, "types", path="tests/test_a.py")
    context = ToolContext(None, given=lambda one: one.path.startswith("tests/"))  # type: ignore[arg-type]
    share = shares(verdict([mine, test]).verdict, context)
    assert (share.verdict.new, share.given) == ((mine,), (test,))
    assert told(share, ["a.py"], what="types", categories=("types",)).summary == (
        "types: 1 new finding in 1 file, 0 there before; 1 in files you leave as they are do not count"
    )


def test_what_a_given_test_file_had_before_is_not_told_again_when_there_is_one_more_of_it():
    before, more = finding(1, "types", path="test_a.py"), finding(2, "types", path="test_a.py")
    other, mine = finding(3, "types", path="test_a.py", check="b-check"), finding(4, "types")
    whole = GateVerdict((), (more, other, mine), (before,), (), "", 0.0)
    share = shares(whole, ToolContext(tree=None, given=lambda one: one.path == "test_a.py"))  # type: ignore[arg-type]
    assert (share.verdict.new, share.given) == ((mine,), (other,))
