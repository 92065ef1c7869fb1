"""A plan: one Markdown document with an OPA table (Objective, Plan, Assessment) in every section.

A template fixes the headings and tables; content comes in slots and cannot change the structure.
"""

from __future__ import annotations

from thoughtforge.deliverables.plan.cells import cell
from thoughtforge.deliverables.plan.choose import Choice, choose, outlines
from thoughtforge.deliverables.plan.overflow import SectionContext, section_context
from thoughtforge.deliverables.plan.placeholders import placeholder
from thoughtforge.deliverables.plan.render import render, render_section
from thoughtforge.deliverables.plan.slots import Filling, accept, unfinished
from thoughtforge.deliverables.plan.structure import fix_problems
from thoughtforge.deliverables.plan.template import Section, Template, parse, sections

__all__ = [
    "Choice",
    "Filling",
    "Section",
    "SectionContext",
    "Template",
    "accept",
    "cell",
    "choose",
    "fix_problems",
    "outlines",
    "parse",
    "placeholder",
    "render",
    "render_section",
    "section_context",
    "sections",
    "unfinished",
]
