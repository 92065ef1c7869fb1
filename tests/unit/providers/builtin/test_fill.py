"""A section from what was said: each sentence where its words belong, and what nobody said is named."""

from pathlib import Path

import pytest

from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan import accept, choose, outlines
from thoughtforge.providers.builtin.distil import distil
from thoughtforge.providers.builtin.propose import fill, propose
from thoughtforge.providers.builtin.sentences import NOT_SAID

NOTES = sorted((Path(__file__).parents[3] / "notes").glob("*.md"))
CATALOG = Catalog(project={}, user=None)


def filled(note: str, answers: dict[str, str]) -> dict[str, str]:
    intent = distil([note])
    proposal = propose(intent, answers, templates=outlines(CATALOG))
    found: dict[str, str] = {}
    for section in choose(CATALOG, proposal["plan_kind"]).template.sections:
        found |= fill(section._asdict(), intent, proposal=proposal)["content"]
    return found


def test_sentences_stand_where_their_words_belong() -> None:
    note = "We want a wedding. At most 80 guests. The cake must be vegan. Budget is 900 euros. Who plays music?"
    found = filled(note, {"Q-1": "Bo."})
    said = {slot: text for slot, text in found.items() if text != NOT_SAID}
    assert said == {
        "celebration_objective": "We want a wedding.",
        "guests_plan": "At most 80 guests.",
        "food_plan": "The cake must be vegan.",
        "food_assessment": "The cake must be vegan.",
        "programme_plan": "Who plays music? Bo.",
        "money_plan": "Budget is 900 euros.",
    }
    assert len(found) == 27


def test_a_question_without_an_answer_says_so_once() -> None:
    found = filled("We want a wedding. It must be cheap. Who plays music?", {})
    assert found["programme_plan"] == f"Who plays music? ({NOT_SAID})"
    assert f"({NOT_SAID})" not in found["celebration_objective"]
    asked = filled("We want a wedding.", {})
    assert [text.count(NOT_SAID) for text in asked.values() if "limits" in text] == [1]


@pytest.mark.parametrize("note", NOTES, ids=lambda path: path.stem)
def test_every_slot_is_taken_with_every_note_and_refused_from_anyone_else(note: Path) -> None:
    intent = distil([note.read_text(encoding="utf-8")])
    proposal = propose(intent, {}, templates=outlines(CATALOG))
    for section in choose(CATALOG, proposal["plan_kind"]).template.sections:
        made = fill(section._asdict(), intent, proposal=proposal)
        assert (made["stuck"], tuple(made["content"])) == (False, section.slots)
        unsaid = [slot for slot, text in made["content"].items() if text == NOT_SAID]
        missing = accept(section, made["content"]).missing
        assert [slot for slot in unsaid if not any(slot in what for what in missing)] == []


def test_a_section_the_proposal_does_not_know_is_filled_as_well() -> None:
    intent = distil(["We want a garden. The pond must be deep."])
    section = {"heading": "Pond", "purpose": "The pond.", "slots": ["pond_plan"]}
    assert fill(section, intent, proposal=propose(intent, {})) == {
        "stuck": False,
        "content": {"pond_plan": "The pond must be deep."},
    }
