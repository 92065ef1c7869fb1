"""The template of a change plan: the repository's own, else the built-in one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from thoughtforge.catalog import LIBRARY
from thoughtforge.forge.audit_log import with_own_headings
from thoughtforge.forge.layout import MANIFEST, REQUIRED
from thoughtforge.forge.plan_file import header_of, with_field
from thoughtforge.forge.status import PlanStatus
from thoughtforge.forge.structure import closed, key_of, marks_of, section, sections_of

TEMPLATE_FILE = LIBRARY / "forge" / "plan-template.md"
PROJECT_TEMPLATE = "plans/.plan-template.md"
"""Where a repository keeps its own, below .thoughtforge/."""
TOKEN = re.compile(r"\{\{\s*(TITLE|PLAN_ID|TASK_ID|DATE|PROJECT)\s*\}\}")
FIELD_NAMES = ("ID", "Task", "Created", "Status", "Project")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
LONGEST_TITLE = 200


@cache
def built_in() -> str:
    """The template that comes along."""
    return TEMPLATE_FILE.read_text(encoding="utf-8")


def new_plan(template: str, *, title: str, plan_id: str, task_id: str, date: str, project: str) -> str:
    """A plan made of a template: its tokens replaced, the status DRAFT, own headings and header lines all there."""
    values = {
        "TITLE": title_line(title),
        "PLAN_ID": plan_id,
        "TASK_ID": task_id,
        "DATE": date,
        "PROJECT": project,
    }
    text = TOKEN.sub(lambda found: values[found[1]], closed(template.removeprefix("\ufeff").replace("\r\n", "\n")))
    header = header_of(text)
    if not header.title:
        first = next((one for one in marks_of(text).headings if one.level == 1), None)
        if first is None or header_of(text[first.start :]).title != values["TITLE"]:
            text = f"# Plan: {values['TITLE']}\n\n{text.lstrip()}"
    facts = dict(zip(FIELD_NAMES, (plan_id, task_id, date, PlanStatus.draft, project), strict=True))
    return with_own_headings(_with_fields(text, facts))


def _with_fields(text: str, facts: Mapping[str, str]) -> str:
    """The header says the facts, whatever the template says."""
    for name, value in facts.items():
        text = with_field(text, name, value)
    return text


def title_line(text: str) -> str:
    """A title as one line without marks that would make structure of it."""
    flat = " ".join(text.split()).strip("# ")
    flat = re.sub(r"(?i)^plan\s*:\s*", "", flat)
    cut = flat if len(flat) <= LONGEST_TITLE else f"{flat[: LONGEST_TITLE - 1].rstrip()}…"
    return cut or "Change"


def own_lines(text: str, known: frozenset[str]) -> tuple[str, ...]:
    """The lines of a section that say something: comments, rules, empty lines and what is known are left out."""
    lines = (" ".join(line.split()) for line in COMMENT.sub("", text).split("\n"))
    return tuple(line for line in lines if any(mark.isalnum() for mark in line) and line not in known)


def template_lines(template: str) -> frozenset[str]:
    """Every line of a template, comments taken apart, as `own_lines` compares them."""
    plain = template.replace("<!--", "\n").replace("-->", "\n")
    return frozenset(" ".join(line.split()) for line in plain.split("\n")) - {""}


def filled(text: str, template: str) -> tuple[str, ...]:
    """The sections in which a plan says something that the template does not."""
    known = template_lines(template)
    return tuple(name for name in (*REQUIRED, MANIFEST) if own_lines(section(text, name), known))


def echoes(body: str, template: str) -> tuple[str, ...]:
    """The required sections in which a body says nothing but what the template says; a draft with any is refused."""
    known = template_lines(template)
    found = sections_of(body)
    texts = {name: [one.text for one in found if one.key == key_of(name)] for name in REQUIRED}
    return tuple(name for name, parts in texts.items() if parts and not own_lines("\n".join(parts), known))
