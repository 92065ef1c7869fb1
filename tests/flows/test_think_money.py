"""A model without a price is told before the first call, and a copy of the plan follows every round."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.test_think_again import WISH, WISHED
from flows.test_think_again import polished as steady
from flows.test_think_material import serve
from flows.thoughts import Garden, agreed, built, make_garden
from model_server import ModelServer, Say

FREE = "{input_per_million: 0, output_per_million: 0}"


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def test_a_model_on_this_machine_without_a_price_is_told_before_the_first_call(garden: Garden) -> None:
    with ModelServer(lambda asked: Say("{}")) as server:
        serve(garden, server, price=None)
        checks = garden.json("doctor")["findings"]
        (told,) = [one for one in checks if "its price is unknown" in one["what"]]
        assert (told["level"], FREE in told["do"]) == ("warn", True)
        refused = garden.json("think", garden.note())
        assert (refused["exit_code"], len(server.asked)) == (2, 0)
        assert refused["error"]["what"] == "the price of wire is unknown, and a cap of $5.00 is set"
        assert refused["error"]["do"] == (
            f"Set a price under providers.wire (thoughtforge config edit), price: {FREE} if it costs nothing; "
            "or go on without counting money: thoughtforge think FILE --allow-unknown-cost"
        )
        assert not (garden.home / "tasks").is_dir() or not [*(garden.home / "tasks").glob("[!.]*")]


def test_a_thought_that_stopped_for_its_price_is_not_resumed_blindly(garden: Garden) -> None:
    with ModelServer(lambda asked: Say("{}")) as server:
        serve(garden, server)
        assert garden.json("think", garden.note("Hi"))["phase"] == "brain_dump"
        serve(garden, server, price=None)
        garden.json("say", "last", "I want a plan for a herb garden on the balcony.")
        stopped = garden.json("distill", "last")
        assert stopped["reason"] == "unknown_cost"
        before = garden.events()
        refused = garden.json("resume", "last")
        assert refused["exit_code"] == 2
        assert refused["error"]["do"].endswith(f"thoughtforge continue {garden.task} --allow-unknown-cost")
        assert garden.events() == before


def test_a_copy_of_the_plan_is_kept_up_after_leaving_and_in_a_further_round(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *steady())
    garden.note("Hi")
    assert garden.json("think", "notes.md", "-o", "out/final.md")["phase"] == "brain_dump"
    copy = garden.folder / "out" / "final.md"
    garden.json("say", "last", "I want a plan for a small herb garden on the balcony. Budget is 80 euros.")
    done = garden.json("distill", "last")
    assert (done["phase"], done["copied_to"]) == ("done", str(copy))
    assert copy.read_text() == garden.doc("plan.md")
    garden.script(*WISHED, *agreed(), *built(), *steady())
    assert garden.json("say", "last", WISH)["phase"] == "done"
    assert copy.read_text() == garden.doc("plan.md")
    copy.write_text("mine now")
    garden.json("chat", "last")
    assert copy.read_text() == "mine now"
