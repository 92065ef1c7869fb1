"""A section of a plan from what was said: a short frame, and below it lists and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.known import NONE, TASKS, from_known, stated
from thoughtforge.providers.builtin.money import cost_table, rate
from thoughtforge.providers.builtin.placing import HOMES, Item, home_of, place, placed, said
from thoughtforge.providers.builtin.sentences import (
    ASSUMED,
    GAPS,
    LEFT_OPEN,
    NO_CRITERION,
    NO_OWN_CRITERION,
    OPEN_OBJECTIVE,
    OPEN_POINTS,
    SEE_BELOW,
)
from thoughtforge.providers.builtin.sorting import WISH
from thoughtforge.providers.builtin.tables import written

CELL = 280
"""Characters of a cell; what is longer stands below the frame."""
SHORT = 160
"""Characters of the middle cell, which is only the beginning of what stands below it."""


def fill(
    section: Mapping[str, Any],
    intent: JsonObject,
    *,
    proposal: JsonObject,
    resources: Sequence[Mapping[str, Any]] = (),
) -> JsonObject:
    """The slots of a section; each sentence stands in one section, the one whose words it shares most."""
    heading = str(section["heading"])
    sections = proposal["structure"]
    if heading not in [each["name"] for each in sections]:
        sections = [*sections, {"name": heading, "purpose": str(section.get("purpose", heading))}]
    if heading == OPEN_POINTS:
        parts = _open_section(intent, proposal)
    else:
        items = [item for item in placed(sections, intent, proposal, resources=resources) if item.section == heading]
        parts = _section(heading, items, intent, proposal=proposal, sections=sections)
        parts["objective"] = parts["objective"] or str(section.get("purpose") or heading)
    return {"stuck": False, "content": _slots(list(section["slots"]), parts)}


def _slots(slots: Sequence[str], parts: Mapping[str, str]) -> dict[str, str]:
    """The parts by slot; a frame without room below it carries everything in its middle."""
    has_body = any(slot.endswith("_body") for slot in slots)
    plan = parts["plan"] if has_body else "\n".join(part for part in (parts["plan"], parts["body"]) if part)
    told = {**parts, "plan": plan if has_body or plan != SEE_BELOW else parts["body"]}
    return {slot: told.get(slot.rpartition("_")[2], "") for slot in slots}


def _section(
    heading: str, items: Sequence[Item], intent: JsonObject, *, proposal: JsonObject, sections: Sequence[JsonObject]
) -> dict[str, str]:
    wanted = [item.text for item in items if item.list == "objective"]
    told = [text for texts in said(intent, proposal).values() for text in texts]
    wishes = [stated(text) for text in sorted(wanted, key=lambda text: WISH.search(text) is None)]
    tables = [*_tasks(items), *_costs(items, told), *_brought(items)]
    own = [
        one["text"]
        for one in proposal.get("criteria", ())
        if place(one["text"], sections, home="constraints") == heading
    ]
    lines = _lines(items, own, alone=not tables)
    first = heading == (home_of("objective", sections) or sections[0]["name"])
    objective, more = _fitting([*(wishes or ([intent["title"]] if first else []))])
    plan, below = _fitting(lines, SHORT)
    answered = all(item.text.startswith(GAPS) for item in items)
    if answered and not tables and HOMES["tasks"].search(heading):
        tables = [from_known(heading, intent, proposal, sections=sections).body]
    if not plan and not below and not tables:
        known = from_known(heading, intent, proposal, sections=sections)
        plan, tables = known.plan, [known.body] if known.body else []
    if below or (tables and not plan):
        plan = plan or SEE_BELOW
    body = [_bullets([*more, *below]), *tables]
    assessment, rest = _fitting(own)
    return {
        "objective": objective,
        "plan": plan,
        "assessment": assessment or (NO_OWN_CRITERION if proposal.get("criteria") else NO_CRITERION),
        "body": "\n\n".join(part for part in [*body, _criteria(rest)] if part),
    }


def _lines(items: Sequence[Item], criteria: Sequence[str], *, alone: bool) -> list[str]:
    """What is said in sentences; one that is a criterion stands there, unless nothing else is said."""
    told = [item for item in items if item.list not in ("objective", "tasks", "money", "tables")]
    besides = [item for item in told if item.text not in criteria]
    return list(dict.fromkeys(_line(item) for item in (besides or (told if alone else []))))


def _fitting(texts: Sequence[str], most: int = CELL) -> tuple[str, list[str]]:
    """As many of the texts as fit into a cell, and the rest."""
    kept: list[str] = []
    for text in texts:
        if (kept and len(" ".join([*kept, text])) > most) or len(text) > CELL:
            break
        kept.append(_ended(text) if len(texts) > 1 else text)
    return " ".join(kept), list(texts[len(kept) :])


def _ended(text: str) -> str:
    """A sentence with a mark at its end, so that the next one can follow."""
    return text if text.rstrip()[-1:] in '.!?…:;。！？)”"' else f"{text}."


def _line(item: Item) -> str:
    return f"{ASSUMED} {stated(item.text)}" if item.list == "assumptions" else stated(item.text)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}".replace("\n", "\n  ") for line in lines)


def _criteria(texts: Sequence[str]) -> str:
    return f"Also judged by:\n\n{_bullets(texts)}" if texts else ""


def _tasks(items: Sequence[Item]) -> list[str]:
    """Who does what by when, as a table."""
    rows = [(one.task.what, one.task.who, one.task.when or NONE, NONE) for one in items if one.task is not None]
    return [written(TASKS, list(dict.fromkeys(rows)))] if rows else []


def _costs(items: Sequence[Item], told: Sequence[str]) -> list[str]:
    """Costs and incomes as a table; without a balance where something has a price for each of it."""
    costs = [item.cost for item in items if item.cost is not None]
    return [cost_table(costs, balanced=not any(map(rate, told)))] if costs else []


def _brought(items: Sequence[Item]) -> list[str]:
    """The tables of the resources, each under the name of its file."""
    found = []
    for item in items:
        if item.table is not None:
            left = f"\n\n{item.table.left} more rows are in the file." if item.table.left else ""
            head = f"### {item.table.name}\n\n" if item.table.name else ""
            found.append(f"{head}{written(item.table.header, item.table.rows)}{left}")
    return found


def _open_section(intent: JsonObject, proposal: JsonObject) -> dict[str, str]:
    """Everything that is open, once."""
    texts = {one["id"]: one["text"] for key in ("open_questions", "unknowns") for one in intent[key]}
    texts |= {one["id"]: one["concern"] for one in proposal["challenges"]}
    left = [row["id"] for row in proposal["resolved"] if row["resolution"] == LEFT_OPEN]
    names = [*(one["id"] for one in proposal["open"]), *left]
    lines = [f"**{name}** {texts.get(name, '')}".strip() for name in names]
    return {
        "objective": OPEN_OBJECTIVE,
        "plan": SEE_BELOW,
        "assessment": f"{len(lines)} open",
        "body": _bullets(lines),
    }
