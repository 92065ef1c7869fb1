"""What no role may write, and who may write tests. These hold whatever a role's file says."""

from __future__ import annotations

from collections.abc import Callable, Collection

from thoughtforge.agent.paths import allowed
from thoughtforge.kernel.model import Stage
from thoughtforge.workspaces.globs import glob

CONFIGURATION = (
    "**/.claude/**",
    "**/.claude.json",
    "**/CLAUDE.md",
    "**/CLAUDE.local.md",
    "**/.mcp.json",
    "**/.codex/**",
    "**/.gemini/**",
    "**/GEMINI.md",
    "**/.opencode/**",
    "**/opencode.json",
    "**/opencode.jsonc",
)
"""What would configure or instruct an agent's own program: never loaded, never written."""

HIDDEN = (*CONFIGURATION, "**/AGENTS.md")
"""What an agent's own program must not find in a repository: its rules are in the prompt, as far as they count."""

NEVER = (
    ".thoughtforge/**",
    "**/.gitattributes",
    "**/.gitmodules",
    "**/.githooks/**",
    "**/.husky/**",
    *CONFIGURATION,
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/*.pth",
    "**/*.pyc",
    "**/*.pyo",
    "**/__pycache__/**",
    "**/node_modules/**",
)
"""Judges, hooks, other agents' settings, and files that run code nobody asked for."""

ASKED_FOR = ("**/.github/**", "**/.gitlab-ci.yml", "**/.circleci/**", "**/.envrc", "**/.vscode/**", "**/.idea/**")
"""Files that other machines or programs run by themselves: written only when the specification names them."""


def refusal(path: str, stage: Stage, is_test: Callable[[str], bool], *, named: Collection[str] = frozenset()) -> str:
    """Why this stage may not write a clean path; empty when it may. `named` are the files of the specification."""
    broken = next((pattern for pattern in NEVER if glob(pattern, fold=True).matches(path)), None)
    if broken:
        return f"{path} is never written by an agent ({broken})"
    if path not in named and any(glob(pattern, fold=True).matches(path) for pattern in ASKED_FOR):
        return f"{path} is run by other programs and is only written when the specification names it"
    if stage.write_paths and not allowed(path, stage.write_paths):
        return f"{path} is outside what the stage {stage.name} writes: {stage.write_paths}"
    if stage.output_contract == "test_suite":
        return "" if is_test(path) else f"{path} is no test file of this repository; {stage.name} writes tests only"
    folded = is_test(path) or is_test(path.casefold())  # on some disks Tests/ and tests/ are one folder
    return f"{path} belongs to the tests; {stage.name} leaves them as they are" if folded else ""
