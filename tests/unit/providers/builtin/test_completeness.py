"""A plan is complete when every section of it says something."""

import pytest

from thoughtforge.providers.builtin.completeness import completeness


def plan(*cells: str, header: str = "| Objective | Plan | Assessment |") -> str:
    return f"# Garden\n\n## Beds\n\n{header}\n|---|---|---|\n| {' | '.join(cells)} |\n"


NO_TABLE = "The document has no table of Objective, Plan and Assessment."


@pytest.mark.parametrize(
    ("document", "reasons"),
    [
        (plan("a", r"b \| c", "d"), []),
        (plan("a", "", "c"), ["Beds: Plan is empty."]),
        (plan("a", "b", "not said yet"), ["Beds: Assessment: not said yet."]),
        (plan("TBD", "b", "c"), ["Beds: Objective holds a placeholder."]),
        (plan("a", "b"), ["Beds: The table lacks a column."]),
        (plan("a", "not said yet", ""), ["Beds: Plan: not said yet.", "Beds: Assessment is empty."]),
        (
            plan("a", "b", "c") + "\n## Pond\n\ntext\n",
            ["Pond: The section has no table of Objective, Plan and Assessment."],
        ),
        ("## Beds\n\ntext\n", [NO_TABLE]),
        ("# Shopping\n\n- milk\n", [NO_TABLE]),
        ("", [NO_TABLE]),
    ],
)
def test_an_incomplete_plan_says_why(document: str, reasons: list[str]) -> None:
    assert completeness(document) == {"pass": not reasons, "reasons": reasons}
