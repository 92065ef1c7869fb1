"""Messy notes as people write them, and what must and must not come out of them by rules."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

import thoughtforge
from notes import MESSY, OWN, expected, lost, messy
from thoughtforge.catalog import Catalog
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.contract import load
from thoughtforge.contracts.validate import check
from thoughtforge.deliverables.plan import outlines
from thoughtforge.providers.builtin.distil import distil
from thoughtforge.providers.builtin.fill import fill
from thoughtforge.providers.builtin.propose import propose
from thoughtforge.providers.builtin.sentences import BOTH, DOUBT, REPLACED
from thoughtforge.think.texts import intent_text

LIBRARY = Path(thoughtforge.__file__).parent / "library" / "contracts"
CONTRACTS = {
    name: load((LIBRARY / f"{name}.yaml").read_text(encoding="utf-8"), source=name) for name in ("intent", "proposal")
}
TEMPLATES = outlines(Catalog(project={}, user=None))
EXPECTED = expected()
SECONDS = 0.9
"""The longest the rules may keep the processor busy for a note, everything included."""


def made(name: str) -> dict[str, Any]:
    return distil([messy(name)], [], EXPECTED[name].get("later", ()))


def plan(name: str) -> str:
    """All sections of the plan, as far as the rules write them."""
    intent = made(name)
    proposal = propose(intent, {}, said=EXPECTED[name].get("said", ()), templates=TEMPLATES)
    parts = []
    for number, section in enumerate(proposal["structure"]):
        slots = [f"s{number}_{part}" for part in ("objective", "plan", "assessment", "body")]
        asked = {"heading": section["name"], "purpose": section["purpose"], "slots": slots}
        filled = fill(asked, intent, proposal=proposal)["content"]
        parts.append("\n".join([f"## {section['name']}", *filled.values()]))
    return "\n\n".join(parts)


def test_every_note_has_its_expectations() -> None:
    assert sorted(EXPECTED) == sorted(path.stem for path in MESSY.glob("*.md"))
    assert len(EXPECTED) >= 20


@pytest.mark.parametrize("name", EXPECTED)
def test_the_intent_holds_what_it_must_and_nothing_it_must_not(name: str) -> None:
    intent, wanted = made(name), EXPECTED[name]
    assert check(intent, CONTRACTS["intent"]) == ()
    assert intent["deliverable_type"] == wanted["type"]
    assert wanted.get("title", intent["title"]) == intent["title"]
    assert wanted.get("reason", "") in intent["type_reason"]
    assert wanted.get("objective_is", intent["objective"]) == intent["objective"]
    asked = [one["text"] for key in ("open_questions", "unknowns") for one in intent[key]]
    kept = [text for text in intent["context"] if text.startswith(REPLACED)]
    lists = {**{key: intent[key] for key in ("objective", "constraints", "assumptions")}, "questions": asked}
    lists |= {"replaced": kept, "context": [text for text in intent["context"] if text not in kept]}
    for key, texts in lists.items():
        told = "\n".join(texts)
        assert [part for part in wanted.get(key, ()) if part not in told] == [], key
        assert [part for part in wanted.get(f"no_{key}", ()) if part in told] == [], key
    if "asks_type" in wanted:
        assert any(text in (BOTH, DOUBT) for text in asked) == wanted["asks_type"]


@pytest.mark.parametrize("name", EXPECTED)
def test_nothing_of_a_note_is_lost_and_no_word_is_new(name: str) -> None:
    view = intent_text(made(name))
    assert lost(messy(name), view) == []
    for frame in OWN:
        view = view.replace(frame, " ")
    said = set(re.findall(r"\w+", "\n".join([messy(name), *EXPECTED[name].get("later", ())])))
    ids = re.compile(r"[UQ]|OBJ|CON|\d+")
    assert {word for word in re.findall(r"\w+", view) if word not in said and not ids.fullmatch(word)} == set()


@pytest.mark.parametrize("name", [name for name, wanted in EXPECTED.items() if wanted["type"] == "plan"])
def test_the_plan_holds_what_it_must_and_nothing_it_must_not(name: str) -> None:
    began = time.process_time()
    text, wanted = plan(name), EXPECTED[name]
    assert time.process_time() - began < SECONDS
    assert [part for part in wanted.get("plan", ()) if part not in text] == []
    assert [part for part in wanted.get("no_plan", ()) if part in text] == []
    assert "not said yet" not in text


@pytest.mark.parametrize("name", EXPECTED)
def test_a_proposal_keeps_its_contract_and_asks_at_most_eight_questions(name: str) -> None:
    intent = made(name)
    proposal = propose(intent, {}, templates=TEMPLATES)
    assert check(proposal, CONTRACTS["proposal"], ValidationContext(artifacts={"intent": intent})) == ()
    assert len(proposal["open"]) <= 8
    if "kind" in EXPECTED[name]:
        assert proposal["plan_kind"] == EXPECTED[name]["kind"]
