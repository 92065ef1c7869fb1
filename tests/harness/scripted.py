"""Scripts for whole runs from a specification: the replies of red, green, refactor and deliver."""

from __future__ import annotations

from typing import Any

Rule = dict[str, Any]
FIRST = "recent_actions\n- none yet"


def specification(
    request: str, criteria: list[str], *, modify: list[str], create: list[str], what: str
) -> dict[str, Any]:
    """One requirement with these criteria."""
    return {
        "spec_id": "SPEC-00000001",
        "title": request[:90],
        "description": what,
        "requirements": [
            {
                "id": "REQ-001",
                "description": what,
                "priority": "must",
                "acceptance_criteria": criteria,
                "verification_method": "test",
                "trace": request,
            }
        ],
        "constraints": [],
        "interfaces": [],
        "files_to_modify": modify,
        "files_to_create": create,
        "dependencies": [],
        "estimated_complexity": "simple",
        "trace_to_request": "It is what was asked for.",
    }


def step(stage: str, tool: str, params: dict[str, Any], *context: str, **more: Any) -> Rule:
    """One reply of an agent at a stage, when its context has these texts."""
    reply = {"thought": "scripted", "tool": tool, "params": params}
    return {"when": {"context": [f"^stage: {stage}$", *context]}, "reply": reply, **more}


def once(stage: str, tool: str, params: dict[str, Any], *context: str) -> Rule:
    """A reply that is given a single time."""
    return step(stage, tool, params, *context, times=1)


def complete(stage: str, artifact: dict[str, Any], *context: str, **more: Any) -> Rule:
    """Handing in."""
    return step(stage, "complete", {"artifact": artifact}, *context, **more)


def written_tests(path: str, tests: dict[str, str], cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Test name → criterion id, and the held-back cases."""
    rows = [
        {"name": name, "requirement_ref": id.partition(".")[0], "acceptance_criterion": id}
        for name, id in tests.items()
    ]
    return {"test_files": [{"path": path, "tests": rows}], "held_back": cases}


def call(criterion: str, target: str, *args: Any, **outcome: Any) -> dict[str, Any]:
    """A held-back case that calls a function."""
    return {"criterion": criterion, "kind": "call", "target": target, "args": list(args), **outcome}


NOTES = {
    "summary": "The new function is there.",
    "changelog": [{"kind": "added", "text": "A function that was asked for."}],
    "docs": [],
    "deployment": {"prerequisites": [], "steps": ["Install it."], "rollback": "Install the version before."},
}

CLEAN_REVIEW: Rule = {
    "when": {"system": "role `security_architect`"},
    "reply": {
        "review_id": "REVIEW-1",
        "subject": "deliverable",
        "scope": ["the change"],
        "summary": "Nothing is at risk.",
        "blocking_issues": [],
        "advisory_issues": [],
    },
}
