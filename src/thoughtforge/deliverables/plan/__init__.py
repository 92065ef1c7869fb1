"""A plan: one Markdown document with an OPA table (Objective, Plan, Assessment) in every section.

A template fixes the headings and tables; content comes in slots and cannot change the structure.
"""

from __future__ import annotations

from thoughtforge.deliverables.plan.kind import OPERATIONS, PATH, TESTED, belongs, compose, polished
from thoughtforge.deliverables.plan.slots import Filling, accept, placeholder, render, render_section, unfinished
from thoughtforge.deliverables.plan.structure import SectionContext, fix_problems, section_context
from thoughtforge.deliverables.plan.template import Choice, Section, Template, cell, choose, outlines, parse, sections

__all__ = [
    "OPERATIONS",
    "PATH",
    "TESTED",
    "Choice",
    "Filling",
    "Section",
    "SectionContext",
    "Template",
    "accept",
    "belongs",
    "cell",
    "choose",
    "compose",
    "fix_problems",
    "outlines",
    "parse",
    "placeholder",
    "polished",
    "render",
    "render_section",
    "section_context",
    "sections",
    "unfinished",
]
