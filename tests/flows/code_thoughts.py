"""Thoughts that become code, for whole runs: what a test engineer, a builder, a reviewer and a fixer say."""

from __future__ import annotations

from typing import Any

from flows.thoughts import INTENT, PROPOSAL, Rule, agreed, review

WISH = "Build a small Python tool that greets a person by name. It must run offline."
CODE_INTENT = {**INTENT, "title": "Greeter", "deliverable_type": "code", "type_reason": "It asks for a tool."}
CODE_PROPOSAL = {
    **PROPOSAL,
    "plan_kind": None,
    "language": "Python",
    "criteria": [{"id": "AC-1", "text": "It greets by name."}, {"id": "AC-2", "text": "It greets a stranger."}],
}
GOOD = '''"""Greets people."""

import logging

log = logging.getLogger(__name__)


def greet(name: str) -> str:
    """A greeting."""
    log.info("greeting %s", name)
    return f"Hello, {name or 'stranger'}!"
'''
BAD = GOOD.replace("Hello", "Bye")
TEST_FILE = "test_greeter.py"
TESTS = """from greeter import greet


def test_ac_1_greets_by_name():
    assert greet("Ann") == "Hello, Ann!"


def test_a_stranger():
    # AC-2
    assert greet("") == "Hello, stranger!"
"""
LISTED = [
    {"name": "test_ac_1_greets_by_name", "requirement_ref": "AC-1", "acceptance_criterion": "AC-1"},
    {"name": "test_a_stranger", "requirement_ref": "AC-2", "acceptance_criterion": "AC-2"},
]
HELD_BACK: list[dict[str, Any]] = [
    {"criterion": "AC-1", "kind": "call", "target": "greeter:greet", "args": ["Bo"], "expect": "Hello, Bo!"},
    {
        "criterion": "AC-2", "kind": "call", "target": "greeter:greet", "args": [], "kwargs": {"name": ""},
        "expect": "Hello, stranger!",
    },
]  # fmt: skip
INTERFACE = [{"name": "greeter:greet", "signature": "greet(name: str) -> str", "purpose": "greets a person"}]
FINDING = {
    "severity": "critical",
    "title": "Logging",
    "description": "The log names the person it greets.",
    "location": "greeter.py:10",
    "recommendation": "Leave the name out of the log.",
}
QUIET = GOOD.replace('log.info("greeting %s", name)', 'log.info("greeting")')
LOUD = "greeting %s"
"""What the code says before its fix."""


def act(tool: str, **params: Any) -> dict[str, Any]:
    """One action of an agent with tools."""
    return {"thought": "Next.", "tool": tool, "params": params}


def create(path: str, content: str) -> dict[str, Any]:
    """Write a new file."""
    return act("create_file", path=path, content=content)


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    """Change a file."""
    return act("edit_file", path=path, old=old, new=new)


def suite_done(**changed: Any) -> dict[str, Any]:
    """The test engineer hands in."""
    suite = {"test_files": [{"path": TEST_FILE, "tests": LISTED}], "interface": INTERFACE, "held_back": HELD_BACK}
    return act("complete", artifact={**suite, **changed})


def kept_tests(**changed: Any) -> dict[str, Any]:
    """What the test engineer hands in before a wish is built: nothing contradicts it, unless told otherwise."""
    return act("complete", artifact={"reason": "No test says otherwise.", **changed})


def done(*paths: str) -> dict[str, Any]:
    """A builder or fixer hands in."""
    return act("complete", artifact={"files": [{"path": path, "purpose": "as specified"} for path in paths]})


def steps(stage: str, *replies: dict[str, Any], role: str = "", **when: Any) -> list[Rule]:
    """Replies of one agent in order, each once."""
    context = [f"^stage: {stage}$", *when.pop("context", [])]
    here = {"context": context, **({"system": f"role `{role}`"} if role else {}), **when}
    return [{"when": here, "reply": reply, "times": 1} for reply in replies]


def building(*replies: dict[str, Any], **when: Any) -> list[Rule]:
    """What the builder does."""
    return steps("build", *replies, **when)


def fixing(*replies: dict[str, Any], **when: Any) -> list[Rule]:
    """What the fixer does."""
    return steps("polish", *replies, role="fixer", **when)


def with_tests(*replies: dict[str, Any]) -> list[Rule]:
    """What the test engineer does; honest unless told otherwise."""
    return steps("tests", *(replies or (create(TEST_FILE, TESTS), suite_done())))


def reviewed(*findings: dict[str, Any], context: str = "", **more: Any) -> Rule:
    """A review of code."""
    ran = {"total": 2, "passed": 2, "failed": 0}
    return {"when": {"context": ["form of code_review", context]}, "reply": review(*findings, tests=ran), **more}


FIXED: Rule = {"when": {"context": "form of recheck"}, "reply": {"fixed": ["F-001"], "still": []}}
STILL: Rule = {"when": {"context": "form of recheck"}, "reply": {"fixed": [], "still": ["F-001"]}}
BUILT = (create("greeter.py", GOOD), done("greeter.py"))
MENDED = (edit("greeter.py", '"greeting %s", name', '"greeting"'), done("greeter.py"))


def begun() -> list[Rule]:
    """Everything until the builder begins."""
    return [*agreed(CODE_INTENT, CODE_PROPOSAL), *with_tests()]


def polished() -> list[Rule]:
    """One critical finding, its fix, and nothing more to say."""
    return [*fixing(*MENDED), reviewed(FINDING, context=LOUD), reviewed(), FIXED]


def rules() -> list[Rule]:
    """A first try that fails its tests, a second that passes, one critical finding and its fix.

    Replies follow from what is shown alone: a script that begins anew in another process says the same.
    """
    there, edited = r"(?<!_)greeter\.py", r"edited greeter\.py"
    return [
        *agreed(CODE_INTENT, CODE_PROPOSAL),
        always("tests", create(TEST_FILE, TESTS), lacks=r"test_greeter\.py"),
        always("tests", suite_done()),
        always("build", create("greeter.py", BAD), lacks=there),
        always("build", edit("greeter.py", "Bye", "Hello"), shows="why the stage is not finished", lacks=edited),
        always("build", done("greeter.py")),
        always("polish", kept_tests(), role="test_engineer"),
        always("polish", MENDED[0], role="fixer", lacks=edited),
        always("polish", MENDED[1], role="fixer"),
        reviewed(FINDING, context=LOUD),
        reviewed(),
        FIXED,
    ]


def always(stage: str, reply: dict[str, Any], *, shows: str = "", lacks: str = "", role: str = "") -> Rule:
    """A reply to whatever shows one thing and lacks another."""
    when: dict[str, Any] = {"context": [f"^stage: {stage}$", shows]}
    when |= {"not": lacks} if lacks else {}
    when |= {"system": f"role `{role}`"} if role else {}
    return {"when": when, "reply": reply}
