"""The skeleton of a plan: the sections of the proposal a person confirms, in that order and under those names.

A proposer starts from a template. What it marks as required stays; all else may be added, ordered and named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from thoughtforge.deliverables.plan.template import COLUMNS, GENERIC, HOLDS, Section, Template, slots_of
from thoughtforge.kernel.model import JsonObject

LONGEST_NAME = 40
NOT_A_WORD = re.compile(r"\W+")


def skeleton(template: Template, structure: Sequence[Mapping[str, object]]) -> Template:
    """The template with the confirmed sections; one the template knows keeps its slots and its fixed text."""
    known = {_key(section.heading): section for section in template.sections}
    taken = {section.name for section in template.sections}
    found: list[Section] = []
    for item in structure:
        heading, purpose = str(item["name"]), str(item["purpose"])
        section = known.pop(_key(heading), None) or _new(heading, taken)
        found.append(section._replace(heading=heading, purpose=purpose, holds=_both(section.holds, item)))
        taken.add(section.name)
    return template._replace(sections=tuple(found))


def _both(holds: Sequence[str], item: Mapping[str, object]) -> tuple[str, ...]:
    """What the template says that a section holds, and what the proposer adds."""
    more = item.get("holds")
    return tuple(one for one in HOLDS if one in holds or (isinstance(more, list) and one in more))


def _new(heading: str, taken: set[str]) -> Section:
    """A section no template has."""
    base = NOT_A_WORD.sub("_", heading.casefold()).strip("_")[:LONGEST_NAME]
    base = base if base.isascii() and base.isidentifier() else "section"
    names = (base, *(f"{base}_{number}" for number in range(2, len(taken) + 3)))
    name = next(one for one in names if one not in taken)
    slots = " | ".join(f"{{{{ {name}_{column} }}}}" for column in COLUMNS)
    table = f"\n| Objective | Plan | Assessment |\n|---|---|---|\n| {slots} |\n"
    return Section(name, heading, heading, slots_of(name), table)


def missing_sections(proposal: JsonObject, kinds: Mapping[str, Sequence[JsonObject]]) -> tuple[str, ...]:
    """The sections the proposal's template requires and its structure lacks."""
    there = {_key(item["name"]) for item in proposal["structure"]}
    return tuple(
        each["name"] for each in _outline(proposal, kinds) if _required(each) and _key(each["name"]) not in there
    )


def with_required(proposal: JsonObject, kinds: Mapping[str, Sequence[JsonObject]]) -> JsonObject:
    """The proposal with every required section, each after the one the template has before it; no name twice.

    A section the template knows says what it holds, so that the person sees it and everybody goes by it.
    """
    structure = [dict(item) for item in proposal["structure"]]
    templates = {_key(each["name"]): each for each in _outline(proposal, kinds)}
    for item in structure:
        if holds := _both(templates.get(_key(item["name"]), {}).get("holds", ()), item):
            item["holds"] = [*holds]
    before: list[str] = []
    for each in _outline(proposal, kinds):
        places = {_key(item["name"]): number for number, item in enumerate(structure)}
        if _required(each) and _key(each["name"]) not in places:
            after = next((places[name] + 1 for name in reversed(before) if name in places), 0)
            structure.insert(after, {key: value for key, value in each.items() if key != "required"})
        before.append(_key(each["name"]))
    return {**proposal, "structure": _named(structure)}


def _named(structure: Sequence[JsonObject]) -> list[JsonObject]:
    """Names as they can stand in a heading: one line, no marks before them, none twice."""
    found: list[JsonObject] = []
    for item in structure:
        plain = " ".join(str(item["name"]).split()).strip("# ") or "Section"
        there = {_key(each["name"]) for each in found}
        names = (plain, *(f"{plain} ({number})" for number in range(2, len(structure) + 2)))
        found.append({**item, "name": next(name for name in names if _key(name) not in there)})
    return found


def _outline(proposal: JsonObject, kinds: Mapping[str, Sequence[JsonObject]]) -> Sequence[JsonObject]:
    return kinds.get(proposal["plan_kind"] or GENERIC) or kinds.get(GENERIC, ())


def _required(outlined: JsonObject) -> bool:
    return bool(outlined.get("required"))


def _key(name: object) -> str:
    return " ".join(str(name).split()).strip("# ").casefold()
