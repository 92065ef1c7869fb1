"""A small repository, and the scripted replies that forge a change plan for it and implement it in three phases."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flows.code_runs import FILES
from harness import configure, git
from harness.environments import warm
from harness.place import Place, Rule

WISH = "Tell the widest gap between neighbours, print it in a report, and describe it in the manual"
REPORT = (
    '"""Prints sums."""\n\nfrom tally.count import total\n\n\ndef report(numbers: list[int]) -> str:\n'
    '    """The sum in words."""\n    return f"sum {total(numbers)}"\n'
)
MORE = {
    "tally/report.py": REPORT,
    "tests/test_report.py": (
        'from tally.report import report\n\n\ndef test_the_sum_is_told():\n    assert report([1, 2]) == "sum 3"\n'
    ),
    "docs/manual.md": "# Tally\n\nIt tells the sum.\n",
}
WIDEST = (
    "\n\ndef widest(numbers: list[int]) -> int:\n"
    '    """The largest step from one number to the next; 0 when there is none."""\n'
    "    return max((abs(b - a) for a, b in zip(numbers, numbers[1:], strict=False)), default=0)\n"
)
TEST_WIDEST = "\n\ndef test_the_widest_gap():\n    assert widest([1, 5, 7]) == 4\n"
PROOF = "python -c 'from tally.report import report; print(report([1, 5]))'"
RESEARCH: dict[str, Any] = {
    "summary": "Sums are made in tally/count.py and told by tally/report.py.",
    "files": [
        {"path": "tally/count.py", "line": 4, "why": "the new function goes beside total"},
        {"path": "tally/report.py", "line": 6, "why": "it prints"},
    ],
}
DRAFT: dict[str, Any] = {
    "objective": "Readers of a tally want to see the widest gap between neighbours beside the sum.",
    "scope": "A function, its line in the report and a sentence in the manual. No new command.",
    "changes": [
        {"path": "tally/count.py", "change": "Add widest(numbers) -> int, 0 for fewer than two numbers."},
        {"path": "tests/test_count.py", "change": "Prove widest for three numbers."},
        {"path": "tally/report.py", "change": "report tells the widest gap after the sum."},
        {"path": "tests/test_report.py", "change": "The report has both figures."},
        {"path": "docs/manual.md", "change": "Say that the gap is told."},
    ],
    "risks": "Callers that compare the report word for word see another text.",
    "testing": [{"command": PROOF, "exit_code": 0, "output": "sum 6, widest gap 4"}],
}
BLOCKING = {
    "severity": "blocking",
    "title": "The empty list is not decided",
    "location": "Changes",
    "description": "Nobody says what widest gives for an empty list, so the code may raise.",
    "recommendation": "Say that it gives 0.",
}
MINOR = {
    "severity": "minor",
    "title": "Name the unit",
    "location": "Objective",
    "description": "A reader may ask what is counted.",
    "recommendation": "Say that they are numbers.",
}


def found(*findings: dict[str, Any], summary: str = "Read it.") -> dict[str, Any]:
    """An auditor's answer."""
    return {"summary": summary, "findings": list(findings)}


def prompted(words: str, reply: Any, *context: str, **more: Any) -> Rule:
    """An answer to a prompt that has these words, when its material has these texts."""
    return {"when": {"system": words, "context": list(context)}, "reply": reply, **more}


RESEARCHES, DRAFTS, AUDITS, REVISES, CLOSES = (
    "^stage: plan$",
    "You write the plan of a change",
    "You attack the plan of a change",
    "You settle what an audit found",
    "You audit the implementation",
)


def acts(phase: str, tool: str, params: dict[str, Any], *, after: str = "", **more: Any) -> Rule:
    """A step of the agent of a phase, once its last actions show `after`."""
    seen = after or r"recent_actions\n- none yet"
    reply = {"thought": "The next step.", "tool": tool, "params": params}
    return {"when": {"context": [f"the phase {phase}:", seen]}, "reply": reply, **more}


def hands_in(phase: str, *paths: str, after: str, summary: str = "Done.", **more: Any) -> Rule:
    """The hand-in of a phase."""
    files = [{"path": path, "purpose": "changed as planned"} for path in paths]
    return acts(phase, "complete", {"artifact": {"summary": summary, "files": files, **more}}, after=after)


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    """The parameters of an edit."""
    return {"path": path, "old": old, "new": new}


def forging() -> dict[str, Rule]:
    """Research, a draft, an audit that blocks once, its revision, an audit that passes."""
    step = {"thought": "I know enough.", "tool": "complete", "params": {"artifact": RESEARCH}}
    changes = "- `tally/count.py` — Add widest(numbers) -> int, 0 for fewer than two numbers, also for none."
    rest = "\n".join(f"- `{one['path']}` — {one['change']}" for one in DRAFT["changes"][1:])
    revised = {"sections": [{"heading": "Changes", "text": f"{changes}\n{rest}"}], "answers": []}
    return {
        "research": {"when": {"context": ["^stage: plan$"]}, "reply": step},
        "draft": prompted(DRAFTS, DRAFT),
        "audit_again": prompted(AUDITS, found(MINOR), "also for none"),
        "audit": prompted(AUDITS, found(BLOCKING, MINOR)),
        "revise": prompted(REVISES, revised),
    }


def last(summary: str) -> str:
    """What the context shows when the last action came to this."""
    return rf"{summary}\s+## verification_status"


def implementing() -> dict[str, Rule]:
    """Three phases and the closing audit."""
    told = '    return f"sum {total(numbers)}, widest gap {widest(numbers)}"\n'
    sums, one = "    return sum(numbers)\n", "    assert total([1, 2, 4]) == 7\n"
    imports = edit("tests/test_count.py", "import total\n", "import total, widest\n")
    return {
        "count": acts("phase-1", "edit_file", edit("tally/count.py", sums, f"{sums}{WIDEST}")),
        "count_import": acts("phase-1", "edit_file", imports, after=last(r"edited tally/count.py \(\+5 −0\)")),
        "count_test": acts(
            "phase-1",
            "edit_file",
            edit("tests/test_count.py", one, f"{one}{TEST_WIDEST}"),
            after=last(r"edited tests/test_count.py \(\+1 −1\)"),
        ),
        "count_end": hands_in(
            "phase-1",
            *("tally/count.py", "tests/test_count.py"),
            after=last(r"edited tests/test_count.py \(\+4 −0\)"),
            summary="widest is there.",
        ),
        "report": acts("phase-2", "read_file", {"path": "tally/report.py"}),
        "report_import": acts(
            "phase-2",
            "edit_file",
            edit("tally/report.py", "import total\n", "import total, widest\n"),
            after="read_file path=tally/report.py[^\n]*\\s+## verification_status",
        ),
        "report_text": acts(
            "phase-2",
            "edit_file",
            edit("tally/report.py", '    return f"sum {total(numbers)}"\n', told),
            after=r"import total, widest[^\n]*→ ok: edited tally/report.py \(\+1 −1\)\s+## verification_status",
        ),
        "report_test": acts(
            "phase-2",
            "edit_file",
            edit("tests/test_report.py", '== "sum 3"', '== "sum 3, widest gap 1"'),
            after=r"return f[^\n]*→ ok: edited tally/report.py \(\+1 −1\)\s+## verification_status",
        ),
        "report_end": hands_in(
            "phase-2",
            *("tally/report.py", "tests/test_report.py"),
            after=last(r"edited tests/test_report.py \(\+1 −1\)"),
        ),
        "manual": acts(
            "phase-3",
            "edit_file",
            edit("docs/manual.md", "It tells the sum.", "It tells the sum and the widest gap."),
        ),
        "manual_end": hands_in("phase-3", "docs/manual.md", after=last(r"edited docs/manual.md \(\+1 −1\)")),
        "closing": prompted(CLOSES, found(MINOR)),
    }


def replies() -> dict[str, Rule]:
    """Everything."""
    return {**forging(), **implementing()}


def make_plans(folder: Path, extra: Mapping[str, str] | None = None) -> Place:
    """The small repository, committed, with its replies."""
    place = Place(folder / "tally", folder / "person")
    place.person.mkdir(parents=True)
    for path, text in {**FILES, **MORE, **(extra or {})}.items():
        (place.repository / path).parent.mkdir(parents=True, exist_ok=True)
        (place.repository / path).write_text(text)
    git("init", "-q", "-b", "main", cwd=place.repository)
    git("add", ".", cwd=place.repository)
    git("commit", "-q", "-m", "Sums", cwd=place.repository)
    (place.person / ".gitconfig").write_text("[user]\n\tname = Ada Person\n\temail = ada@example.org\n")
    script(place)
    return place


def script(place: Place, rules: dict[str, Rule] | None = None, **config: Any) -> None:
    """Configure the replies, the usual ones unless others are given."""
    path = place.person / "playbook.yaml"
    path.write_text(json.dumps({"rules": list((rules or replies()).values())}))
    config.setdefault("plan", {"phase_max_files": 2})
    config.setdefault("commands", [["python", "-c"]])
    configure(place.repository, providers={"script": {"kind": "scripted", "playbook": str(path)}}, **config)
    warm(place.home)
