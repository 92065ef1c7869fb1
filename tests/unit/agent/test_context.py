"""The context of a step: every part within its budget, whatever it is given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.agent.context import (
    MAP,
    MOST,
    NOTES,
    RESULT,
    SPECIFICATION,
    WHOLE,
    Block,
    Want,
    allot,
    compose,
    fence,
    lay_out,
    recent_actions,
)
from thoughtforge.agent.room import TOTAL, Room
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


SPEC = Block("specification", "the specified line\n" * 300, WHOLE, WHOLE, need=SPECIFICATION)
parts = st.dictionaries(st.sampled_from(sorted(MOST)), texts.map(lambda t: t * 9))
blocks_of_any_kind = st.lists(
    st.builds(
        Block,
        texts.filter(str.strip).map(lambda t: t[:40]),
        texts,
        st.integers(60, 4000),
        st.integers(0, 900),
        st.booleans(),
        need=st.integers(0, 6),
    ),
    max_size=9,
)


@given(parts, blocks_of_any_kind, blocks_of_any_kind, st.floats(1.0, 2.0), st.floats(1.0, 2.0))
def test_no_part_and_no_whole_exceeds_its_budget(
    parts: dict[str, str], stable: list[Block], blocks: list[Block], scale: float, before: float
) -> None:
    room = Room.of(max(scale, before), before)
    context = compose(SYSTEM, parts, blocks=blocks, stable=stable, room=room)
    for name in {*context.parts} & {*MOST}:
        assert context.parts[name] * before <= MOST[name]
    assert estimate(SYSTEM) + estimate(context.text) <= context.tokens <= room.total


@pytest.mark.parametrize("scale", [1.0, 1.2, 1.7, 2.0])
def test_the_whole_stays_within_eight_thousand_when_every_part_is_full(scale: float) -> None:
    system = fit("You are careful and exact. " * 900, 1_500)
    long = "word and another word, " * 4_000
    context = compose(system, dict.fromkeys(MOST, long), blocks=[Block("state", long, 4_000)], room=Room.of(scale))
    assert TOTAL * 0.9 <= context.tokens * scale <= TOTAL
    assert estimate(system) + estimate(context.text) <= context.tokens


def test_what_a_part_does_not_need_goes_to_the_state() -> None:
    long = "\n".join(f"line {number} of it" for number in range(4_000))
    context = compose(SYSTEM, {"task_frame": "id: x"}, blocks=[Block("files", long, 100)], room=Room.of())
    assert TOTAL * 0.97 <= context.tokens <= TOTAL
    assert context.cut == {"files": estimate(long) + 10 + estimate("files")}


def test_the_specification_is_whole_beside_anything() -> None:
    long = "\n".join(f"line {number} of it" for number in range(4_000))
    others = [Block(f"b{need}", long, 4_000, 600, need=need) for need in range(7)]
    for stable in ([SPEC, *others], [*others, SPEC]):
        context = compose(SYSTEM, {}, blocks=others, stable=stable, room=Room.of())
        assert SPEC.text.strip() in context.text
        assert SPEC.title not in context.cut
        assert TOTAL * 0.85 <= context.tokens <= TOTAL


def test_the_beginning_stays_the_same_whatever_the_state_holds() -> None:
    long = "\n".join(f"line {number} of it" for number in range(900))
    stable, fixed = [SPEC, Block("analysis", long, 1_300, 250)], {"task_frame": "id: x", "available_actions": "- act"}
    seen = {
        context.text[: context.stable]
        for scale in (1.2, 1.25, 1.3)
        for result in ("short", long)
        for recent in ("- none yet", "- one\n" * 80)
        for context in [
            compose(
                SYSTEM,
                {**fixed, "recent_actions": recent},
                blocks=[Block("result", result, WHOLE, WHOLE, need=RESULT)],
                stable=stable,
                room=Room.of(scale, 1.2),
            )
        ]
    }
    assert len(seen) == 1
    (beginning,) = seen
    assert beginning.startswith("## task_frame\nid: x\n\n## available_actions\n- act\n\n## brief\n### specification")


def test_what_the_brief_cannot_show_goes_on_in_the_state_while_there_is_room() -> None:
    analysis = "\n".join(f"line {number}" for number in range(1_000))
    context = compose(SYSTEM, {}, blocks=[], stable=[SPEC, Block("analysis", analysis, 9_000, 250)], room=Room.of())
    shown = [line for line in context.text.splitlines() if line.startswith("line ")]
    assert (shown == analysis.split("\n"), context.cut) == (True, {})
    longer = analysis + "\nanother line" * 3_000
    context = compose(SYSTEM, {}, blocks=[], stable=[SPEC, Block("analysis", longer, 9_000, 250)], room=Room.of())
    assert [*context.cut] == ["analysis"]
    assert 0.97 * context.room <= context.tokens <= context.room
    assert context.blocks["analysis"] < context.cut["analysis"]


def test_a_result_of_the_free_size_is_whole_in_the_next_context() -> None:
    long = "\n".join(f"line {number} of it" for number in range(4_000))
    others = [SPEC, Block("notes", long, 600, 250, need=NOTES), Block("files", long, 900, 150, need=MAP)]
    free = compose(SYSTEM, {}, blocks=others, room=Room.of()).free
    result = fit(long, free)
    after = compose(
        SYSTEM, {}, blocks=[*others, Block("result", result, WHOLE, WHOLE, need=RESULT, untrusted=True)], room=Room.of()
    )
    assert free > 3_000
    assert result in after.text


@given(blocks_of_any_kind)
def test_the_current_state_stays_within_its_budget(blocks: list[Block]) -> None:
    assert estimate(lay_out(blocks, budget=4_000).text) <= 4_000


@given(
    st.lists(
        st.builds(Want, st.integers(0, 5000), st.integers(0, 5000), st.integers(0, 1500), st.integers(0, 6)),
        max_size=12,
    ),
    st.integers(0, 4000),
)
def test_room_is_never_more_than_is_needed_and_none_is_left_while_some_is(wants: list[Want], budget: int) -> None:
    rooms = allot(wants, budget)
    assert sum(rooms) == min(budget, sum(want.size for want in wants))
    assert all(room <= want.size for room, want in zip(rooms, wants, strict=True))


def test_a_floor_is_kept_when_earlier_blocks_want_everything() -> None:
    wants = [Want(9_000, 9_000, 100), Want(9_000, 9_000, 1_000), Want(9_000, 4_000, 50)]
    assert allot(wants, 4_000) == [2_950, 1_000, 50]


def test_who_needs_it_more_gets_room_first_and_what_is_left_goes_beyond_caps() -> None:
    assert allot([Want(900, 900, 0, 5), Want(900, 900, 0, 1)], 1_000) == [100, 900]
    assert allot([Want(900, 300, 0, 5), Want(900, 100, 0, 1)], 1_000) == [300, 700]
    assert allot([Want(900, 900, 900, 5), Want(900, 900, 900, 1)], 1_000) == [100, 900]


def test_the_last_result_survives_long_inputs() -> None:
    long = "word " * 9_000
    blocks = [
        Block("request", long, 700, floor=200, untrusted=True),
        Block("intake", long, 1_300, floor=250, untrusted=True),
        Block("analysis", long, 1_300, floor=250, untrusted=True),
        Block("last", "\n".join(f"line {n}" for n in range(900)), 1_600, floor=1_000, untrusted=True),
        Block("files", long, 4_000, floor=150, untrusted=True),
    ]
    shown = lay_out(blocks, budget=4_000).text
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


def test_a_hand_in_that_was_refused_does_not_read_ok() -> None:
    handed, edited = (action(n).model_copy(update={"tool": tool}) for n, tool in ((1, "complete"), (2, "edit_file")))
    assert "complete path=a.py → handed in, then refused: done" in recent_actions([handed, edited])
    assert "complete path=a.py → handed in, then refused: done" in recent_actions([handed])
    assert "complete path=a.py → handed in: done" in recent_actions([handed], made=True)


def test_errors_are_cut_to_five_hundred_characters() -> None:
    assert len(one_line("x" * 2_000)) == 500
    assert one_line("a\n  b") == "a b"


def test_a_block_the_brief_has_no_room_for_stands_whole_in_the_state_with_its_indentation() -> None:
    code = "\n".join(f"    line {number} of it" for number in range(250))
    context = compose(SYSTEM, {}, blocks=[], stable=[SPEC, Block("code", code, 300, 100)] * 2, room=Room.of())
    state = context.text[context.text.index("## current_state") :]
    assert f"### code\n{code}" in state
    assert (context.cut, "more line" in context.text) == ({}, False)
