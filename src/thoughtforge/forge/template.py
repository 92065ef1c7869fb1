"""The template of a change plan: the repository's own, else the built-in one."""

from __future__ import annotations

from functools import cache

from thoughtforge.catalog import LIBRARY

TEMPLATE_FILE = LIBRARY / "forge" / "plan-template.md"
PROJECT_TEMPLATE = "plans/.plan-template.md"
"""Where a repository keeps its own, below .thoughtforge/."""


@cache
def built_in() -> str:
    """The template that comes along."""
    return TEMPLATE_FILE.read_text(encoding="utf-8")


def new_plan(template: str, *, title: str, plan_id: str, task_id: str, date: str, project: str) -> str:
    """A plan made of a template: its tokens replaced, the status DRAFT, own headings and header lines all there."""
    raise NotImplementedError


def echoes(body: str, template: str) -> tuple[str, ...]:
    """The required sections in which a body says nothing but what the template says; a draft with any is refused."""
    raise NotImplementedError
