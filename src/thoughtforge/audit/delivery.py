"""The delivery report for people: Markdown from the delivery_report artifact and what the log says around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from thoughtforge.kernel.state import State

SIGNS = {"pass": "✔", "fail": "✘", "broken": "✘ broken", "not_run": "– not run"}


def as_markdown(report: dict[str, Any], state: State) -> str:
    """The whole report."""
    parts = [
        f"# {_flat(report['title'])}",
        _flat(report["summary"]),
        _facts(report, state),
        "## Requirements",
        _table(("Requirement", "Status", "Tests", "Files"), map(_requirement, report["requirements"])),
        "## Files",
        _table(("File", "Change", "Lines"), (_file(file) for file in report["files"])),
        "## What the engine measured",
        _table(("Condition", "Outcome", "Detail"), (_check(check) for check in report["checks"])),
        *_agents(report.get("agents", ())),
        "## Cost",
        _cost(report["cost"]),
        "## Changelog",
        "\n".join(f"- {entry['kind']}: {_flat(entry['text'])}" for entry in report["changelog"]),
        "## Deployment",
        _deployment(report["deployment"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(report: dict[str, Any], state: State) -> str:
    results = report["results"]
    rows = [
        f"- branch `{report['branch']}` at `{report['commit'][:12]}`, from `{report['base_commit'][:12]}`",
        f"- whole suite in a clean checkout: {results['passed']} passed, {results['failed']} failed, "
        f"{results['skipped']} skipped",
    ]
    for name in ("baseline", "environment"):
        measured = state.measured.get(name)
        if measured is not None:
            rows.append(f"- {name}: {measured.summary}")
    environment = state.measured.get("environment")
    if environment is not None and environment.facts.get("sandbox") != "bubblewrap":
        rows.append(f"- **{environment.facts.get('sandbox_note')}**")
    labels = state.the_task().labels
    return "\n".join([*rows, *([f"- replies were {', '.join(labels)}, not made by a model now"] if labels else [])])


def _agents(told: Sequence[str]) -> Sequence[str]:
    """How command-line agents were kept; nothing when none was at work."""
    return ("## Agents", "\n".join(f"- {_flat(line)}" for line in told)) if told else ()


def _requirement(row: dict[str, Any]) -> Sequence[str]:
    tests = "<br>".join(f"{_flat(test['name'])}: {test['result']}" for test in row["tests"])
    return (f"{row['id']}: {_flat(row['description'])}", row["status"].replace("_", " "), tests, _list(row["files"]))


def _file(row: dict[str, Any]) -> Sequence[str]:
    return f"`{_flat(row['path'])}`", row["change"], f"+{row['lines_added']} −{row['lines_removed']}"


def _check(row: dict[str, Any]) -> Sequence[str]:
    return _flat(row["name"]), SIGNS[row["outcome"]], _flat(row.get("detail", ""))


def _cost(cost: dict[str, Any]) -> str:
    usd = "of unknown price" if cost["usd"] is None else f"${cost['usd']:.4f}"
    tokens = "an unknown number of" if cost["tokens"] is None else f"{cost['tokens']:,}"
    return f"{cost['steps']} steps, {tokens} tokens, {usd}, {cost['wall_seconds']:.0f} s of work."


def _deployment(deployment: dict[str, Any]) -> str:
    ready = "Ready." if deployment["ready"] else "Not ready."
    steps = [f"{number}. {_flat(step)}" for number, step in enumerate(deployment["steps"], start=1)]
    needs = [f"- needs {_flat(need)}" for need in deployment["prerequisites"]]
    return "\n".join([ready, *needs, *steps, f"Way back: {_flat(deployment['rollback'])}"])


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *lines]) if lines else "None."


def _list(items: Iterable[str]) -> str:
    return "<br>".join(f"`{_flat(item)}`" for item in items)


def _flat(text: str) -> str:
    """Text that stays in its cell and starts no markup of its own."""
    flat = " ".join(str(text).split())
    return flat.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "ˋ")
