"""Which lines of its files the agent of a phase is shown."""

from __future__ import annotations

from thoughtforge.coding.at_hand import QuotedLine, rendered
from thoughtforge.forge.findings import AuditFinding
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.stages.phases_material import concerned, named_places, places_of_names, quoted

LONG = [*(f"import module_{number}" for number in range(1, 121)), "", "", "def widest(numbers):", "    return 0"]
TEXTS = {"tally/count.py": LONG, "docs/manual.md": ["# Tally", "", "It tells `widest` of all."]}


def test_names_between_back_ticks_are_quoted_where_they_are_defined_and_else_where_they_are_used() -> None:
    spec = "- `tally/count.py` — `widest(numbers) -> int` gives 0; nothing about module_7."
    assert places_of_names(TEXTS, spec) == [QuotedLine("tally/count.py", 123), QuotedLine("docs/manual.md", 3)]


def test_a_finding_is_quoted_where_it_says() -> None:
    found = [
        AuditFinding("blocking", "It raises.", "tally/count.py:124"),
        AuditFinding("blocking", "Unclear.", "docs/manual.md, line 99"),
        AuditFinding("blocking", "No number.", "tally/count.py"),
    ]
    assert named_places(TEXTS, found) == [QuotedLine("tally/count.py", 124), QuotedLine("docs/manual.md", 3)]


def test_the_beginning_of_a_long_file_is_shown_only_when_nothing_else_of_it_is_wanted() -> None:
    text = rendered(TEXTS, quoted(TEXTS, [QuotedLine("tally/count.py", 123)], room=300))
    assert "def widest" in text
    assert "It tells" in text
    assert "module_1\n" not in text
    assert "import module_1\n" in rendered(TEXTS, quoted(TEXTS, [], room=300))


def test_a_file_that_fits_is_shown_whole() -> None:
    shown = quoted(TEXTS, [QuotedLine("tally/count.py", 123)], room=2_500)
    assert len(shown) == len(LONG) + 3


COUNT = """\
diff --git a/tally/count.py b/tally/count.py
--- a/tally/count.py
+++ b/tally/count.py
@@ -1 +1,2 @@
 import math
+def keep_case(text): ...
"""
MANUAL = """\
diff --git a/docs/manual.md b/docs/manual.md
--- a/docs/manual.md
+++ b/docs/manual.md
@@ -1 +1 @@
-It tells.
+It tells all.
"""


def test_a_phase_sees_of_earlier_ones_what_its_change_spec_names() -> None:
    spec = "- `tests/test_case.py` — Prove keep_case for words."
    phase = PlanPhase("phase-2", "", "implement", "", context_files=("tests/test_case.py",), change_spec=spec)
    assert concerned(COUNT + MANUAL, phase) == COUNT
    assert concerned(COUNT + MANUAL, phase._replace(change_spec=f"{spec} As `docs/manual.md` says.")) == COUNT + MANUAL
    assert concerned(COUNT + MANUAL, phase._replace(context_files=("tally/count.py",))) == ""
    assert concerned(COUNT + MANUAL, phase._replace(change_spec="Prove it.")) == ""
