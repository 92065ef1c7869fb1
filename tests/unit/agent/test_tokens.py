"""The estimate against recorded counts of a real tokenizer, its algebra, and cutting a text to size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from thoughtforge.agent.tokens import LEAST, estimate, fit, ratio, scaled

DATA = Path(__file__).parents[2] / "data" / "tokens"
COUNTS: dict[str, int] = json.loads((DATA / "counts.json").read_text(encoding="utf-8"))["texts"]

CHARS = st.sampled_from(
    [
        *"abzAZ059 \t\n\r-=_./*#~\"'(){}[]:,;|<>+\\",
        *"éßΩжИกअ中漢あアー한글",
        *"…—“。、→✓☺🎉👩\u200d\ufe0f\ud800\x00\x7f",
    ]
)
TEXTS = st.one_of(st.text(CHARS), st.text())

UNTIMED = settings(deadline=None)


def sample(name: str) -> str:
    return (DATA / f"{name}.txt").read_text(encoding="utf-8")


def kinds(*names: str) -> list[str]:
    return [f"{name}_{half}" for name in names for half in "ab"]


def test_every_sample_has_a_count_and_there_are_two_of_sixteen_kinds() -> None:
    assert sorted(COUNTS) == sorted(path.stem for path in DATA.glob("*.txt"))
    assert len(COUNTS) == 32
    assert sorted(COUNTS) == kinds(*sorted({name[:-2] for name in COUNTS}))


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_the_estimate_is_at_most_a_tenth_too_low_and_never_wildly_too_high(name: str) -> None:
    assert 0.90 <= estimate(sample(name)) / COUNTS[name] <= 1.45


@pytest.mark.parametrize(
    ("name", "most"),
    [(name, 1.15) for name in kinds("english")]
    + [(name, 1.30) for name in kinds("python", "diff", "minified_js", "yaml")]
    + [(name, 1.45) for name in kinds("json_pretty", "json_compact")],
)
def test_what_agents_read_most_is_not_much_overestimated(name: str, most: float) -> None:
    assert estimate(sample(name)) / COUNTS[name] <= most


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("the quick brown fox", 5),
        ("1234567", 3),
        ("=" * 80, 5),
        ("\n\n\n", 2),
        (" " * 50, 2),
        ("\ud800", 3),
        ("\U00012000", 4),
    ],
)
def test_small_texts_have_these_prices(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@UNTIMED
@given(TEXTS, TEXTS)
@example("7", "abc")
@example("AAA", "Aaaaa")
@example("   ", "7")
@example("--", "--/")
def test_joining_two_texts_never_costs_more_than_both_and_one(first: str, second: str) -> None:
    assert estimate(first + second) <= estimate(first) + estimate(second) + 1


@UNTIMED
@given(TEXTS, st.integers(0, 200))
def test_the_beginning_of_a_text_costs_no_more_than_the_text_and_one(text: str, end: int) -> None:
    assert 0 <= estimate(text[:end]) <= estimate(text) + 1


@UNTIMED
@given(TEXTS)
def test_the_upper_bound_is_never_far_above_the_bytes(text: str) -> None:
    assert estimate(text) <= 2 * len(text.encode("utf-8", "surrogatepass"))


def test_a_text_that_fits_is_returned_unchanged() -> None:
    text = sample("english_a")
    assert fit(text, estimate(text)) == text


def test_whole_lines_are_kept_and_the_head_gets_two_thirds() -> None:
    text = "\n".join(f"line {number} of many" for number in range(1, 101))
    assert fit(text, 60) == (
        "line 1 of many\nline 2 of many\nline 3 of many\nline 4 of many\nline 5 of many\n"
        "… [93 lines omitted] …\n"
        "line 99 of many\nline 100 of many"
    )


def test_one_missing_line_is_named_in_the_singular() -> None:
    assert fit("a\nb\n" + "many words " * 20 + "\nc\nd", 24) == "a\nb\n… [1 line omitted] …\nc\nd"


def test_one_long_line_is_cut_by_characters() -> None:
    assert fit("abcdef " * 100, 30) == (
        "abcdef abcdef abcdef abcdef abcdef abcdef abcdef abcdef abcdef abcdef \n"
        "… [595 characters omitted] …\n"
        "abcdef abcdef abcdef abcdef abcdef "
    )


def test_a_long_first_line_does_not_hide_everything_else() -> None:
    result = fit("x1" * 2000 + "\nshort end", 60)
    assert result.startswith("x1x1x1")
    assert result.endswith("short end")
    assert estimate(result) <= 60


def test_without_room_for_the_mark_nothing_is_kept() -> None:
    assert [fit("word " * 50, tokens) for tokens in (-1, 0, LEAST - 1)] == ["", "", ""]


@UNTIMED
@given(st.one_of(TEXTS, st.lists(TEXTS, max_size=30).map("\n".join)), st.integers(LEAST, 120))
@example("\n" * 3000, LEAST)
@example("x" * 50 + "\n" * 900 + "y", 20)
def test_the_result_always_fits(text: str, tokens: int) -> None:
    result = fit(text, tokens)
    assert estimate(result) <= tokens
    assert result == text or "omitted]" in result


def test_the_mark_alone_fits_even_when_millions_of_characters_are_missing() -> None:
    assert fit("7" * 3_000_000, LEAST) == "… [3000000 characters omitted] …"


def test_the_ratio_is_the_largest_seen_and_at_least_one() -> None:
    assert ratio([]) == 1.0
    assert ratio([(100, 80)]) == 1.0
    assert ratio([(100, 110), (200, 260), (0, 50)]) == 1.3


def test_a_scaled_estimate_is_rounded_up() -> None:
    assert [scaled(0, 1.3), scaled(100, 1.0), scaled(101, 1.3)] == [0, 100, 132]
