"""The documents of a thought as Markdown: intent, specification and constraints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import unified_diff

from thoughtforge.agent.context import Block
from thoughtforge.agent.tokens import estimate
from thoughtforge.catalog import extension_names
from thoughtforge.kernel.model import JsonObject
from thoughtforge.think.tracing import LISTS, Trace, traced

NOTHING = "None listed."
"""Stands where a list is empty; whether somebody said something about it, the list cannot know."""


NONE_OPEN = "None is open."
"""The same for unknowns and questions: what was answered is none any more."""


def bullets(items: Sequence[str]) -> str:
    """A list; the further lines of an item stay below its bullet, code blocks too."""
    return "\n".join(f"- {_item(item)}" for item in items) or NOTHING


def numbered(items: Sequence[tuple[str, str]]) -> str:
    """A list whose items have ids."""
    return bullets([f"**{identity}** {text}" for identity, text in items])


def section(heading: str, body: str) -> str:
    """A heading with what stands below it."""
    return f"## {heading}\n\n{body}\n"


def _item(text: str) -> str:
    return text.strip("\n").replace("\n", "\n  ")


HEADINGS = {
    "type": "Deliverable Type",
    "objective": "Objective",
    "assumptions": "Assumptions",
    "constraints": "Constraints",
    "unknowns": "Unknowns",
    "open_questions": "Open Questions",
    "context": "Context",
}
INTENT_FRAME = (
    *HEADINGS.values(),
    *(name.capitalize() for name in extension_names("deliverables")),
    NOTHING,
    NONE_OPEN,
)
"""Every text of its own this view has; all else comes from the intent."""


def type_title(intent: JsonObject) -> str:
    """The type of the deliverable, as people read it."""
    return str(intent["deliverable_type"]).capitalize()


def intent_text(intent: JsonObject) -> str:
    """The title, the six sections, and what fits into none of them."""
    kind = f"**{type_title(intent)}**\n\n{intent['type_reason']}"
    parts = [f"# {' '.join(intent['title'].split())}\n", section(HEADINGS["type"], kind)]
    for key in ("objective", "assumptions", "constraints"):
        parts.append(section(HEADINGS[key], _points(intent, key)))
    for key in ("unknowns", "open_questions"):
        parts.append(
            section(
                HEADINGS[key], numbered([(one["id"], one["text"]) for one in intent[key]]) if intent[key] else NONE_OPEN
            )
        )
    parts.append(section(HEADINGS["context"], bullets(intent["context"])))
    return "\n".join(parts)


def _points(intent: JsonObject, key: str) -> str:
    if key not in LISTS:
        return bullets(intent[key])
    return numbered([(f"{LISTS[key]}-{number}", text) for number, text in enumerate(intent[key], 1)])


def proposal_text(
    intent: JsonObject, proposal: JsonObject, *, cards: Sequence[str] = (), before: JsonObject | None = None
) -> str:
    """Everything the person confirms, and what changed since the version before."""
    text = _proposed(intent, proposal, cards)
    return text if before is None else with_changes(_proposed(intent, before, cards), text)


def with_changes(before: str, after: str) -> str:
    """A version with what changed since the one before, below its title."""
    title, _, rest = after.partition("\n")
    return f"{title}\n\n{_changed(before, after)}\n{rest if rest.startswith(chr(10)) else chr(10) + rest}"


def _changed(before: str, after: str) -> str:
    """The lines that differ; what stayed is above."""
    lines = list(unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
    told = [line for line in lines if line[:1] in "+-" and line[1:].strip() and not line[1:].startswith("## ")]
    marked = [f"{line[0]} {line[1:].removeprefix('- ')}" for line in told]
    body = "\n".join(["```diff", *marked, "```"]) if marked else "Nothing."
    return f"## Changed since the last version\n{body}"


def _proposed(intent: JsonObject, proposal: JsonObject, cards: Sequence[str]) -> str:
    asked = {item["id"]: item["text"] for item in (*intent["unknowns"], *intent["open_questions"])}
    asked |= {item["id"]: item["concern"] for item in proposal["challenges"]}
    kind = proposal["plan_kind"] or proposal["language"] or intent["deliverable_type"]
    scope, severity = proposal["scope"], proposal["severity"]
    trace = traced(intent, proposal)
    parts = [
        f"# Proposal: {intent['title']} ({intent['deliverable_type']}, {kind})",
        proposal["overview"],
        _section("Open, for you to decide", (f"{o['id']}: {o['question']}" for o in proposal["open"])),
        _section("Structure", (f"{s['name']}: {s['purpose']}{_holds(s)}" for s in proposal["structure"])),
        _section(
            "Decisions", (f"{d['id']} {d['title']}: {d['decision']} ({d['reason']})" for d in proposal["decisions"])
        ),
        _section("Doubts", map(_doubt, proposal["challenges"])),
        _section(
            "Settled",
            (f"{r['id']} {asked.get(r['id'], '')} → {r['resolution']} ({r['by']})" for r in proposal["resolved"]),
        ),
        _section("In scope", scope["in"]),
        _section("Out of scope", scope["out"]),
        _section("Dependencies", proposal["dependencies"]),
        _section("Components", cards),
        _section("Acceptance criteria", (f"{c['id']}: {c['text']}" for c in proposal.get("criteria") or ())),
        _section("Priorities", proposal["priorities"]),
        _section("What reviews leave alone", proposal["exclusions"]),
        _section("What a review counts as", (f"{level}: {severity[level]}" for level in severity)),
        _section(WENT, (f"{one.id} {one.text} {_where(one)}" for one in trace if one.known)),
        _section("Nobody says where these went", (f"{one.id} {one.text}" for one in trace if not one.known)),
    ]
    return "\n\n".join(part for part in parts if part)


HELD = {"actions": "a table of tasks", "figures": "a table with totals"}


def _holds(section: JsonObject) -> str:
    """The tables a section gets."""
    tables = [words for name, words in HELD.items() if name in section.get("holds", ())]
    return f" (with {' and '.join(tables)})" if tables else ""


def _doubt(row: dict[str, str]) -> str:
    then = f" → {row['resolution']}" if row["resolution"] else ""
    return f"{row['id']} ({row['area']}): {row['concern']} Because: {row['reasoning']}{then}"


def _section(heading: str, lines: Iterable[str]) -> str:
    listed = [f"- {line}" for line in lines]
    return "\n".join([f"## {heading}", *listed]) if listed else ""


DROPPED = ("Scope", "Severity Definitions", "Exclusions", "Priorities")
"""What can go, the first one first; context, type and acceptance criteria always stay."""
HEADING = re.compile(r"^## +(.+?) *$", re.MULTILINE)


def fitting(text: str, budget: int) -> tuple[str, tuple[str, ...]]:
    """The text within the budget as far as sections may go, and the sections that went."""
    gone: list[str] = []
    for name in DROPPED:
        if estimate(text) <= budget:
            break
        shorter = _without(text, name)
        if shorter != text:
            text, gone = shorter, [*gone, name]
    return text, tuple(gone)


def constraints_block(title: str, text: str, *, budget: int) -> Block:
    """The block a review, a build or a fix goes by."""
    kept, gone = fitting(text, budget)
    note = f"(left out for its size: {', '.join(gone)})\n\n" if gone else ""
    return Block(title, note + kept, budget, floor=budget // 2, untrusted=True)


def said_once(constraints: str, spec: str) -> str:
    """The constraints without the sections that stand in the specification word for word."""
    for name in REPEATED:
        start, end = _section_span(constraints, name)
        said = constraints[start:end].partition("\n")[2].strip()
        constraints = constraints[:start] + constraints[end:] if said and said in spec else constraints
    return constraints


def without_traces(spec: str) -> str:
    """The specification without where each point of the intent went: whoever gets it has the intent beside it."""
    return TRACES.sub("", spec)


def _without(text: str, name: str) -> str:
    """The text without one section."""
    start, end = _section_span(text, name)
    return text[:start] + text[end:]


def _section_span(text: str, name: str) -> tuple[int, int]:
    """From the heading of a section to the next one of that level; nothing when there is none of that name."""
    starts = [match.start() for match in HEADING.finditer(text)] + [len(text)]
    spans = zip(HEADING.finditer(text), starts[1:], strict=True)
    return next(((match.start(), end) for match, end in spans if match[1] == name), (0, 0))


SPEC_HEADINGS = (
    "Deliverable Overview",
    "Deliverable Structure",
    "Key Decisions",
    "Resolved Unknowns",
    "Dependencies",
    "Scope Boundaries",
)
CONSTRAINTS_HEADINGS = (
    "Context",
    "Deliverable Type",
    "Priorities",
    "Exclusions",
    "Severity Definitions",
    "Scope",
    "Acceptance Criteria",
)
OPEN = "Left Open"
NOBODY = "Nobody has decided these. Name each where it matters, and decide none of them."
WENT, LEFT_OUT, UNTRACED = "Where the intent went", "left out:", "nobody says where this went"
WORDS = (
    "Specification:", "Constraints:", "Kind of plan:", "Language:", "Open-source components:", "Reason:", "Concern:",
    "Reasoning:", "Resolution:", "(decided by a person)", "(decided by the agent)", "In scope", "Out of scope",
    "Critical:", "Medium:", "Minor:", WENT, LEFT_OUT, UNTRACED, OPEN, NOBODY,
)  # fmt: skip
REPEATED = ("Context", "Scope", OPEN)
"""Sections of the constraints that the specification has too."""
TRACES = re.compile(rf"^### {WENT}\n(?:[ \t]*\n|- .*\n|[ \t]+\S.*\n)*", re.MULTILINE)
"""Its heading and its list; what a person wrote below them is not part of it."""
TYPE_TITLES = tuple(name.capitalize() for name in extension_names("deliverables"))
SPEC_FRAME = (*SPEC_HEADINGS, *CONSTRAINTS_HEADINGS, *WORDS, *TYPE_TITLES, NOTHING)
"""Every text of their own these views have; all else comes from the intent and the proposal."""


def spec_text(intent: JsonObject, proposal: JsonObject, *, scorecards: str = "") -> str:
    """The specification; `scorecards` is what was measured about the components, as Markdown."""
    bodies = (
        proposal["overview"],
        _structure(proposal, scorecards),
        _decisions(proposal),
        _resolved(intent, proposal),
        bullets(proposal["dependencies"]),
        f"{_scope(proposal)}\n\n### {WENT}\n\n{_went(intent, proposal)}",
    )
    parts = [section(heading, body) for heading, body in zip(SPEC_HEADINGS, bodies, strict=True)]
    parts += _left_open(intent, proposal)
    return "\n".join([f"# Specification: {' '.join(intent['title'].split())}\n", *parts])


def constraints_text(intent: JsonObject, proposal: JsonObject) -> str:
    """What a review goes by; a person may change it at any time."""
    severity = proposal["severity"]
    named = [f"**{name.capitalize()}:** {severity[name]}" for name in ("critical", "medium", "minor")]
    criteria = [(one["id"], one["text"]) for one in proposal.get("criteria", ())]
    bodies = (
        proposal["overview"],
        type_title(intent),
        bullets(proposal["priorities"]),
        bullets(proposal["exclusions"]),
        bullets(named),
        _scope(proposal),
        numbered(criteria),
    )
    parts = [section(heading, body) for heading, body in zip(CONSTRAINTS_HEADINGS, bodies, strict=True)]
    parts += _left_open(intent, proposal)
    return "\n".join([f"# Constraints: {' '.join(intent['title'].split())}\n", *parts])


def open_points(intent: JsonObject, proposal: JsonObject) -> list[tuple[str, str]]:
    """What nobody has settled, by id: questions to the person, and unknowns and questions of the intent."""
    settled = {row["id"] for row in proposal["resolved"]}
    asked = {row["id"]: row["text"] for key in ("unknowns", "open_questions") for row in intent[key]}
    left = {**asked, **{row["id"]: row["question"] for row in proposal["open"]}}
    return [(name, text) for name, text in left.items() if name not in settled]


def _left_open(intent: JsonObject, proposal: JsonObject) -> list[str]:
    """What the person left open on purpose; nothing when nothing is."""
    left = open_points(intent, proposal)
    return [section(OPEN, f"{NOBODY}\n\n{numbered(left)}")] if left else []


def _structure(proposal: JsonObject, scorecards: str) -> str:
    parts = []
    if proposal["plan_kind"]:
        parts.append(f"Kind of plan: {proposal['plan_kind']}")
    if proposal["language"]:
        parts.append(f"Language: {proposal['language']}")
    parts.append(bullets([f"**{one['name']}**: {one['purpose']}" for one in proposal["structure"]]))
    components = [f"{one['name']} ({one['ecosystem']}): {one['purpose']}" for one in proposal["components"]]
    if components:
        parts.append(f"Open-source components:\n\n{bullets(components)}")
    if scorecards.strip():
        parts.append(scorecards.strip())
    return "\n\n".join(parts)


def decided_text(intent: JsonObject, proposal: JsonObject) -> str:
    """What was decided and settled, for those who review and fix."""
    return f"{_decisions(proposal)}\n\n{_resolved(intent, proposal)}"


def _decisions(proposal: JsonObject) -> str:
    """The decisions, and every challenge something follows from, with what it was about."""
    made = [(one["id"], f"{one['title']}: {one['decision']}\nReason: {one['reason']}") for one in proposal["decisions"]]
    followed = [one for one in proposal["challenges"] if one["resolution"].strip()]
    accepted = [
        (one["id"], f"Concern: {one['concern']}\nReasoning: {one['reasoning']}\nResolution: {one['resolution']}")
        for one in followed
    ]
    return numbered([*made, *accepted])


def _resolved(intent: JsonObject, proposal: JsonObject) -> str:
    asked = {one["id"]: one["text"] for key in ("unknowns", "open_questions") for one in intent[key]}
    asked |= {one["id"]: one["concern"] for one in proposal["challenges"] if not one["resolution"].strip()}
    by = {"person": "(decided by a person)", "ai": "(decided by the agent)"}
    return numbered(
        [
            (one["id"], f"{asked[one['id']]}\n{one['resolution']} {by[one['by']]}")
            for one in proposal["resolved"]
            if one["id"] in asked
        ]
    )


def _went(intent: JsonObject, proposal: JsonObject) -> str:
    return numbered([(one.id, f"{one.text} {_where(one)}") for one in traced(intent, proposal)])


def _where(one: Trace) -> str:
    if one.places:
        return f"→ {', '.join(one.places)}"
    return f"({LEFT_OUT} {one.left_out})" if one.left_out else f"({UNTRACED})"


def _scope(proposal: JsonObject) -> str:
    scope = proposal["scope"]
    return f"### In scope\n\n{bullets(scope['in'])}\n\n### Out of scope\n\n{bullets(scope['out'])}"
