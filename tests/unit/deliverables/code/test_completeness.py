"""Which document among the resources is a plan to build from."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.thoughts import plan_text
from thoughtforge.deliverables.code.composing import find_plan

HEADED = "# Tool\n\n## Aim\n\n## Scope\n\n## Steps\n"


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("plan.md", plan_text(), True),
        ("PLAN.MD", plan_text(), True),
        ("sub/deep/plan.md", plan_text(), True),
        ("headed.Md", HEADED, True),
        ("note.md", "# A lone note\n\n## Aim\n\nBuy pots.\n", False),
        ("plan.txt", plan_text(), False),
        (".hidden/plan.md", plan_text(), False),
    ],
)
def test_a_plan_is_found_wherever_it_lies(tmp_path: Path, path: str, text: str, found: bool) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(text)
    assert find_plan(tmp_path) == (tmp_path / path if found else None)


def test_the_first_by_name_counts_and_no_link_leads_out(tmp_path: Path) -> None:
    folder, outside = tmp_path / "resources", tmp_path / "outside.md"
    (folder / "b").mkdir(parents=True)
    outside.write_text(plan_text())
    (folder / "a.md").symlink_to(outside)
    (folder / "a_broken.md").symlink_to(tmp_path / "gone.md")
    for name in ("c.md", "b/z.md"):
        (folder / name).write_text(plan_text())
    assert find_plan(folder) == folder / "b" / "z.md"


def test_a_folder_that_is_not_there_holds_none(tmp_path: Path) -> None:
    assert find_plan(tmp_path / "resources") is None
