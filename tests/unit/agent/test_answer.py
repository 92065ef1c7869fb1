"""Finding the object in a reply."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.agent.reply_text import joined, json_object

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=8), values, min_size=1, max_size=4)


HALF = r'{"a": ["\ud800"]}'
"""An escape that stands for half of a character."""


@given(objects)
def test_an_object_alone_in_a_fence_or_in_prose_is_found(data: dict[str, object]) -> None:
    text = json.dumps(data)
    assert json_object(text) == data
    assert json_object(f"Here it is:\n```json\n{text}\n```\nDone.") == data
    assert json_object(f"Sure! {text} That is all.") == data


@pytest.mark.parametrize("reply", ["", "no object here", "[1, 2]", '{"cut": "of', "null", '{"a": 1} or {"b": 2}', HALF])
def test_what_is_no_single_object_is_none(reply: str) -> None:
    assert json_object(reply) is None


def test_the_larger_of_two_objects_is_meant() -> None:
    assert json_object('an empty {} and then {"tool": "complete"}') == {"tool": "complete"}


@given(st.text(max_size=300))
def test_no_text_makes_it_fail(text: str) -> None:
    found = json_object(text)
    assert found is None or isinstance(found, dict)


@pytest.mark.parametrize("reply", ['{"tool":' * 100_000, "[" * 100_000, 'so: {"a":' + "[" * 100_000])
def test_what_is_nested_beyond_all_sense_is_none(reply: str) -> None:
    assert json_object(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        '{"stuck": false, "content": {"aim": "x"}, "more": "and then it was c',
        'Here it is:\n```json\n{"files": [{"path": "a.py", "content": "x"}, {"path": "b.py", "cont',
        '{"content": {"aim": "x"}, "more": oops}',
        '{tool: "create_file", params: {"path": "a.py"}}',
        '{tool: "create_file", params: {"path": "a.py"}, note: "and then it was c',
        "{'tool': 'create_file', 'params': {\"path\": \"a.py\"}, 'note': 'and th",
        '{“tool”: "create_file", "params": {"path": "a.py"}, "no',
        '{ // my answer\n "tool": "create_file", "params": {"path": "a.py"}, "no',
        '[{"severity": "minor"}, {"severity": "critical", "title": "b"},',
        '{"path": "README.md", "content": "Write:\n```json\n{"a": 1}\n```\nand start it."}',
        '[{"severity": "minor"}, {"severity": "critical", "title": "b"}]',
    ],
)
def test_no_inner_object_stands_for_one_that_is_cut_or_broken(reply: str) -> None:
    assert json_object(reply) is None


def test_a_list_of_one_object_is_that_object() -> None:
    assert json_object('[{"tool": "complete"}]') == {"tool": "complete"}
    assert json_object('See [1]: {"tool": "complete"}') == {"tool": "complete"}


def test_a_brace_in_prose_hides_no_object() -> None:
    assert json_object('As { you asked: {"tool": "complete"}') == {"tool": "complete"}
    assert json_object('For {name} I say {"tool": "complete"} :-}') == {"tool": "complete"}


@given(objects, st.data())
def test_the_parts_of_a_cut_answer_are_one_again(data: dict[str, object], draw: st.DataObject) -> None:
    text = json.dumps(data)
    at = draw.draw(st.integers(min_value=1, max_value=len(text) - 1))
    assert json_object(joined(text[:at], text[at:])) == data


@pytest.mark.parametrize(
    "more",
    [
        'watered daily"}',
        'Basil must be watered daily"}',
        '```json\nwatered daily"}',
        '{"a": "Basil must be watered daily"}',
        '```json\n{"a": "Basil must be watered daily"}\n```',
    ],
    ids=["the rest", "with its end once more", "in a fence", "all anew", "all anew in a fence"],
)
def test_a_continuation_may_repeat_the_end_open_a_fence_or_begin_anew(more: str) -> None:
    assert json_object(joined('{"a": "Basil must be ', more)) == {"a": "Basil must be watered daily"}


def test_a_continuation_that_is_an_object_of_a_list_is_not_the_answer() -> None:
    said = joined('{"artifact": {"files": [', '{"path": "a.py"}')
    assert json_object(said) is None
    assert json_object(joined(said, "]}}")) == {"artifact": {"files": [{"path": "a.py"}]}}
    assert json_object(joined('[{"path": "a.py"}, ', '{"path": "b.py"}')) is None
    assert json_object(joined("Here is the artifact:", '{"files": []}')) == {"files": []}


def test_a_continuation_that_says_the_same_again_adds_nothing() -> None:
    assert joined('{"extracted_intent": ', '{"extracted_intent": ') == '{"extracted_intent": '
