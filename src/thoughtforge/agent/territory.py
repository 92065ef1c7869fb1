"""What no role may write, and who may write tests. These hold whatever a role's file says."""

from __future__ import annotations

from collections.abc import Callable

from thoughtforge.agent.paths import allowed
from thoughtforge.kernel.model import Stage
from thoughtforge.workspaces.globs import glob

NEVER = (
    ".thoughtforge/**",
    "**/.gitattributes",
    "**/.gitmodules",
    "**/.githooks/**",
    "**/.husky/**",
    "**/.claude/**",
    "**/.mcp.json",
    "**/.codex/**",
    "**/.gemini/**",
    "**/.opencode/**",
    "**/opencode.json",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/*.pth",
    "**/*.pyc",
    "**/*.pyo",
    "**/__pycache__/**",
    "**/node_modules/**",
)
"""Judges, hooks, other agents' settings, and files that run code nobody asked for."""


def refusal(path: str, stage: Stage, is_test: Callable[[str], bool]) -> str:
    """Why this stage may not write a clean path; empty when it may."""
    broken = next((pattern for pattern in NEVER if glob(pattern, fold=True).matches(path)), None)
    if broken:
        return f"{path} is never written by an agent ({broken})"
    if stage.write_paths and not allowed(path, stage.write_paths):
        return f"{path} is outside what the stage {stage.name} writes: {stage.write_paths}"
    if stage.output_contract == "test_suite":
        return "" if is_test(path) else f"{path} is no test file of this repository; {stage.name} writes tests only"
    folded = is_test(path) or is_test(path.casefold())  # on some disks Tests/ and tests/ are one folder
    return f"{path} belongs to the tests; {stage.name} leaves them as they are" if folded else ""
