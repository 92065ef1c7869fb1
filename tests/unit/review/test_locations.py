"""Whether a place exists."""

from __future__ import annotations

import pytest

from thoughtforge.review.finding import Finding
from thoughtforge.review.locations import files_named, headings, in_code, in_plan, marked

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
    ],
)
def test_a_place_in_a_plan_is_a_heading(location: str, exists: bool) -> None:
    assert in_plan(PLAN)(location) is exists


def test_findings_are_marked_and_none_is_lost() -> None:
    here, gone = Finding("minor", "x", "README.md:1"), Finding("critical", "y", "gone.md:1")
    assert marked([here, gone], in_code(LINES)) == (here, gone._replace(exists=False))


def test_the_files_of_a_location_are_named_without_lines() -> None:
    assert files_named("`./src/till.py:4-9`, README.md; src/till.py:1") == ("src/till.py", "README.md")
    assert files_named("") == ()
