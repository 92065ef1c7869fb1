"""A profile over a history: whole rulings, and what holds for every history there can be."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histories import counts, finding, listed, read, totals
from thoughtforge.polish.evaluate import GuardRuling
from thoughtforge.polish.guards import evaluate, judge
from thoughtforge.polish.profile import Profile, Watch, bind, built_in
from thoughtforge.settings.config import Polish

BOTH = ("default", "classic")
STAYS = "The backup is never restored in a drill"


def ruling(data: dict[str, Any], profile: str = "default", **settings: Any) -> GuardRuling:
    return evaluate(data, profile, Polish(**settings))


def short(data: dict[str, Any], profile: str = "default", **settings: Any) -> tuple[str, str | None, int]:
    ruled = ruling(data, profile, **settings)
    return (ruled.outcome, ruled.guard, ruled.iteration)


def test_the_whole_ruling_and_its_five_fields() -> None:
    ruled = ruling(counts((0, 9, 9), (0, 9, 10), (0, 2, 1), (9, 9, 9)))
    told = (
        "The thresholds are met: 0 critical, 2 medium, 1 minor (at most 0, 3 and 5). "
        "Open: 0 critical, 2 medium, 1 minor."
    )
    assert ruled == GuardRuling("done", "termination", told, 3, ("fix_regression",))
    assert ruled.as_json() == {
        "outcome": "done",
        "guard": "termination",
        "explanation": told,
        "iteration": 3,
        "warnings": ["fix_regression"],
    }


def test_it_goes_on_when_no_guard_ends_it() -> None:
    told = "After 2 reviews: 1 critical, 3 medium, 4 minor. It goes on."
    assert ruling(counts((2, 3, 4), (1, 3, 4))) == GuardRuling("continue", None, told, 2)
    assert ruling({"iterations": []}) == GuardRuling("continue", None, "There is no review yet.", 0)


@pytest.mark.parametrize("profile", BOTH)
def test_the_first_prefix_that_ends_is_the_answer(profile: str) -> None:
    met = counts((0, 9, 9), (0, 1, 1), (9, 9, 9), (9, 9, 9))
    assert short(met, profile) == ("done", "termination", 2)


@pytest.mark.parametrize(
    ("data", "ended"),
    [
        (totals(9, 10, 11), ("halt", "fix_regression", 3)),
        (totals(20, 15, 10, 13), ("halt", "hallucination", 4)),
        (counts((0, 4, 9), (0, 4, 9), (0, 5, 8), (0, 6, 7)), ("continue", None, 4)),
        (counts((0, 4, 9), (0, 4, 9), (0, 4, 9), (0, 7, 6)), ("halt", "fabrication", 4)),
        (totals(9, 9, 9, 9), ("continue", None, 4)),
        (totals(*[9] * 60), ("halt", "max_iterations", 50)),
        (totals(9, 5), ("done", "termination", 2)),
        (counts((0, 0, 0)), ("done", "termination", 1)),
        (counts((1, 0, 0), (0, 1, 0)), ("done", "termination", 2)),
    ],
)
def test_classic(data: dict[str, Any], ended: tuple[str, str | None, int]) -> None:
    assert short(data, "classic") == ended


def test_in_classic_two_rises_halt_before_the_thresholds_are_looked_at() -> None:
    assert short(totals(3, 4, 5), "classic")[:2] == ("done", "termination")
    assert short(totals(6, 7, 8, 1), "classic") == ("halt", "fix_regression", 3)
    assert short(counts((0, 4, 0), (0, 5, 0), (0, 3, 3)), "classic") == ("halt", "fix_regression", 3)


def rotation(*severities: str) -> dict[str, Any]:
    words = (letter * 12 for letter in "abcdefghijklmnopqrstuvwxyz")
    return listed(*([finding(severity, next(words)) for severity in severities] for _ in range(3)))


def test_stagnation_is_done_and_with_an_open_critical_a_halt() -> None:
    assert short(rotation(*["medium"] * 4), "classic") == ("done", "stagnation", 3)
    halted = ruling(rotation("critical", *["medium"] * 4), "classic")
    assert (halted.outcome, halted.guard) == ("halt", "stagnation")
    assert halted.explanation.endswith("The loop halts; the deliverable is not done: 1 critical open.")


@pytest.mark.parametrize(
    ("data", "ended"),
    [
        (counts((1, 0, 0), (0, 1, 0)), ("continue", None, 2)),
        (counts((1, 0, 0), (0, 1, 0), (0, 1, 0)), ("done", "termination", 3)),
        (counts((0, 0, 0)), ("continue", None, 1)),
        (counts((0, 0, 0), (0, 0, 0)), ("done", "termination", 2)),
        (totals(9, 10, 11), ("continue", None, 3)),
        (totals(20, 15, 10, 13), ("continue", None, 4)),
        (counts(*[(0, 5, 0)] * 9), ("done", "plateau", 5)),
        (counts(*[(1, 5, 0)] * 9), ("halt", "plateau", 5)),
        (counts((0, 4, 0), *[(0, 12, 0)] * 4), ("halt", "plateau", 5)),
        (counts(*[(0, 9, 9)] * 3, hash=list("aba")), ("done", "oscillation", 3)),
        (counts(*[(1, 9, 9)] * 3, hash=list("aba")), ("halt", "oscillation", 3)),
        (counts((0, 9, 9), (0, 9, 9), size=[10, 21]), ("done", "growth", 2)),
        (counts((0, 9, 9), (1, 9, 9), size=[10, 21]), ("halt", "growth", 2)),
        (counts((0, 9, 9), (0, 8, 9), spent=[0.5, 1.0]), ("halt", "budget", 2)),
        (counts(*((0, 60 - number, 0) for number in range(55))), ("halt", "max_iterations", 50)),
    ],
)
def test_default(data: dict[str, Any], ended: tuple[str, str | None, int]) -> None:
    assert short(data) == ended


def test_survivors_halt_and_are_listed_while_the_rest_still_falls() -> None:
    rest = ["budget", "garden", "music", "rain", "chairs", "cake", "permit", "parking", "flowers", "band"]
    rows = [[finding("medium", STAYS), *(finding("medium", word) for word in rest[: 9 - n])] for n in range(5)]
    ruled = ruling(listed(*rows))
    assert (ruled.outcome, ruled.guard, ruled.iteration) == ("halt", "survivor", 5)
    assert STAYS in ruled.explanation


def test_a_plateau_lists_what_is_open() -> None:
    rows = [[finding("medium", word, "Budget") for word in "abcd"]] * 5
    ruled = ruling(listed(*rows))
    assert (ruled.outcome, ruled.guard) == ("done", "plateau")
    assert ruled.explanation.endswith(
        "Open: F-001 medium: a (Budget); F-002 medium: b (Budget); F-003 medium: c (Budget); F-004 medium: d (Budget)."
    )


def phantoms(severity: str) -> dict[str, Any]:
    gone = [finding(severity, f"{letter * 9}", "gone.py", exists=False) for letter in "abcdef"]
    here = [finding("medium", f"{letter * 9}", "here.py") for letter in "ghij"]
    return listed([*gone, *here], [*gone, *here])


def test_phantoms_end_as_a_plateau_and_a_critical_one_halts() -> None:
    ruled = ruling(phantoms("medium"))
    assert (ruled.outcome, ruled.guard, ruled.iteration) == ("done", "phantom", 2)
    assert "Set aside: F-" in ruled.explanation
    assert short(phantoms("critical")) == ("halt", "phantom", 2)


def test_classic_sets_nothing_aside() -> None:
    data = listed([finding("medium", f"{letter * 9}", exists=letter > "b") for letter in "abcdef"])
    assert short(data, "classic") == ("continue", None, 1)


def test_default_only_warns_where_classic_halts() -> None:
    assert ruling(totals(20, 21, 22)).warnings == ("fix_regression",)
    assert ruling(totals(20, 15, 10, 13)).warnings == ("fix_regression", "hallucination")
    assert ruling(counts((0, 4, 9), (0, 4, 9), (0, 4, 9), (0, 7, 6))).warnings == ("fabrication",)


def test_failing_tests_are_never_done() -> None:
    failing = [False] * 60
    assert short(counts(*[(0, 0, 1)] * 60, tests_passed=failing), "classic") == ("halt", "max_iterations", 50)
    assert short(counts(*[(0, 0, 1)] * 60, tests_passed=failing)) == ("halt", "max_iterations", 50)


def test_the_configuration_counts() -> None:
    assert short(totals(*[9] * 9), "classic", max_iterations=4) == ("halt", "max_iterations", 4)
    assert short(counts((0, 4, 6)), medium_max=4, minor_max=6) == ("done", "termination", 1)
    assert short(counts(*[(0, 5, 0)] * 9), patience=2) == ("done", "plateau", 3)


def test_a_resumed_loop_counts_anew_and_goes_on_numbering() -> None:
    panel = bind(built_in("default"), Polish(max_iterations=5))
    data = counts(*((0, 30 - number, 0) for number in range(10)), hash=[*"abcdefgh", "i", "g"])
    history = read(data)
    assert judge(history.until(5), panel)[:2] == ("halt", "max_iterations")
    assert judge(history.until(6), panel)[:2] == ("halt", "max_iterations")
    resumed = history.since(5)
    assert judge(resumed.until(9), panel)[:4:3] == ("continue", 9)
    halted = judge(resumed, bind(built_in("default"), Polish()))
    assert (halted.guard, halted.iteration, halted.explanation.partition(".")[0]) == (
        "oscillation",
        10,
        "The deliverable is again what it was 3 reviews ago, in iteration 7",
    )


def test_the_newest_review_alone_is_judged_by_the_same_guards() -> None:
    history, panel = read(counts((0, 1, 0), (0, 9, 9))), bind(built_in("classic"), Polish())
    assert judge(history, panel).outcome == "continue"
    assert judge(history.until(1), panel) == evaluate(history, "classic", Polish())


FINDING = st.builds(
    finding,
    st.sampled_from(["critical", "medium", "minor"]),
    st.sampled_from(["no budget", "no budget at all", "rain", "no music", "too late", "a comma", STAYS]),
    st.sampled_from(["", "Budget", "a.py:1"]),
    exists=st.booleans(),
)
FIELDS = {
    "size": st.integers(0, 50),
    "hash": st.sampled_from("abc"),
    "full": st.booleans(),
    "tests_passed": st.booleans(),
}
COUNT = st.integers(0, 8)
ROW = st.fixed_dictionaries(
    {"critical": st.sampled_from([0, 0, 0, 1, 3]), "medium": COUNT, "minor": COUNT}, optional=FIELDS
)
ITEMS = st.fixed_dictionaries({"findings": st.lists(FINDING, max_size=5)}, optional=FIELDS)
HISTORIES = st.lists(st.one_of(ROW, ITEMS), min_size=1, max_size=12).map(lambda rows: {"iterations": rows})
RECKLESS = Profile(
    "reckless",
    "Calls everything done.",
    set_aside=True,
    watches=(
        Watch("plateau", "done", {"patience": 1, "near": 1000}),
        Watch("stagnation", "done", {"limit": 2, "matched": 100}),
        Watch("oscillation", "done", {"longest": 9}),
        Watch("growth", "done", {"limit": 1.0}),
        Watch("phantom", "done", {"percent": 0, "running": 1}),
        Watch("max_iterations", "halt", {"limit": "polish.max_iterations"}),
    ),
)
PROFILES = st.sampled_from([built_in("default"), built_in("classic"), RECKLESS])


def has_critical(row: dict[str, Any]) -> bool:
    return bool(row.get("critical")) or any(one["severity"] == "critical" for one in row.get("findings", []))


@given(HISTORIES, PROFILES)
def test_it_is_never_done_with_an_open_critical_or_failing_tests(data: dict[str, Any], profile: Profile) -> None:
    ruled = evaluate(data, profile, Polish())
    if ruled.outcome == "done":
        row = data["iterations"][ruled.iteration - 1]
        assert not has_critical(row)
        assert row.get("tests_passed", True)


@given(HISTORIES, PROFILES, st.randoms(use_true_random=False))
def test_the_order_of_findings_changes_nothing(data: dict[str, Any], profile: Profile, chance: Random) -> None:
    shuffled = [
        {**row, "findings": chance.sample(row["findings"], len(row["findings"]))} if "findings" in row else row
        for row in data["iterations"]
    ]
    assert evaluate({"iterations": shuffled}, profile, Polish()) == evaluate(data, profile, Polish())


@given(HISTORIES, PROFILES, st.integers(1, 14))
def test_repeating_the_last_review_for_ever_ends(data: dict[str, Any], profile: Profile, most: int) -> None:
    rows = data["iterations"]
    ruled = evaluate({"iterations": rows + rows[-1:] * most}, profile, Polish(max_iterations=most))
    assert ruled.outcome in ("done", "halt")
    assert ruled.iteration <= most


@given(HISTORIES, PROFILES)
def test_what_comes_later_changes_no_earlier_ruling(data: dict[str, Any], profile: Profile) -> None:
    whole = evaluate(data, profile, Polish())
    until = {"iterations": data["iterations"][: whole.iteration]}
    assert evaluate(until, profile, Polish()) == whole
