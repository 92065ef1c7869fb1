"""A plan by rules is made with the person: questions one by one at a terminal, or as a form to fill in."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.thoughts import Garden, make_garden
from harness.terminal import terminal

NOTE = "We want a street party. About 60 guests, the fire brigade said. Is the hall free? It must end at ten."


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def test_questions_are_asked_one_by_one_and_the_answers_fill_the_plan(garden: Garden) -> None:
    with terminal("think", garden.note(NOTE), cwd=garden.folder, home=garden.person) as person:
        for question, answer in (
            ("Q-1: By when must it be done?", "help\n12 June\n"),
            ("Q-2: Who does the work?", "Ann and Bo\n"),
            ("Q-3: What may it cost?", "400 euros\n"),
            ("Q-4: How will you know that it is done well?", "everybody dances\n"),
            ("Q-5: Is the hall free?", "\n"),
            ("U-1: Which steps come first?", "ask the mayor\n"),
            ("U-2: What could go wrong", "it rains\n"),
        ):
            person.expect(question)
            person.type(answer)
        person.expect("human_review")
        person.expect("you> ")
        person.type("/confirm\n")
        person.expect("spec_building")
        person.expect("you> ")
        person.type("don't know yet\n")
        person.expect("left open")
        person.expect("you> ")
        person.type("/confirm\n")
        person.expect(": done")
        assert person.ended() == 0
    plan = garden.doc("plan.md")
    for said in ("By when must it be done? 12 June", "Who does the work? Ann and Bo", "What may it cost? 400 euros"):
        assert plan.count(said) == 1
    spec = garden.doc("spec.md")
    assert "**Open points**" in spec
    assert "Is the hall free?\n  left open (decided by a person)" in spec
    assert [word for word in ("not said yet", "help") if word in plan] == []


def test_a_form_takes_the_answers_of_a_person_without_a_terminal(garden: Garden) -> None:
    shown = garden.begin(NOTE)
    form = Path(shown["form"])
    text = form.read_text(encoding="utf-8")
    asked = [line for line in text.splitlines() if line.startswith("## ")]
    assert asked[0] == "## Q-1: By when must it be done?"
    assert f"--file {form}" in garden.run("chat", "last").out
    empty = garden.json("say", "last", "--file", str(form))
    assert (empty["exit_code"], empty["error"]["what"]) == (2, "the form holds no answer")
    form.write_text(text.replace("done?\n\n>", "done?\n\n> on 12 June").replace("free?\n\n>", "free?\n\n> yes"))
    after = garden.json("say", "last", "--file", str(form))
    assert [one["id"] for one in after["questions"]] == ["Q-2", "Q-3", "Q-4", "U-1", "U-2"]
    assert "on 12 June" in after["message"]
    assert "12 June" not in Path(after["form"]).read_text(encoding="utf-8")
