"""What was said, read from the log: realigning puts aside and never removes."""

from __future__ import annotations

from thoughtforge.kernel import events as e
from thoughtforge.people.events import ActionAsked, Said
from thoughtforge.think.conversation import CONVERSATION, Conversation, Whole, correction, is_realign, resolved

TIME = "2026-01-01T00:00:00+00:00"


def read(records: list[e.Record], whole: Whole) -> Conversation:
    """The conversation these records add up to, with the text of its blobs."""
    kept = CONVERSATION.empty
    for record in records:
        kept = CONVERSATION.apply(kept, record)
    return resolved(kept, whole)


def said(*messages: tuple[str, str], phase: str = "human_review") -> list[e.Record]:
    """Messages as records, one after the other."""
    return [
        e.Record(seq, TIME, Said.model_validate({"role": role, "text": text, "phase": phase}))
        for seq, (role, text) in enumerate(messages, start=1)
    ]


def told(*messages: tuple[str, str], phase: str = "human_review") -> list[str]:
    """What an agent is told of them."""
    known = read(said(*messages, phase=phase), lambda digest: f"whole {digest}")
    return [message.text for message in known.told(phase)]


def test_a_realign_leaves_everything_up_to_the_last_correction() -> None:
    talk = (("ai", "first"), ("human", "use clay"), ("ai", "second"), ("human", "realign from here"))
    assert told(*talk) == ["first", "use clay"]
    known = read(said(*talk), lambda digest: "")
    assert [message.excluded for message in known.messages] == [False, False, True, True]


def test_a_second_realign_goes_back_to_the_same_correction() -> None:
    talk = [
        ("human", "use clay"),
        ("ai", "a"),
        ("human", "REALIGN from here"),
        ("ai", "b"),
        ("human", "realign from here"),
    ]
    assert told(*talk) == ["use clay"]


def test_what_is_said_after_a_realign_counts_again() -> None:
    talk = [("human", "use clay"), ("ai", "a"), ("human", "realign from here"), ("ai", "b"), ("human", "and tin")]
    assert told(*talk) == ["use clay", "b", "and tin"]


def test_without_a_correction_only_the_realign_itself_is_put_aside() -> None:
    assert told(("ai", "first"), ("human", "realign from here")) == ["first"]


def test_the_whole_message_must_be_the_words() -> None:
    words = ["realign from here", "  Realign From Here\n", "please realign from here", "realign from here.", ""]
    assert [is_realign(text) for text in words] == [True, True, False, False, False]


def test_a_brain_dump_is_no_correction() -> None:
    known = read(said(("human", "I want herbs"), phase="brain_dump"), lambda digest: "")
    assert correction(known.messages) is None
    assert known.dump() == "I want herbs"


def test_a_long_message_is_read_whole_from_its_blob() -> None:
    event = Said(role="human", text="begin", digest="a" * 64, phase="brain_dump")
    known = read([e.Record(1, TIME, event)], lambda digest: f"whole {digest[:2]}")
    assert known.dump() == "whole aa"


def test_what_was_given_to_a_stuck_build_is_part_of_the_chat() -> None:
    records = [
        e.Record(1, TIME, e.StageStarted(stage="build", round=1, role="builder")),
        e.Record(2, TIME, ActionAsked(action="provide", text="In March.")),
    ]
    known = read(records, lambda digest: "")
    assert [(m.phase, m.role, m.text) for m in known.messages] == [("building", "human", "In March.")]
    assert [(a.action, a.stage) for a in known.asked("provide", "build")] == [("provide", "build")]


def test_a_correction_said_while_the_first_distillation_ran_is_gone_back_to() -> None:
    first = said(("human", "use clay"), ("ai", "first"), ("ai", "second"), phase="distilling")
    asked = e.Record(4, TIME, Said(role="human", text="realign from here", phase="human_review"))
    known = read([*first, asked], lambda digest: "")
    assert [m.text for m in known.told("distilling", "human_review")] == ["use clay"]


def test_a_realign_in_the_brain_dump_is_no_part_of_it() -> None:
    known = read(said(("human", "I want herbs"), ("human", "Realign from here"), phase="brain_dump"), lambda digest: "")
    assert (known.dump(), known.words()) == ("I want herbs", 3)
    assert [m.excluded for m in known.messages] == [False, True]
