"""The confirmed sections are the plan, its tables stay tables, and its totals are added up: one thought on the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.test_think_material import form_of, serve
from flows.thoughts import (
    PROPOSAL,
    TASKS,
    Garden,
    agreed,
    built,
    contents,
    make_garden,
    polished,
    review,
    section,
)
from model_server import Asked, ModelServer
from model_server.playbooks import from_playbook
from thoughtforge.deliverables.plan.markdown import outline, parts
from thoughtforge.deliverables.plan.structure import is_frame
from thoughtforge.providers.scripted import load

RESOURCES = {
    "prices.csv": "item,price in euros\nclay pot,19.40\nsoil,7.60\n",
    "letter.txt": "The balcony faces north and gets two hours of sun.\n",
    "offer.md": "# Offer\n\nDelivery of soil takes eleven weeks.\n",
}
FACTS = ("clay pot,19.40", "two hours of sun", "eleven weeks")
FIRST, LAST = "To decide", "If the pots break"
EIGHT: list[dict[str, Any]] = [
    {"name": FIRST, "purpose": "What Ann decides."},
    *PROPOSAL["structure"],
    {"name": LAST, "purpose": "What is done then.", "holds": ["actions"]},
]
DECIDED = {"id": "D-1", "title": "Pots", "decision": "Clay pots for 5 euros, soil in a week", "reason": "Cheap."}
COSTS = """| Item | EUR |
|---|---|
| Clay pot | 19.40 |
| Soil | 7.60 |
| Gloves | 77 |
| Total | {} |"""
WRONG = "the row 'Total' says 100 under 'EUR', the rows above add up to 104.00 (19.40 + 7.60 + 77)"


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def with_body(name: str, body: str) -> dict[str, Any]:
    """A section with this content below its frame."""
    rule = section(name)
    rule["reply"]["content"] = {**contents(name), f"{name}_body": body}
    return rule


def thought(garden: Garden, *rules: dict[str, Any]) -> list[Asked]:
    """Let it run with the three files; every request that was sent."""
    script = garden.folder / "served.yaml"
    script.write_text(json.dumps({"rules": list(rules)}))
    for name, text in RESOURCES.items():
        (garden.folder / name).write_text(text)
    with ModelServer(from_playbook(load(script))) as server:
        serve(garden, server)
        flags = [flag for name in RESOURCES for flag in ("-r", name)]
        done = garden.json("think", garden.note(), *flags)
        assert done["phase"] == "done", done
        return list(server.asked)


def test_eight_confirmed_sections_a_cost_table_and_its_sum(garden: Garden) -> None:
    proposal = {**PROPOSAL, "structure": EIGHT, "decisions": [DECIDED]}
    right = {"heading": "Money and means", "text": COSTS.format("104")}
    asked = thought(
        garden,
        *agreed(proposal=proposal),
        with_body("money", COSTS.format("100")),
        with_body("if_the_pots_break", TASKS),
        section("to_decide"),
        *built(),
        {"when": {"context": ["form of plan_fix", "104.00"]}, "reply": {"sections": [right]}},
        polished()[0],
        {"when": {"context": "form of plan_review"}, "reply": review()},
        {"when": {"context": "form of recheck"}, "reply": {"fixed": ["F-001", "F-002"], "still": []}},
    )
    plan = garden.doc("plan.md")
    names = [one["name"] for one in EIGHT]
    assert [part.heading for part in parts(plan)] == ["", *names]
    tables = outline(plan).tables
    assert [table.heading for table in tables if is_frame(table)] == names
    (costs,) = [table for table in tables if table.header == ("Item", "EUR")]
    assert (costs.heading, costs.rows[-1]) == ("Money and means", ("Total", "104"))
    sent = {
        name: [one.user for one in asked if form_of(one) == name]
        for name in ("plan_section", "plan_review", "plan_fix")
    }
    assert [len(requests) for requests in sent.values()] == [9, 3, 1]
    assert [(name, fact) for name, texts in sent.items() for text in texts for fact in FACTS if fact not in text] == []
    assert [WRONG in text for text in sent["plan_section"]].count(True) == 1
    assert f"F-001 (critical) Money and means: The total under 'EUR' is wrong: {WRONG}" in sent["plan_fix"][0]
    assert "- Money and means: 77: not found in the material, not marked" in sent["plan_review"][0]
    assert "19.40: not found" not in sent["plan_review"][0]
    state = garden.view("polish_state.json")
    assert [row["total"] for row in state["convergence_trajectory"]] == [2, 0, 0]


def test_a_proposal_that_drops_a_required_section_is_asked_for_once_more_and_then_gets_it_back(garden: Garden) -> None:
    lean = {**PROPOSAL, "structure": [one for one in PROPOSAL["structure"] if one["name"] in ("Aim", "Time", "Risks")]}
    garden.script(*agreed(proposal=lean), *built(), *polished())
    assert garden.json("think", garden.note())["phase"] == "done"
    told = garden.contexts("spec")
    assert len(told) == 2
    assert "The template requires the section Steps. Put it back into the structure." in told[1]
    assert [part.heading for part in parts(garden.doc("plan.md"))] == ["", "Aim", "Steps", "Time", "Risks"]


def test_walls_of_text_stand_below_the_frame(garden: Garden) -> None:
    wall = section("scope")
    wall["reply"]["content"]["scope_plan"] = "All herbs.\n" + "\n".join(f"- herb {number}" for number in range(9))
    garden.script(*agreed(), wall, *built(), *polished())
    assert garden.json("think", garden.note())["phase"] == "done"
    assert "Leave a sentence or two, at most 300, and move the rest to scope_body" in garden.contexts("build")[2]
    plan = garden.doc("plan.md")
    assert (
        "| scope objective of the herbs | All herbs. | scope assessment of the herbs |\n\n- herb 0\n- herb 1\n" in plan
    )
    assert "<br>" not in plan


def test_a_fix_of_a_section_the_fixer_was_not_shown_is_refused(garden: Garden) -> None:
    long = with_body("aim", "Herbs need light and water every day of the year. " * 900)
    unseen = {"sections": [{"heading": "Aim", "text": "gone"}]}
    garden.script(
        *agreed(),
        long,
        *built(),
        {"when": {"context": "form of plan_fix"}, "reply": unseen},
        polished()[0] | {"times": 2},
        {"when": {"context": "form of recheck"}, "reply": {"fixed": [], "still": ["F-001"]}},
        call_output_tokens=1024,
    )
    halted = garden.json("think", garden.note())
    assert halted["halt_reason"] == "fix_rejected", halted["detail"]
    refused = [event["reason"] for event in garden.events("polish_fixed")]
    assert refused == ["the section 'Aim' was not shown whole and is not replaced"] * 2
    request = [text for text in garden.contexts("polish") if "form of plan_fix" in text][0]
    assert ("- Aim: aim objective of the herbs" in request, "## Steps" in request) == (True, True)
    assert "Herbs need light" not in request


def frame(name: str, **more: str) -> dict[str, str]:
    """The content of a section with some of it changed."""
    return {**contents(name), **more}


def test_a_repair_of_one_slot_is_merged_with_the_good_ones_of_the_last_answer(garden: Garden) -> None:
    long = " ".join(["Herbs grow on the balcony."] * 20)
    first = {"when": {"context": "- aim_objective:"}, "reply": {"stuck": False, "content": frame("aim", aim_plan=long)}}
    repair = {
        "when": {"context": ["- aim_objective:", "aim_plan has"]},
        "reply": {"stuck": False, "content": {"aim_plan": "Pots by April."}},
    }
    asked = thought(garden, *agreed(), repair, first, *built(), *polished())
    (again,) = [one.user for one in asked if "aim_plan has" in one.user]
    assert "### your last answer" in again
    assert contents("aim")["aim_body"] in again
    assert "| aim objective of the herbs | Pots by April. | aim assessment of the herbs |" in garden.doc("plan.md")


def test_a_slot_under_another_name_is_taken_for_what_it_can_only_be(garden: Garden) -> None:
    other = {f"money_and_means_{slot.partition('_')[2]}": text for slot, text in contents("money").items()}
    rule = {"when": {"context": "- money_objective:"}, "reply": {"stuck": False, "content": other}}
    asked = thought(garden, *agreed(), rule, *built(), *polished())
    assert len([one for one in asked if "- money_objective:" in one.user]) == 1
    assert "money body of the herbs" in garden.doc("plan.md")
    assert garden.events("warning_given")[1:] == []


def test_a_name_that_is_no_slot_is_told_to_the_model_with_the_nearest(garden: Garden) -> None:
    wrong = {**{slot: text for slot, text in contents("aim").items() if slot != "aim_plan"}, "aim_plann": "Pots."}
    first = {"when": {"context": "- aim_objective:"}, "reply": {"stuck": False, "content": wrong}, "times": 1}
    asked = thought(garden, *agreed(), first, *built(), *polished())
    again = [one.user for one in asked if "- aim_objective:" in one.user][1]
    assert "there is no slot aim_plann; the nearest is aim_plan; its slots are aim_objective, aim_plan, " in again


def test_a_section_nobody_fills_halts_in_its_own_words_and_keeps_what_is_good(garden: Garden) -> None:
    empty = {"when": {"context": "- aim_objective:"}, "reply": {"stuck": False, "content": frame("aim", aim_plan="")}}
    garden.script(*agreed(), empty, *built(), *polished())
    halted = garden.json("think", garden.note())
    assert halted["halt_reason"] == "section_unfilled"
    assert "doctor" not in halted["next_action"]
    assert halted["next_action"].startswith(f"Ask for the section again: thoughtforge resume {garden.task}")
    plan = {
        "when": {"context": "- aim_objective:"},
        "reply": {"stuck": False, "content": {"aim_plan": "Pots by April."}},
    }
    garden.script(*agreed(), plan, *built(), *polished())
    assert garden.json("resume", "last")["phase"] == "done"
    assert "| aim objective of the herbs | Pots by April. | aim assessment of the herbs |" in garden.doc("plan.md")
