"""A small repository, a small specification and the scripted replies that carry it to a delivered branch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from harness import Done, configure, git
from harness.environments import warm
from harness.place import Place, Rule

FILES = {
    "CHANGELOG": "Version 0.1:\n  * Sums.\n",
    "pyproject.toml": '[project]\nname = "tally"\nversion = "0.1.0"\nrequires-python = ">=3.11"\n',
    "tally/__init__.py": '"""Adds things up."""\n',
    "tally/count.py": (
        '"""Sums."""\n\n\ndef total(numbers: list[int]) -> int:\n    """The sum."""\n    return sum(numbers)\n'
    ),
    "tests/test_count.py": "from tally.count import total\n\n\ndef test_the_sum():\n    assert total([1, 2, 4]) == 7\n",
}
ASKED = "Add the widest gap between neighbours to the sums"
TESTS = """\
from tally.count import widest


def test_the_widest_gap_counts():
    assert widest([1, 5, 7]) == 4


def test_one_number_has_no_gap():
    assert widest([3]) == 0
"""
CODE = '''\


def widest(numbers: list[int]) -> int:
    """The largest step from one number to the next; 0 when there is none."""
    return max((abs(b - a) for a, b in zip(numbers, numbers[1:], strict=False)), default=0)
'''
SPECIFICATION: dict[str, Any] = {
    "spec_id": "SPEC-gap",
    "title": "The widest gap between neighbours",
    "description": "A function beside the sum tells the widest gap between two neighbours.",
    "requirements": [
        {
            "id": "REQ-001",
            "description": "widest(numbers) is the largest step between neighbours, 0 for fewer than two.",
            "priority": "must",
            "acceptance_criteria": ["The gap of 1, 5, 7 is 4.", "One number has the gap 0."],
            "verification_method": "test",
            "trace": "the widest gap",
        }
    ],
    "constraints": [],
    "interfaces": [],
    "files_to_modify": ["tally/count.py"],
    "files_to_create": ["tests/test_widest.py"],
    "dependencies": {"external": [], "tasks": []},
    "estimated_complexity": "trivial",
    "trace_to_request": "REQ-001 is what was asked for.",
}
SUITE: dict[str, Any] = {
    "test_files": [
        {
            "path": "tests/test_widest.py",
            "tests": [
                {
                    "name": "test_the_widest_gap_counts",
                    "requirement_ref": "REQ-001",
                    "acceptance_criterion": "REQ-001.1",
                },
                {
                    "name": "test_one_number_has_no_gap",
                    "requirement_ref": "REQ-001",
                    "acceptance_criterion": "REQ-001.2",
                },
            ],
        }
    ],
}
HELD = [
    {"criterion": "REQ-001.1", "kind": "call", "target": "tally.count:widest", "args": [[2, 9, 1]], "expect": 8},
    {"criterion": "REQ-001.2", "kind": "call", "target": "tally.count:widest", "args": [[40]], "expect": 0},
]
ANALYSIS: dict[str, Any] = {
    "summary": "Sums are made in tally/count.py; a function for gaps fits beside total.",
    "files": [{"path": "tally/count.py", "role": "makes sums", "reason": "the new function goes here"}],
    "dependencies": [],
    "risks": [],
    "constraints": [],
    "evidence": [{"file": "tally/count.py", "line": 4, "snippet": "def total(numbers: list[int]) -> int:"}],
}
INTAKE: dict[str, Any] = {
    "request_id": "",
    "original_request": "",
    "extracted_intent": {"action": "create", "target": "the widest gap", "scope": "module"},
    "initial_complexity": "simple",
    "identified_ambiguities": [
        {"area": "numbers", "question": "Are the numbers whole?", "impact": "significant"},
        {"area": "names", "question": "What is it called?", "impact": "minor"},
    ],
    "metadata": {},
}
NOTES: dict[str, Any] = {
    "summary": "The widest gap can be asked for.",
    "changelog": [{"kind": "added", "text": "widest tells the widest gap between neighbours."}],
    "docs": [],
    "deployment": {"prerequisites": [], "steps": ["Install it."], "rollback": "Install the version before."},
}


def says(stage: str, tool: str, params: dict[str, Any], *, after: str = "") -> Rule:
    """A scripted step of a stage, once the context shows `after`."""
    seen = after or r"recent_actions\n- none yet"
    return {
        "when": {"context": [f"^stage: {stage}$", seen]},
        "usage": {"input_tokens": 100, "output_tokens": 50},
        "reply": {"thought": "The next step.", "tool": tool, "params": params},
    }


def replies() -> dict[str, Rule]:
    """Every reply of the small task by the name of what it does."""
    edit = {"path": "tally/count.py", "old": "    return sum(numbers)\n", "new": f"    return sum(numbers)\n{CODE}"}
    return {
        "analyze": says("analyze", "complete", {"artifact": ANALYSIS}),
        "write_tests": says("red", "create_file", {"path": "tests/test_widest.py", "content": TESTS}),
        "hand_in_tests": says("red", "complete", {"artifact": {**SUITE, "held_back": HELD}}, after="create_file path="),
        "write_code": says("green", "edit_file", edit),
        "hand_in_code": says(
            "green",
            "complete",
            {"artifact": {"files": [{"path": "tally/count.py", "purpose": "tells the gap"}]}},
            after="edit_file path=",
        ),
        "hand_in_notes": says("deliver", "complete", {"artifact": NOTES}),
    }


def make_tally(folder: Path, extra: dict[str, str] | None = None) -> Place:
    """The small repository, committed, with its replies and its specification beside it."""
    place = Place(folder / "tally", folder / "person")
    place.person.mkdir(parents=True)
    for path, text in {**FILES, **(extra or {})}.items():
        (place.repository / path).parent.mkdir(parents=True, exist_ok=True)
        (place.repository / path).write_text(text)
    git("init", "-q", "-b", "main", cwd=place.repository)
    git("add", ".", cwd=place.repository)
    git("commit", "-q", "-m", "Sums", cwd=place.repository)
    (place.person / ".gitconfig").write_text("[user]\n\tname = Ada Person\n\temail = ada@example.org\n")
    (place.person / "spec.yaml").write_text(yaml.safe_dump(SPECIFICATION))
    script(place)
    return place


def script(place: Place, rules: dict[str, Rule] | None = None, **config: Any) -> None:
    """Configure the replies, the usual ones unless others are given."""
    path = place.person / "playbook.yaml"
    path.write_text(json.dumps({"rules": list((rules or replies()).values())}))
    configure(place.repository, providers={"script": {"kind": "scripted", "playbook": str(path)}}, **config)
    warm(place.home)


def build(place: Place, *args: str, **env: str) -> Done:
    """Carry the specification as far as the arguments say."""
    return place.run("start", ASKED, "--from-spec", str(place.person / "spec.yaml"), "--json", *args, **env)
