"""What the engine may do for a deliverable: every action has a class and is judged before it happens."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import NamedTuple

from thoughtforge.contracts.rules_paths import path_problem

OPERATIONS = {
    "shell_exec": "starts a program",
    "file_create_source": "writes a file that is neither a document nor state",
    "file_write_doc": "writes a Markdown document",
    "file_write_state": "writes a file of the task's own state, or keeps material for it",
    "package_install": "installs a package",
    "test_exec": "runs tests",
    "git_commit": "makes a commit",
    "agent_text": "asks an agent for text",
    "agent_code": "lets an agent change files",
}
ALLOWED = {
    "plan": frozenset({"file_write_doc", "file_write_state", "git_commit", "agent_text"}),
    "code": frozenset(OPERATIONS),
}
"""Type of deliverable → what may be done for it. What is not listed is refused."""
STATE_FILES = frozenset(
    {"status.json", "chat_history.json", "polish_state.json", "polish_log.md", "thoughtforge.log", "state.yaml"}
)
MATERIAL = re.compile(r"resources/[^/]+\.(?:csv|docx|gif|jpe?g|pdf|png|txt|webp)", re.IGNORECASE)
"""What a connector brings besides Markdown; it is kept with the task and never run."""
WRITES = frozenset({"file_create_source", "file_write_doc", "file_write_state"})


class Ruling(NamedTuple):
    """Whether an operation may happen and, if not, why."""

    allowed: bool
    reason: str


def write_of(path: str) -> str:
    """The class of writing a file at a path inside the project."""
    name = PurePosixPath(path).name
    if name in STATE_FILES or MATERIAL.fullmatch(path):
        return "file_write_state"
    return "file_write_doc" if name.lower().endswith(".md") else "file_create_source"


def check(operation: str, target: str = "", *, deliverable: str) -> Ruling:
    """Judge one operation before it happens; `target` is the file written, or what is started or installed."""
    if operation not in OPERATIONS:
        return Ruling(False, f"{operation[:60]!r} is no operation the engine knows")
    if deliverable not in ALLOWED:
        return Ruling(False, f"{deliverable[:60]!r} is no type of deliverable; known: {', '.join(sorted(ALLOWED))}")
    shown = f" ({target[:80]})" if target else ""
    if operation not in ALLOWED[deliverable]:
        return Ruling(False, f"{operation}{shown} {OPERATIONS[operation]}; work on a {deliverable} never does that")
    problem = _misplaced(operation, target) if operation in WRITES else ""
    return Ruling(not problem, f"{operation}{shown}: {problem}" if problem else "")


def _misplaced(operation: str, target: str) -> str:
    """Why a file may not be written as this operation; a source file does not become a document by its class."""
    problem = path_problem(target)
    if problem:
        return f"the path {problem}"
    if operation != "file_create_source" and write_of(target) != operation:
        return f"this file is {write_of(target)}, not {operation}"
    return ""
