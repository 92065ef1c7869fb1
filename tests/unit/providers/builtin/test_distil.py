"""From notes to an intent: every sentence is kept, nothing is added, and what is doubtful is asked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thoughtforge
from notes import NAMES, foreign, lost, note
from thoughtforge.contracts.contract import load
from thoughtforge.contracts.validate import check
from thoughtforge.providers.builtin.distil import distil
from thoughtforge.providers.builtin.sentences import (
    BOTH,
    BY_WHEN,
    FIRST_STEPS,
    HOW_MUCH,
    NO_CRITERIA,
    NO_OBJECTIVE,
    REPLACED,
    TAKEN_IN,
    UNTITLED,
    WHAT_RISKS,
    WHO_DOES,
)
from thoughtforge.think.texts import intent_text

LIBRARY = Path(thoughtforge.__file__).parent / "library" / "contracts"
CONTRACT = load((LIBRARY / "intent.yaml").read_text(encoding="utf-8"), source="intent.yaml")
WORDS = ["we", "want", "must", "not", "maybe", "think", "who", "3.", "max.", "e.g.", "https://a.b/c?d=1.2", "##", "-"]
WORDS += ["|", "```", "?", "!", ".", ":", "\n", "\n\n", "\t", "*", "Ziel", "quiero", "。", "雨", "ü", "at most 3 x"]


def test_there_are_twelve_notes() -> None:
    assert len(NAMES) == 12


@pytest.mark.parametrize("name", NAMES)
def test_every_sentence_of_a_note_is_in_its_intent_and_nothing_else_is(name: str) -> None:
    intent = distil([note(name)])
    view = intent_text(intent)
    assert check(intent, CONTRACT) == ()
    assert (lost(note(name), view), foreign(view, note(name))) == ([], [])


@pytest.mark.parametrize(
    ("name", "kind", "title"),
    [
        ("api", "code", "Stock API"),
        ("both", "plan", "Plan for the bird count"),
        ("cli", "code", "cli tool for renaming photos"),
        ("contradictory", "plan", "The club house renovation"),
        ("garden", "plan", "garden behind the house"),
        ("languages", "plan", "einen Gemeinschaftsgarten für die ganze Straße"),
        ("links", "plan", "the floor plan we liked"),
        ("meeting", "plan", "Meeting notes, harbour museum, new exhibition"),
        ("nearly_empty", "plan", "later"),
        ("questions", "plan", "Can a boat be insulated from the inside"),
        ("startup", "plan", "fresh bread subscription for offices"),
        ("wedding", "plan", "Lena & Sam get married"),
    ],
)
def test_type_and_title_of_the_notes(name: str, kind: str, title: str) -> None:
    intent = distil([note(name)])
    assert (intent["deliverable_type"], intent["title"]) == (kind, title)


def test_the_wedding_note_sorted() -> None:
    assert distil([note("wedding")]) == {
        "title": "Lena & Sam get married",
        "deliverable_type": "plan",
        "type_reason": "Words that point to a plan: wedding.",
        "objective": [
            "We want a small wedding by the lake next summer, nothing stiff.",
            "Sam wants a brass band, I would rather have a playlist and good speakers.",
            "Mum thinks we should invite the whole choir.",
            "It should feel like a long summer evening & not like an office party.",
        ],
        "assumptions": ["I think the registrar only comes on Saturdays."],
        "constraints": [
            "At most 70 guests, otherwise the barn gets too full.",
            "barn is reserved until 1 a.m., costs 1,400 € incl. benches",
            "food: vegan must be an option, Aunt Rosa is allergic to nuts!",
            "Budget all in all 9,000 euros, and that includes the dress.",
        ],
        "unknowns": [
            {"id": "U-1", "text": "Not sure if we need a permit for the fire bowl."},
            {"id": "U-2", "text": "Maybe a shuttle bus at midnight."},
        ],
        "open_questions": [
            {"id": "Q-1", "text": NO_CRITERIA},
            {"id": "Q-2", "text": "Who drives grandma home?"},
            {"id": "Q-3", "text": "photographer???"},
            {"id": "Q-4", "text": FIRST_STEPS},
        ],
        "context": [
            "ok so it is happening.",
            "rings — ask the goldsmith in Mill Street (she did a lovely job for Tim)",
        ],
    }


def test_signs_of_both_make_a_plan_and_the_question_comes_first() -> None:
    intent = distil([note("both")])
    assert intent["deliverable_type"] == "plan"
    assert intent["open_questions"][0] == {"id": "Q-1", "text": BOTH}


@pytest.mark.parametrize("word", ["code", "Change it to Code.", "type: code"])
def test_a_later_message_that_names_only_the_type_decides_it(word: str) -> None:
    intent = distil([note("both"), word])
    assert intent["deliverable_type"] == "code"
    assert BOTH not in [question["text"] for question in intent["open_questions"]]


def test_what_was_not_said_is_asked() -> None:
    intent = distil([note("nearly_empty")])
    assert [one["text"] for one in intent["open_questions"]] == [NO_OBJECTIVE, BY_WHEN, WHO_DOES, HOW_MUCH, NO_CRITERIA]
    assert intent["context"] == ["hm."]


def test_nothing_at_all_is_untitled() -> None:
    assert distil([""])["title"] == UNTITLED


def test_at_most_five_questions_are_asked_and_the_rest_is_unknown() -> None:
    intent = distil([note("questions")])
    assert [one["text"] for one in intent["open_questions"]] == [
        NO_OBJECTIVE,
        NO_CRITERIA,
        "How much does it cost?",
        "What does it weigh then?",
        "Who in the yard has done it before?",
    ]
    assert [one["text"] for one in intent["unknowns"]] == [
        "When is the yard free?",
        FIRST_STEPS,
        WHAT_RISKS,
        "Which glue holds on old paint?",
        "Are we even allowed to?",
        "Can a boat be insulated from the inside?",
        "Is cork better than foam?",
        "Do we lose headroom?",
        "why did nobody do it so far",
    ]


def test_statements_that_speak_against_each_other_are_asked_about() -> None:
    asked = [one["text"] for one in distil([note("contradictory")])["open_questions"]]
    early, late = "The roof must be done by August.", "The roof must not be done by August"
    assert asked == [
        f"Which of the two is right? “{early}” / “{late}, because the swallows are nesting until September.”",
        "Which of the two is right? “Our budget is 30,000 euros.” / "
        "“Erik says the budget is 20,000 euros at the very most.”",
        "Which of the two is right? “At most 40 people in the hall.” / “We need room for at least 60 people.”",
        WHO_DOES,
        NO_CRITERIA,
    ]


def test_a_resource_is_read_for_what_can_be_sorted_and_named() -> None:
    resource = {"name": "rules.txt", "text": "The hall opened in 1950. Shoes must stay outside.\n| must | table |"}
    intent = distil(["We want a dance evening."], [resource])
    assert intent["constraints"] == ["Shoes must stay outside."]
    assert intent["context"] == ["The hall opened in 1950.", "Resource: rules.txt"]


def test_an_answer_takes_its_question_away_and_the_others_keep_their_ids() -> None:
    note = "We want a party in May. Bo cooks. It must be cheap. Who plays? Who pays? Is the hall free?"
    asked = {one["id"]: one["text"] for one in distil([note])["open_questions"]}
    assert asked == {
        "Q-1": NO_CRITERIA,
        "Q-2": "Who plays?",
        "Q-3": "Who pays?",
        "Q-4": "Is the hall free?",
        "Q-5": FIRST_STEPS,
    }
    intent = distil([note], said=["3: my uncle", "help", "yes, all day", "What about the dog?", "Q-1: all dance"])
    assert intent["open_questions"] == [
        {"id": "Q-2", "text": "Who plays?"},
        {"id": "Q-6", "text": "What about the dog?"},
        {"id": "Q-5", "text": FIRST_STEPS},
    ]
    assert intent["context"] == ["Bo cooks.", "Who pays? my uncle", "Is the hall free? yes, all day"]


def test_an_unknown_that_is_answered_is_closed_and_its_answer_stays() -> None:
    note = "We want a party on 3 May. It must end at ten. Not sure whether the ferry runs at night."
    open_point = {"id": "U-1", "text": "Not sure whether the ferry runs at night."}
    assert open_point in distil([note])["unknowns"]
    intent = distil([note], said=["U-1: only until eleven"])
    assert open_point not in intent["unknowns"]
    assert intent["context"] == ["the ferry runs at night: only until eleven"]


def test_a_settled_contradiction_leaves_the_winner_alone() -> None:
    note = "We want a hall. The rent is 450 euros. The rent is 540 euros, says Bo."
    intent = distil([note], said=["Q-1: 540 euros"])
    assert intent["constraints"] == ["The rent is 540 euros, says Bo."]
    assert distil([note], said=["Q-1: 600 euros"])["constraints"] == ["The rent is 600 euros."]


def test_a_later_message_corrects_what_it_contradicts() -> None:
    note = "We want a party for 60 guests. The budget is 900 euros. Music by a band."
    intent = distil([note], said=["The budget is 700 euros.", "no, make that 40 guests", "scratch the band"])
    told = [*intent["objective"], *intent["constraints"]]
    assert ("We want a party for 40 guests." in told, "The budget is 700 euros." in told) == (True, True)
    assert [text for text in intent["context"] if "60 guests" in text or "900" in text or "Music" in text] == [
        "Replaced by what was said later: “The budget is 900 euros.”",
        "Replaced by what was said later: “We want a party for 60 guests.”",
        "Replaced by what was said later: “Music by a band.”",
    ]


@pytest.mark.parametrize(
    ("note", "now"),
    [
        (
            "We want a party. About 80 people. Tom said 80 is wrong, his aunts come too, so make it 96 guests.",
            "96 people",
        ),
        ("We want a fair with 20 stands. 20 stands are too few, we take 26.", "a fair with 26 stands"),
        (
            "We marry on 12 June. The date doesn't work, the hall is let, the following weekend then - 19 June.",
            "19 June",
        ),
        ("Wir wollen die Box am 2. Oktober launchen. Doch kein 2. Oktober, lieber 9. Oktober.", "Box am 9. Oktober"),
    ],
)
def test_a_correction_in_prose_replaces_what_it_names(note: str, now: str) -> None:
    intent = distil([note])
    told = [*intent["objective"], *intent["constraints"], *intent["context"]]
    assert sum(text.startswith(REPLACED) for text in told) == 1
    assert any(now in text for text in told if not text.startswith((REPLACED, TAKEN_IN)))
    assert not any("Which of the two" in one["text"] for one in intent["open_questions"])


def test_the_type_is_decided_by_an_answer() -> None:
    asked = distil([note("both")])["open_questions"][0]
    assert asked["text"] == BOTH
    assert distil([note("both")], said=["the second"])["deliverable_type"] == "code"
    assert distil([note("both")], said=[f"{asked['id']}: software"])["deliverable_type"] == "code"
    kept = distil([note("both")], said=["Q-1: a plan"])
    assert (kept["deliverable_type"], BOTH in [one["text"] for one in kept["open_questions"]]) == ("plan", False)


def test_a_language_the_rules_do_not_read_is_kept_and_said() -> None:
    intent = distil(["Nous voulons une fête pour les enfants du quartier dans la rue avec des crêpes et du cidre."])
    assert (intent["objective"], intent["constraints"]) == ([], [])
    assert "another language" in intent["type_reason"]
    assert intent["open_questions"] == [{"id": "Q-1", "text": NO_OBJECTIVE}]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(text=st.text(max_size=400) | st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))
def test_no_text_loses_a_word_or_breaks_the_contract(text: str) -> None:
    intent: Any = distil([text])
    assert check(intent, CONTRACT) == ()
    shown = set(re.split(r"[\s。！？]+", intent_text(intent)))
    assert [
        word
        for word in re.split(r"[\s。！？]+", text)
        if any(letter.isalnum() for letter in word) and word not in shown
    ] == []
