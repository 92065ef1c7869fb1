"""One budget for the whole task: it stops before a cap is crossed, says what it needs, and counts over resumes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.place import Place, from_demo, make_place
from model_server import Answer, Asked, ModelServer, Say


def test_steps_are_capped_counted_over_resumes_and_can_be_raised(place: Place) -> None:
    done = place.design("--max-steps", "2")
    assert (done.code, done.json["state"], done.json["reason"]) == (4, "needs_person", "budget_steps")
    assert done.json["detail"] == "2 of 2 steps are used"
    assert done.json["next_action"] == f"Raise the cap: thoughtforge continue {place.task} --max-steps N"
    again = place.run("continue", "--json")
    assert (again.code, again.json["cost"]["steps"], len(place.events("call_started"))) == (4, 2, 2)
    more = place.run("continue", "--json", "--max-steps", "3")
    assert (more.code, more.json["detail"], len(place.events("call_started"))) == (4, "3 of 3 steps are used", 3)
    last = place.run("continue", "--json", "--max-steps", "100")
    assert (last.code, last.json["state"], last.json["cost"]["steps"]) == (0, "done", 10)
    assert [e["caps"]["steps"] for e in place.events("caps_changed")] == [3, 100]


def test_a_call_that_could_cross_the_token_cap_is_not_made(place: Place) -> None:
    done = place.design("--budget-tokens", "3000")
    assert (done.code, done.json["reason"], done.json["cost"]["tokens"]) == (4, "budget_tokens", 0)
    assert done.json["detail"].startswith("0 of 3,000 tokens are used and the next call may need ")
    assert place.events("call_started") == []
    assert place.run("continue", "--json", "--budget-tokens", "1000000").code == 0


def test_money_is_capped_by_the_most_a_call_can_cost(place: Place) -> None:
    place.script({"when": {"context": "^stage: (intake|clarify)$"}, "reply": "no", "usd": 0.4})
    done = place.design("--budget-usd", "1.0")
    assert (done.code, done.json["reason"], done.json["cost"]["usd"]) == (4, "budget_usd", 0.8)
    assert done.json["detail"] == (
        "$0.8000 of $1.00 are used and the next call may cost $0.4000; a call has taken $0.4000 on average so far"
    )
    assert len(place.events("call_started")) == 2


@pytest.mark.parametrize(
    ("flag", "reason"),
    [("--budget-tokens", "budget_tokens"), ("--max-steps", "budget_steps"), ("--max-wall", "budget_wall")],
)
def test_nothing_allowed_is_nothing_done(place: Place, flag: str, reason: str) -> None:
    done = place.design(flag, "0")
    assert (done.code, done.json["reason"], place.events("call_started")) == (4, reason, [])


def test_caps_come_from_the_configuration(place: Place) -> None:
    place.script(limits={"steps": 1, "usd": None})
    plan = place.design("--dry-run").json
    assert plan["caps"] == {
        "usd": None,
        "tokens": 2_000_000,
        "steps": 1,
        "wall_seconds": 14_400.0,
        "stage_steps": 100,
        "unknown_usd": False,
    }
    assert place.design().code == 4


def test_a_price_nobody_knows_needs_the_word_of_a_person_under_a_cap_on_money(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(from_demo(tmp_path)) as server:
        place.serve(server, price=None)
        done = place.design()
        assert (done.code, done.json["state"], done.json["reason"]) == (4, "needs_person", "unknown_cost")
        assert (server.asked, place.events("call_started")) == ([], [])
        assert "--allow-unknown-cost" in done.json["next_action"]
        last = place.run("continue", "--json", "--allow-unknown-cost")
        assert (last.code, last.json["cost"]["usd_unknown_calls"]) == (0, len(server.asked))


def test_the_longest_answer_asked_for_is_one_that_what_is_left_can_pay(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(from_demo(tmp_path)) as server:
        place.serve(server, price={"input_per_million": 0, "output_per_million": 1000})
        place.design("--budget-usd", "2.0")
    longest = [asked.body["max_tokens"] for asked in server.asked]
    assert longest[0] == 1024  # 4096 tokens would cost $4.10, 2048 $2.05
    assert all(tokens <= 2000 for tokens in longest)


def test_money_of_answers_that_do_not_say_what_they_used_is_money_spent(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    demo = from_demo(tmp_path)

    def silent(asked: Asked) -> Answer:
        said = demo(asked)
        return replace(said, usage=None) if isinstance(said, Say) else said

    with ModelServer(silent) as server:
        place.serve(server, price={"input_per_million": 100, "output_per_million": 100})
        done = place.design("--budget-usd", "3.4")
        reserved = sum(e["reserved"]["usd"] for e in place.events("call_started"))
        assert (done.code, done.json["reason"], len(server.asked)) == (4, "budget_usd", 3)
        assert done.json["cost"]["usd"] == pytest.approx(reserved)
        assert done.json["cost"]["usd_unknown_calls"] == 3
        more = place.run("continue", "--json", "--allow-unknown-cost", "--budget-usd", "6.0")
    assert (more.code, more.json["state"]) == (0, "done")
