"""The template of a plan: the one of its kind, the generic one with a warning, or an error that names the folder."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan.template import Template, parse
from thoughtforge.kernel.errors import Mistake

GENERIC = "generic"


class Choice(NamedTuple):
    """The template of a plan and what a person should know about the choice."""

    template: Template
    warning: str


def choose(catalog: Catalog, kind: str | None) -> Choice:
    """The template for a kind of plan. A broken one is an error with its details, never replaced by another."""
    known = catalog.names("templates")
    if kind and kind in known:
        return Choice(_load(catalog, kind), "")
    if GENERIC not in known:
        lacks = f"has no {GENERIC}.md" if known else "has none"
        raise Mistake(
            f"no plan template can be used: {catalog.library / 'templates'} {lacks}",
            do=f"Put {GENERIC}.md there, or install the program again.",
        )
    warning = f"there is no plan template {kind!r}; the {GENERIC} one is used" if kind and kind != GENERIC else ""
    return Choice(_load(catalog, GENERIC), warning)


def outlines(catalog: Catalog) -> dict[str, list[dict[str, str]]]:
    """Every kind of plan with its sections, for whoever proposes one; templates that are broken are left out."""
    found: dict[str, list[dict[str, str]]] = {}
    for kind in catalog.names("templates"):
        try:
            template = _load(catalog, kind)
        except Mistake:
            continue  # it is reported when somebody asks for it
        found[kind] = [{"name": section.heading, "purpose": section.purpose} for section in template.sections]
    return found


def _load(catalog: Catalog, kind: str) -> Template:
    file = catalog.find("templates", kind)
    return parse(kind, file.text, path=file.path, digest=file.digest)
