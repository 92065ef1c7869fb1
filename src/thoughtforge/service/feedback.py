"""A person's feedback on a version: one sentence, or points with place, suggestion and weight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thoughtforge.kernel.errors import Mistake
from thoughtforge.service.submit import read_artifact

PRIORITIES = ("must_address", "should_consider")


def items_of(text: str | None, file: Path | None) -> list[str]:
    """The points for the agent, those that must be answered first."""
    items = [text.strip()] if text and text.strip() else []
    if file is not None:
        items += _structured(read_artifact(file), str(file))
    if not items:
        raise Mistake(
            "there is no feedback", do='Say what to change: thoughtforge feedback TASK "Add a criterion for …"'
        )
    return items


def _structured(data: dict[str, Any], source: str) -> list[str]:
    data = data.get("feedback", data)
    issues = data.get("specific_issues", [])
    if not isinstance(issues, list) or not all(isinstance(i, dict) and i.get("issue") for i in issues):
        raise Mistake(f"{source}: specific_issues must be a list of points with `issue`", do="See docs/commands.md.")
    unknown = {str(i.get("priority", PRIORITIES[0])) for i in issues} - set(PRIORITIES)
    if unknown:
        raise Mistake(f"{source}: unknown priority {', '.join(sorted(unknown))}", do=f"Use {' or '.join(PRIORITIES)}.")
    ordered = sorted(issues, key=lambda i: PRIORITIES.index(i.get("priority", PRIORITIES[0])))
    overall = str(data.get("overall_comments", "")).strip()
    return [*([overall] if overall else []), *(_line(issue) for issue in ordered)]


def _line(issue: dict[str, Any]) -> str:
    weight = str(issue.get("priority", PRIORITIES[0])).replace("_", " ")
    place = f"{issue['location']}: " if issue.get("location") else ""
    suggestion = f" — {issue['suggestion']}" if issue.get("suggestion") else ""
    return f"[{weight}] {place}{issue['issue']}{suggestion}"
