"""The facts of a person's files reach everybody who proposes, builds, reviews, rechecks and fixes, on the wire."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from flows.code_thoughts import WISH
from flows.code_thoughts import rules as code_rules
from flows.thoughts import NOTE, Garden, Rule, agreed, built, make_garden, polished
from harness.environments import warm
from model_server import Asked, ModelServer
from model_server.playbooks import from_playbook
from thoughtforge.providers.scripted import load

FACTS = {
    "prices.csv": "item,price in euros\nclay pot,19.40\n",
    "letter.txt": "The balcony faces north and gets two hours of sun.\n",
    "offer.md": "# Offer\n\nDelivery of soil takes eleven weeks.\n",
}
TOLD = ("clay pot,19.40", "two hours of sun", "eleven weeks")
FORMS = ("intent", "proposal", "plan_section", "plan_review", "recheck", "plan_fix")


def form_of(asked: Asked) -> str:
    """What the request asks for."""
    return next(name for name in FORMS if f"### form of {name}\n" in asked.user)


def serve(garden: Garden, server: ModelServer, **more: object) -> None:
    """A model on loopback as the only provider."""
    free = {"input_per_million": 0, "output_per_million": 0}
    entry = {"kind": "http", "api": "openai", "base_url": server.urls["openai"], "model": "t", "price": free, **more}
    garden.home.mkdir(parents=True, exist_ok=True)
    (garden.home / "config.yaml").write_text(
        yaml.safe_dump({"version": 1, "provider": "wire", "providers": {"wire": entry}})
    )


def thought(
    garden: Garden, files: dict[str, str], *, note: str = NOTE, rules: Sequence[Rule] = (), **more: object
) -> list[Asked]:
    """Bring these files along and let the thought run to its end; every request that was sent."""
    script = garden.folder / "served.yaml"
    script.write_text(json.dumps({"rules": [*(rules or (*agreed(), *built(), *polished()))]}))
    flags = []
    for name, text in files.items():
        (garden.folder / name).write_text(text)
        flags += ["-r", name]
    with ModelServer(from_playbook(load(script))) as server:
        serve(garden, server, **more)
        done = garden.json("think", garden.note(note), *flags)
        assert done["phase"] == "done", done
        return list(server.asked)


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def test_every_request_of_a_plan_holds_the_facts_of_three_files(garden: Garden) -> None:
    asked = thought(garden, FACTS)
    assert {form_of(one) for one in asked} == set(FORMS)
    assert [(form_of(one), fact) for one in asked for fact in TOLD if fact not in one.user] == []
    assert all("<data " in one.user and " resources/offer.md>" in one.user for one in asked)


def shows_line(text: str, line: int) -> bool:
    """Whether a mark of an excerpt says that the line is in it."""
    ranges = re.findall(r"^\[lines? (\d+)(?:–(\d+))?\]$", text, re.M)
    return any(int(first) <= line <= int(last or first) for first, last in ranges)


def test_of_files_that_do_not_fit_every_request_holds_what_is_near_and_says_what_is_left_out(garden: Garden) -> None:
    noise = "\n\n".join(
        f"Paragraph {number} of the club's minutes tells how the singers met." for number in range(2_000)
    )
    minutes = f"{noise}\n\nThe herbs on the balcony want clay pots of 19.40 euros.\n\n{noise}"
    asked = thought(garden, {"minutes.md": minutes})
    assert [form_of(one) for one in asked if "clay pots of 19.40" not in one.user] == []
    assert [form_of(one) for one in asked if not shows_line(one.user, 4001)] == []
    assert all("left out for lack of room" in one.user for one in asked)
    cut = [event["text"] for event in garden.events("warning_given") if event["code"] == "cut"]
    assert cut[0] == "Not everything fits into one question to the agent. Cut: resources/minutes.md (excerpts)."


def test_a_model_with_a_large_window_is_shown_a_long_file_whole(garden: Garden) -> None:
    long = "\n\n".join(
        f"Paragraph {number} of the club's minutes tells how the singers met." for number in range(2_000)
    )
    asked = thought(garden, {"minutes.md": long}, context_window=400_000)
    assert [form_of(one) for one in asked if long not in one.user] == []
    assert [event["text"] for event in garden.events("warning_given") if event["code"] == "cut"] == []


def role_of(asked: Asked) -> str:
    """Who is asked: the role of an agent with tools, or the form that is asked for."""
    role = re.search(r"role `(\w+)`", asked.system)
    forms = [name for name in (*FORMS, "code_review") if f"### form of {name}\n" in asked.user]
    return forms[0] if forms else role.group(1) if role else "nobody"


def test_every_request_of_code_holds_the_facts_of_three_files(garden: Garden) -> None:
    garden.home.mkdir(parents=True)
    warm(garden.home)
    asked = thought(garden, FACTS, note=WISH, rules=code_rules())
    wanted = {"intent", "proposal", "test_engineer", "builder", "code_review", "recheck", "fixer"}
    assert {role_of(one) for one in asked} == wanted
    assert [(role_of(one), fact) for one in asked for fact in TOLD if fact not in one.user] == []
    workers = [one for one in asked if role_of(one) in ("test_engineer", "builder", "fixer")]
    assert [one.user.count("\n### intent\n") for one in workers] == [1] * len(workers)
    fixers = {one.system for one in asked if role_of(one) == "fixer"}
    assert all("the contract `code_fix`" in system for system in fixers)
    assert not any("you review what came of it" in system for system in fixers)


def test_every_request_of_a_thought_says_which_day_it_is(garden: Garden) -> None:
    asked = thought(garden, {})
    day = datetime.fromisoformat(garden.events()[0]["time"])
    assert [form_of(one) for one in asked if f"### today\n{day:%A}, {day.day} {day:%B %Y}" not in one.user] == []


def test_what_the_person_said_reaches_every_later_request_in_their_own_words(garden: Garden) -> None:
    lost = "My brother lends three boxes of soil."
    asked = thought(garden, {}, note=f"{NOTE} {lost}")
    later = [one for one in asked if form_of(one) != "intent"]
    heading = "### the person's own words\n"
    assert [form_of(one) for one in later if lost not in one.user.partition(heading)[2]] == []


def test_objectives_and_limits_stand_once_in_the_request_for_a_section(garden: Garden) -> None:
    asked = [one.user for one in thought(garden, {}) if form_of(one) == "plan_section"]
    assert [text.count("id: CON-1") + text.count("**CON-1**") for text in asked] == [1] * len(asked)
    assert [text.count("A plan for herbs on a balcony.") for text in asked] == [1] * len(asked)
