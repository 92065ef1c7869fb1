"""The document from a template and what its slots hold so far."""

from __future__ import annotations

from collections.abc import Mapping

from thoughtforge.deliverables.plan.template import TITLE, Section, Template, jinja
from thoughtforge.kernel.errors import Mistake


def render(template: Template, filled: Mapping[str, str], *, title: str) -> str:
    """The whole document; a slot without content is an empty cell, so a half-filled plan can be shown and kept."""
    slots = {slot: filled.get(slot, "") for section in template.sections for slot in section.slots}
    return _rendered(template.text, template.path, variables={**slots, TITLE: " ".join(title.split())})


def render_section(template: Template, section: Section, *, filled: Mapping[str, str]) -> str:
    """One section alone, as it stands in the document."""
    slots = {slot: filled.get(slot, "") for slot in section.slots}
    return _rendered(section.text, template.path, variables={**slots, TITLE: ""}).strip() + "\n"


def _rendered(text: str, path: str, *, variables: Mapping[str, str]) -> str:
    from jinja2 import TemplateError

    try:
        return jinja().from_string(text).render(**variables)
    except TemplateError as error:
        raise Mistake(f"{path}: {error}", do="Correct the template.") from error
