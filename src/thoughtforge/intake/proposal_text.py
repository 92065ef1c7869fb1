"""A proposal as one message: every element in it, and what is still open first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thoughtforge.kernel.model import JsonObject


def proposal_text(intent: JsonObject, proposal: JsonObject, *, cards: Sequence[str] = ()) -> str:
    """The whole proposal for the person to read."""
    asked = {item["id"]: item["text"] for item in (*intent["unknowns"], *intent["open_questions"])}
    kind = proposal["plan_kind"] or proposal["language"] or intent["deliverable_type"]
    parts = [
        f"# Proposal: {intent['title']} ({intent['deliverable_type']}, {kind})",
        proposal["overview"],
        _section("Open, for you to decide", (f"{o['id']}: {o['question']}" for o in proposal["open"])),
        _section("Structure", (f"{s['name']}: {s['purpose']}" for s in proposal["structure"])),
        _section(
            "Decisions", (f"{d['id']} {d['title']}: {d['decision']} ({d['reason']})" for d in proposal["decisions"])
        ),
        _section("Doubts", map(_doubt, proposal["challenges"])),
        _section(
            "Settled",
            (f"{r['id']} {asked.get(r['id'], '')} → {r['resolution']} ({r['by']})" for r in proposal["resolved"]),
        ),
        _section("Components", cards),
        _section("Acceptance criteria", (f"{c['id']}: {c['text']}" for c in proposal.get("criteria") or ())),
    ]
    return "\n\n".join(part for part in parts if part)


def _doubt(row: dict[str, str]) -> str:
    then = f" → {row['resolution']}" if row["resolution"] else ""
    return f"{row['id']} ({row['area']}): {row['concern']} Because: {row['reasoning']}{then}"


def _section(heading: str, lines: Iterable[str]) -> str:
    listed = [f"- {line}" for line in lines]
    return "\n".join([f"## {heading}", *listed]) if listed else ""
