"""A plan: one Markdown document; in every section an OPA table (Objective, Plan, Assessment) frames the content.

The confirmed proposal fixes the sections; content comes in slots and cannot change the structure.
"""

from __future__ import annotations

from thoughtforge.deliverables.plan.kind import OPERATIONS, PATH, TESTED, belongs, compose, polished
from thoughtforge.deliverables.plan.showing import SectionContext, section_context
from thoughtforge.deliverables.plan.skeleton import missing_sections, skeleton, with_required
from thoughtforge.deliverables.plan.slots import Filling, accept, placeholder, render, render_section, unfinished
from thoughtforge.deliverables.plan.structure import fix_problems
from thoughtforge.deliverables.plan.template import Choice, Section, Template, cell, choose, outlines, parse

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
    "missing_sections",
    "outlines",
    "parse",
    "placeholder",
    "polished",
    "render",
    "render_section",
    "section_context",
    "skeleton",
    "unfinished",
    "with_required",
]
