"""Whether a corrected plan is still the same plan."""

import pytest

from thoughtforge.deliverables.plan.structure import fix_problems

TABLE = "| Objective | Plan | Assessment |\n|---|---|---|\n| a | b | c |\n"
_insert = "Objective in row 1 below 'Beds' holds a placeholder (<insert aim>)"
_dots = "Plan in row 2 below 'Beds' holds a placeholder (...)"
PLAN = f"# Garden\n\n## Beds\n\n{TABLE}\n## Pond\n\n{TABLE}"


@pytest.mark.parametrize(
    "after",
    [
        PLAN,
        PLAN.replace("| a |", "| a better objective \\| really |"),
        PLAN + "\n### More\n\ntext\n",
        PLAN.replace("|---|---|---|", "| :--- | :-: | ---: |"),
        PLAN.replace("| a | b | c |\n", "| a | b | c |\n| d | e | f |\n"),
        PLAN + "\n```\n| not | a table\n# not a heading\n```\n",
        PLAN.replace("| b |", "| A todo list for the pond |"),
        PLAN.replace("## Pond", "## Pond ##"),
    ],
)
def test_a_plan_that_may_replace_the_old_one(after: str) -> None:
    assert fix_problems(PLAN, after) == ()


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("", ("the corrected document is empty",)),
        (" \n", ("the corrected document is empty",)),
        (
            PLAN.replace("## Pond", "## Lake"),
            (
                "the heading 'Pond' is gone",
                "the heading 'Lake' is new",
                _gone := "the table | Objective | Plan | Assessment | below 'Pond' is gone",
            ),
        ),
        (f"# Garden\n\n## Pond\n\n{TABLE}\n## Beds\n\n{TABLE}", ("the headings are in another order",)),
        (PLAN.replace("| a | b | c |", "| a | b | c | d |", 1), ("row 1 below 'Beds' has 4 cells instead of 3",)),
        (PLAN.replace("| a | b | c |", "| a | b", 1), ("row 1 below 'Beds' has 2 cells instead of 3",)),
        (PLAN.replace("|---|---|---|\n", "", 1), ("the table below 'Beds' has no line of dashes under its header",)),
        (PLAN.replace("| a | b | c |\n", "", 1), ("the table below 'Beds' has no row",)),
        (PLAN.replace("## Pond", "###### Pond"), ("the heading 'Pond' has level 6 instead of 2", _gone)),
        (PLAN.replace("| b |", "| |", 1), ("Plan in row 1 below 'Beds' is empty now",)),
        (PLAN.replace("| c |", "| Dig (TODO) |", 1), ("Assessment in row 1 below 'Beds' holds a placeholder (TODO)",)),
        (PLAN.replace("| a |", "| &lt;insert aim> |", 1), (_insert,)),
        (PLAN.replace("| a | b | c |\n", "| a | b | c |\n| d | ... | f |\n", 1), (_dots,)),
        (PLAN[: PLAN.rindex("| Objective")] + "gone, all of it, and prose in its place instead\n" * 2, (_gone,)),
        (
            f"```\n{PLAN}",
            tuple(f"the heading {name!r} is gone" for name in ("Garden", "Beds", "Pond"))
            + tuple(f"the table | Objective | Plan | Assessment | below {name!r} is gone" for name in ("Beds", "Pond")),
        ),
    ],
)
def test_why_a_plan_is_refused(after: str, expected: tuple[str, ...]) -> None:
    assert fix_problems(PLAN, after) == expected


def test_half_the_length_is_enough_and_less_is_not() -> None:
    before = "# Garden\n\n" + "x" * 90
    assert fix_problems(before, "# Garden\n\n" + "y" * 40) == ()
    assert fix_problems(before, "# Garden\n\n" + "y" * 39) == (
        "the corrected document has 49 characters, fewer than half of 100",
    )


def test_a_cell_that_was_open_before_may_stay_open() -> None:
    before = PLAN.replace("| b |", "| not said yet |").replace("| c |", "| |")
    assert fix_problems(before, before.replace("| a |", "| a deeper bed |")) == ()


def test_a_heading_within_a_section_may_change_but_not_become_a_section() -> None:
    before = "# Garden\n\n## Beds\n\nroses and herbs\n\n### Beds\n\nherbs\n"
    assert fix_problems(before, before.replace("### Beds", "### Borders")) == ()
    assert fix_problems(before, before.replace("### Beds", "## Beds")) == ("the heading 'Beds' is new",)


COSTS = "\n| Item | Euro |\n|---|---|\n| Pots | 20 |\n"
TASKS = "\n| What | Who | By when | Depends on |\n|---|---|---|---|\n| Dig | Ann | May | – |\n"
_tasks = "the table | What | Who | By when | Depends on | below 'Pond' is gone"
_tbd = "a line below 'Pond' holds a placeholder (TBD)"


@pytest.mark.parametrize(
    ("more", "after", "expected"),
    [
        (COSTS, COSTS.replace("20", "25"), ()),
        (COSTS, COSTS.replace("| Item | Euro |", "| Thing | Cost |"), ()),
        (COSTS, "\nPots cost 20 Euro.\n", ("the table | Item | Euro | below 'Pond' is gone",)),
        (TASKS, TASKS.replace("| Dig | Ann |", "| Dig deep | Bo |"), ()),
        (TASKS, TASKS.replace("By when", "When"), (_tasks,)),
        (TASKS, "\nAnn digs.\n", (_tasks,)),
        (TASKS, TASKS.replace("| May |", "| TBD |"), (_tbd,)),
        (TASKS, f"{TASKS}\nWho waters: TBD\n", (_tbd,)),
        (f"{TASKS}\nWho waters: TBD\n", f"{TASKS}\nWho waters: TBD\n", ()),
    ],
)
def test_what_stands_below_a_frame(more: str, after: str, expected: tuple[str, ...]) -> None:
    assert fix_problems(PLAN + more, PLAN + after) == expected
