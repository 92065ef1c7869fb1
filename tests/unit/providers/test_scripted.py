"""The scripted provider: rules, answers, and playbooks that are wrong."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from textwrap import dedent

import pytest

from thoughtforge.calls.port import Model, ProviderError, Reply, Reservation, Transient, Usage
from thoughtforge.kernel.errors import UserError
from thoughtforge.providers import scripted
from thoughtforge.settings.environment import Machine


def model_of(folder: Path, playbook: str) -> Model:
    (folder / "play.yaml").write_text(dedent(playbook), encoding="utf-8")
    return scripted.make(scripted.Options(playbook="play.yaml"), Machine(lambda name: None, folder))


def say(model: Model, context: str = "Hello", system: str = "You plan.") -> Reply:
    return asyncio.run(_complete(model, system, context))


async def _complete(model: Model, system: str, context: str) -> Reply:
    return await model.complete(system, context, max_output=100)


def user_error(folder: Path, playbook: str) -> UserError:
    with pytest.raises(UserError) as caught:
        model_of(folder, playbook)
    return caught.value


def test_the_first_rule_that_fits_answers(tmp_path: Path) -> None:
    model = model_of(
        tmp_path,
        """\
        rules:
          - {when: {system: review}, reply: wrong role}
          - {when: {context: [alpha, "beta$"]}, reply: both patterns}
          - {when: {context: "alpha.*gamma"}, reply: across lines}
          - {when: {context: alpha, not: delta}, reply: alpha only}
          - {reply: anything}
        """,
    )
    contexts = ["alpha\nbeta\nx", "alpha\ngamma", "alpha", "alpha delta", "omega"]
    expected = ["both patterns", "across lines", "alpha only", "anything", "anything"]
    assert [say(model, context).text for context in contexts] == expected


def test_not_looks_into_both_texts(tmp_path: Path) -> None:
    model = model_of(tmp_path, 'rules: [{when: {not: ["red", "blue"]}, reply: neither}, {reply: one of them}]')
    texts = [say(model, "blue").text, say(model, "x", system="red").text, say(model, "x", system="y").text]
    assert texts == ["one of them", "one of them", "neither"]


def test_a_reply_costs_nothing_and_reports_no_usage_unless_the_rule_says_so(tmp_path: Path) -> None:
    model = model_of(
        tmp_path,
        """\
        rules:
          - {when: {context: dear}, reply: ok, usage: {input_tokens: 900, output_tokens: 20}, usd: 0.25}
          - {reply: ok}
        """,
    )
    assert say(model) == Reply(text="ok", model="scripted", usage=Usage(), usd=0.0)
    dear = Reply(text="ok", model="scripted", usage=Usage(input_tokens=900, output_tokens=20), usd=0.25)
    assert say(model, "dear") == dear
    assert model.reserve("é", "1234", 10) == Reservation(tokens=920, usd=0.25)
    assert model.reserve("é", "1234", 1000) == Reservation(tokens=1006, usd=0.25)


def test_a_mapping_or_list_becomes_json_and_text_stays_as_it_is(tmp_path: Path) -> None:
    model = model_of(
        tmp_path,
        """\
        rules:
          - {when: {context: map}, reply: {goal: grün, steps: [1, 2]}}
          - {when: {context: list}, reply: [1, null]}
          - {reply: "{not json"}
        """,
    )
    assert json.loads(say(model, "map").text) == {"goal": "grün", "steps": [1, 2]}
    assert "grün" in say(model, "map").text
    assert [say(model, "list").text, say(model).text] == ["[1, null]", "{not json"]


def test_a_file_beside_the_playbook_is_the_answer(tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text("# Long\n", encoding="utf-8")
    assert say(model_of(tmp_path, "rules: [{file: answer.md}]")).text == "# Long\n"


def test_a_file_that_went_away_is_a_failed_call(tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text("# Long\n", encoding="utf-8")
    model = model_of(tmp_path, "rules: [{file: answer.md}]")
    (tmp_path / "answer.md").unlink()
    with pytest.raises(ProviderError, match="names a file that cannot be read"):
        say(model)


def test_a_rule_is_used_up_after_its_times(tmp_path: Path) -> None:
    model = model_of(tmp_path, "rules: [{reply: first, times: 2}, {reply: then}]")
    assert [say(model).text for _ in range(4)] == ["first", "first", "then", "then"]


def test_errors_carry_the_scripted_kind_and_whether_they_pass(tmp_path: Path) -> None:
    model = model_of(
        tmp_path,
        """\
        rules:
          - {when: {context: a}, error: {kind: rate_limited, message: slow down}}
          - {when: {context: b}, error: {kind: auth, message: no key, transient: false}}
          - {when: {context: c}, empty: true}
        """,
    )
    seen = []
    for context in "abc":
        with pytest.raises(ProviderError) as caught:
            say(model, context)
        seen.append((type(caught.value), caught.value.kind, caught.value.message))
    assert seen == [
        (Transient, "rate_limited", "slow down"),
        (ProviderError, "auth", "no key"),
        (Transient, "empty", "scripted returned an empty answer"),
    ]


def test_a_malformed_answer_is_json_that_breaks_off(tmp_path: Path) -> None:
    text = say(model_of(tmp_path, "rules: [{malformed: true}]")).text
    assert text.startswith("{")
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)


def test_a_call_nobody_scripted_shows_how_it_begins_and_where_to_add_a_rule(tmp_path: Path) -> None:
    model = model_of(tmp_path, "rules: [{when: {context: never}, reply: x}]")
    with pytest.raises(ProviderError) as caught:
        say(model, "c" * 300)
    error, path = caught.value, tmp_path / "play.yaml"
    assert not isinstance(error, Transient)
    assert (error.kind, error.do) == ("unscripted", f"Add a matching rule to {path}.")
    assert error.message == f"no rule of {path} matches a call whose context begins: '{'c' * 200}'"


@pytest.mark.parametrize("text", ["x", "four", "a somewhat longer answer"])
def test_a_streamed_answer_is_the_sum_of_its_deltas(tmp_path: Path, text: str) -> None:
    model, deltas = model_of(tmp_path, f"rules: [{{reply: {text}, delay: 0.001}}]"), list[str]()
    reply = asyncio.run(_streamed(model, deltas))
    assert "".join(deltas) == reply.text == text
    assert len(deltas) == min(4, len(text))


async def _streamed(model: Model, deltas: list[str]) -> Reply:
    return await model.complete("", "Hello", max_output=10, on_delta=deltas.append)


def test_everything_wrong_with_a_playbook_is_listed_with_its_line(tmp_path: Path) -> None:
    found = user_error(
        tmp_path,
        """\
        rules:
          - when: {context: "(unclosed"}
            reply: x
          - reply: x
            file: missing.md
          - when:
              sytem: typo
            times: 0
            reply: 7
          - delay: 1
          - reply: {day: 2024-05-01}
            reply: again
        extra: 1
        """,
    )
    path = tmp_path / "play.yaml"
    assert found.what == f"the playbook {path} has 8 problems"
    assert found.details == (
        f"{path}, line 2: rules.0.when.context.0: not a regular expression: "
        "missing ), unterminated subpattern at position 0",
        f"{path}, line 5: rules.1.file: there is no file missing.md",
        f"{path}, line 7: rules.2.when.sytem: unknown key",
        f"{path}, line 8: rules.2.times: Input should be greater than or equal to 1",
        f"{path}, line 9: rules.2.reply: must be text, a mapping or a list",
        f"{path}, line 10: rules.3: needs exactly one of reply, file, error, malformed, empty; it has none",
        f"{path}, line 12: reply is given twice",
        f"{path}, line 13: extra: unknown key",
    )


def test_two_answers_in_one_rule_are_refused(tmp_path: Path) -> None:
    details = user_error(tmp_path, "rules:\n  - reply: x\n    empty: true\n").details
    wanted = "rules.0: needs exactly one of reply, file, error, malformed, empty; it has reply and empty"
    assert details == (f"{tmp_path / 'play.yaml'}, line 2: {wanted}",)


def test_a_value_json_cannot_hold_is_found_when_the_playbook_is_read(tmp_path: Path) -> None:
    details = user_error(tmp_path, "rules:\n  - reply:\n      day: 2024-05-01\n").details
    said = "it cannot be written as JSON: Object of type date is not JSON serializable; put quotes around such values"
    assert details == (f"{tmp_path / 'play.yaml'}, line 2: rules.0.reply: {said}",)


def test_broken_yaml_is_reported_with_its_line(tmp_path: Path) -> None:
    details = user_error(tmp_path, "rules:\n\t- reply: x\n").details
    assert len(details) == 1
    assert details[0].startswith(f"{tmp_path / 'play.yaml'}, line 2: not valid YAML: ")


@pytest.mark.parametrize("text", ["", "[]", "rules: []"])
def test_a_playbook_without_rules_is_refused(tmp_path: Path, text: str) -> None:
    assert len(user_error(tmp_path, text).details) == 1


def test_a_missing_playbook_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="none.yaml cannot be read: .*No such file"):
        scripted.make(scripted.Options(playbook="none.yaml"), Machine(lambda name: None, tmp_path))
