"""The context of a step: every part within its budget, whatever it is given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.agent.context import BUDGET, TOTAL, Block, allot, build, current_state, fence, recent_actions
from thoughtforge.agent.tokens import estimate, fit, one_line
from thoughtforge.calls.events import ActionTaken

SYSTEM = "You are careful. " * 60
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=3000)


def action(step: int, summary: str = "done") -> ActionTaken:
    return ActionTaken(
        stage="analyze",
        round=1,
        step=step,
        role="r",
        tool="read_file",
        params={"path": "a.py"},
        outcome="ok",
        summary=summary,
    )


def test_the_parts_add_up_to_the_total() -> None:
    assert sum(BUDGET.values()) == TOTAL == 8_000


@given(st.dictionaries(st.sampled_from(sorted(BUDGET)), texts.map(lambda t: t * 9)), st.floats(1.0, 3.0))
def test_no_part_and_no_whole_exceeds_its_budget(parts: dict[str, str], scale: float) -> None:
    context = build(SYSTEM, parts, scale=scale)
    for name, size in context.parts.items():
        if name != "system":
            assert size * scale <= BUDGET[name]
    assert context.tokens * scale <= TOTAL


@pytest.mark.parametrize("scale", [1.0, 1.2, 1.7, 2.0])
def test_the_whole_stays_within_eight_thousand_when_every_part_is_full(scale: float) -> None:
    system = fit("You are careful and exact. " * 900, BUDGET["system"])
    parts = {name: "word and another word, " * 4_000 for name in BUDGET}
    context = build(system, parts, scale=scale)
    assert TOTAL * 0.9 <= context.tokens * scale <= TOTAL
    assert estimate(system) + estimate(context.text) <= context.tokens


@given(
    st.lists(
        st.builds(
            Block,
            texts.filter(str.strip).map(lambda t: t[:40]),
            texts,
            st.integers(60, 4000),
            st.integers(0, 900),
            st.booleans(),
        ),
        max_size=9,
    )
)
def test_the_current_state_stays_within_its_budget(blocks: list[Block]) -> None:
    assert estimate(current_state(blocks, budget=4_000)) <= 4_000


@given(
    st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000), st.integers(0, 1500)), max_size=12),
    st.integers(0, 4000),
)
def test_room_is_never_more_than_there_is_or_than_is_needed(wants: list[tuple[int, int, int]], budget: int) -> None:
    rooms = allot(wants, budget)
    assert sum(rooms) <= budget
    assert all(room <= size for room, (size, _, _) in zip(rooms, wants, strict=True))


def test_a_floor_is_kept_when_earlier_blocks_want_everything() -> None:
    assert allot([(9_000, 9_000, 100), (9_000, 9_000, 1_000), (9_000, 4_000, 50)], 4_000) == [2_950, 1_000, 50]


def test_the_last_block_takes_what_is_left() -> None:
    assert allot([(100, 100, 0), (9_000, 10, 0)], 4_000) == [100, 3_900]


def test_the_last_result_survives_long_inputs() -> None:
    long = "word " * 9_000
    blocks = [
        Block("request", long, 700, floor=200, untrusted=True),
        Block("intake", long, 1_300, floor=250, untrusted=True),
        Block("analysis", long, 1_300, floor=250, untrusted=True),
        Block("last", "\n".join(f"line {n}" for n in range(900)), 1_600, floor=1_000, untrusted=True),
        Block("files", long, 4_000, floor=150, untrusted=True),
    ]
    shown = current_state(blocks, budget=4_000)
    assert [line for line in shown.splitlines() if line.startswith("### ")] == [
        "### request",
        "### intake",
        "### analysis",
        "### last",
        "### files",
    ]
    assert "line 0" in shown
    assert "lines omitted" in shown


@given(texts)
def test_text_cannot_close_the_fence_around_it(text: str) -> None:
    fenced = fence("file", text)
    mark = fenced.split()[1]
    assert fenced.endswith(f"\n</data {mark}>")
    assert f"</data {mark}>" not in text


def test_only_the_last_three_actions_are_shown_one_line_each() -> None:
    shown = recent_actions([action(n, "two\nlines") for n in range(1, 6)])
    assert shown == "\n".join(f"- step {n} read_file path=a.py → ok: two lines" for n in (3, 4, 5))
    assert recent_actions([]) == "- none yet"


def test_errors_are_cut_to_five_hundred_characters() -> None:
    assert len(one_line("x" * 2_000)) == 500
    assert one_line("a\n  b") == "a b"
