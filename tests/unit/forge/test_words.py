"""The text form of the commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.forge.words import PlanWords, parse_words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("!plan Retry failed webhooks", PlanWords("plan", "create", text="Retry failed webhooks")),
        ("!plan create Retry failed webhooks", PlanWords("plan", "create", text="Retry failed webhooks")),
        ("!plan show errors in red", PlanWords("plan", "create", text="show errors in red")),
        ("!plan list", PlanWords("plan", "list")),
        (" !PLAN List ", PlanWords("plan", "list")),
        ("!plan show 17", PlanWords("plan", "show", "plan-017")),
        ("!plan run-all plan-017-retry.md", PlanWords("plan", "run-all", "plan-017")),
        ("!plan run-one plan-017 phase-3", PlanWords("plan", "run-one", "plan-017", "phase-3")),
        ("!plan run-one 17 3", PlanWords("plan", "run-one", "plan-017", "phase-3")),
        ("!plan phases --regenerate 17", PlanWords("plan", "phases", "plan-017", regenerate=True)),
        ("!plan phases 17 --regenerate --reset", PlanWords("plan", "phases", "plan-017", regenerate=True, reset=True)),
        (
            "!plan approve 17 --unaudited I read it",
            PlanWords("plan", "approve", "plan-017", text="I read it", unaudited=True),
        ),
        (
            "!plan skip 17 --reason It reads the wrong file",
            PlanWords("plan", "skip", "plan-017", text="It reads the wrong file", reason=True),
        ),
        ("!forge Retry failed webhooks", PlanWords("forge", "start", text="Retry failed webhooks")),
        ("!forge status of orders is wrong", PlanWords("forge", "start", text="status of orders is wrong")),
        ("!forge plan-017", PlanWords("forge", "resume", "plan-017")),
        ("!forge status", PlanWords("forge", "status")),
        ("!forge cancel", PlanWords("forge", "cancel")),
        ("!forge cancel 17", PlanWords("forge", "cancel", "plan-017")),
        ("!stop", PlanWords("stop", "stop")),
        ("!stop 17", PlanWords("stop", "stop", "plan-017")),
    ],
)
def test_a_line_is_read(line: str, words: PlanWords) -> None:
    assert parse_words(line) == words


@pytest.mark.parametrize("line", ["", "plan list", "Say !plan list", "!planning", "!stopwatch", "!", "!unknown"])
def test_other_lines_are_none(line: str) -> None:
    assert parse_words(line) is None


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("!plan", "Say what to change: !plan Retry failed webhooks"),
        ("!forge", "Say what to change: !forge Retry failed webhooks"),
        ("!plan show", "no plan is named. Write: !plan show plan-017"),
        ("!plan show x", "'x' is no plan. Write: !plan show plan-017"),
        ("!plan run-one 17", "no phase is named. Write: !plan run-one plan-017 phase-2"),
        ("!plan skip 17 --reason", "say why it is skipped. Write: !plan skip plan-017 --reason REASON"),
        ("!plan run 17 fast", "!plan run PLAN takes nothing more, but there is 'fast'"),
        ("!plan run 17 --reset", "!plan run PLAN has no option --reset"),
        (
            "!plan phases 17 --reset",
            "--reset belongs to --regenerate. Write: !plan phases plan-017 --regenerate --reset",
        ),
        (
            "!plan approve 17 --unaudited",
            "say why it may go without an audit. Write: !plan approve plan-017 --unaudited REASON",
        ),
        ("!stop it now", "!stop takes a plan at most, not 'it now'. Write: !stop"),
    ],
)
def test_what_is_wrong_is_told(line: str, problem: str) -> None:
    words = parse_words(line)
    assert words
    assert words.problem == problem


@given(st.text(), st.sampled_from(["!plan ", "!forge ", "!stop ", ""]))
def test_reading_a_line_never_fails(text: str, begin: str) -> None:
    assert parse_words(begin + text) is None or begin or text.lstrip().startswith("!")
