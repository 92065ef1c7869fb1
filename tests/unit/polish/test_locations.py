"""Whether a place exists."""

from __future__ import annotations

import pytest

from thoughtforge.polish.finding import ReviewFinding
from thoughtforge.polish.locations import files_named, headings, in_code, in_plan, marked

LINES = {"src/till.py": 40, "README.md": 3, "src/empty.py": 0}
PLAN = """# Garden

## 1. Budget and *costs*
```
## Not a heading
```
### Who does what ##
~~~md
# Nor this
```
# nor that
~~~
## Öffnung
"""


@pytest.mark.parametrize(
    ("location", "exists"),
    [
        ("src/till.py", True),
        ("src/till.py:40", True),
        ("src/till.py:41", False),
        ("src/till.py:0", False),
        ("./src/till.py:12-15", True),
        ("`src/till.py:12:5`", True),
        ("src/till.py:L7", True),
        ("src/empty.py", True),
        ("src/empty.py:1", False),
        ("src/gone.py:1", False),
        ("src", True),
        ("src/", True),
        ("src:3", False),
        ("till.py", False),
        ("src/gone.py:1, src/till.py:2", True),
        ("", True),
        ("whole project", True),
        ("the login page", False),
    ],
)
def test_a_place_in_code_is_a_file_and_a_line(location: str, exists: bool) -> None:
    assert in_code(LINES)(location) is exists


def test_headings_in_code_fences_are_none() -> None:
    assert list(headings(PLAN)) == ["Garden", "1. Budget and *costs*", "Who does what", "Öffnung"]


@pytest.mark.parametrize(
    ("location", "exists"),
    [
        ("Budget and costs", True),
        ("## 1. Budget and costs", True),
        ("Section 1. Budget and costs, second row", True),
        ("budget", True),
        ("Garden > Who does what", True),
        ("öffnung", True),
        ("", True),
        ("whole document", True),
        ("Not a heading", False),
        ("Budgeting", False),
        ("Risks", False),
        ("and", False),
        ("what", False),
        ("2", False),
        ("Budget, second row", True),
        ("budget_plan", True),
        ("the costs table", True),
        ("budget for a lawyer", False),
    ],
)
def test_a_place_in_a_plan_is_a_heading(location: str, exists: bool) -> None:
    assert in_plan(PLAN)(location) is exists


STEPS = "# Garden\n\n## Aim\n\n## Steps\n\n## Money and means\n\n## Plan for the summer\n"


@pytest.mark.parametrize(
    ("location", "exists"),
    [
        *((form, True) for form in ("Steps", "## Steps", "**Steps**", "Section Steps", "Section: Steps", "3. Steps")),
        *(
            (form, True)
            for form in ("Steps / plan", "Steps: Plan column", "Steps → Plan", "Steps | Plan", "Steps - Plan")
        ),
        *((form, True) for form in ("The Steps section", "under “Steps”", "row 2 of Steps", "Section 3 (Steps)")),
        *(
            (form, True)
            for form in ("Garden / Steps", "Steps: who waters the herbs", "money", "Money and means, row 1")
        ),
        *((form, True) for form in ("Plan for the summer", "summer", "Plan")),
        *((form, False) for form in ("and", "the", "for the", "Steps to hire a lawyer for the lawsuit", "Next steps")),
        *((form, False) for form in ("Stepson", "row 2", "second column", "Objective", "Budget", "Money laundering")),
        *((form, False) for form in ("lawsuit / plan", "Section 9", "The summer of the lawyer")),
    ],
)
def test_a_heading_is_named_in_reasonable_forms_and_not_by_any_word_of_it(location: str, exists: bool) -> None:
    assert in_plan(STEPS)(location) is exists


def test_findings_are_marked_and_none_is_lost() -> None:
    here, gone = ReviewFinding("minor", "x", "README.md:1"), ReviewFinding("critical", "y", "gone.md:1")
    assert marked([here, gone], in_code(LINES)) == (here, gone._replace(exists=False))


def test_the_files_of_a_location_are_named_without_lines() -> None:
    assert files_named("`./src/till.py:4-9`, README.md; src/till.py:1") == ("src/till.py", "README.md")
    assert files_named("") == ()
