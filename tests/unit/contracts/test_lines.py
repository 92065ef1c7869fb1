"""YAML that knows its lines."""

import pytest

from thoughtforge.contracts.lines import Flaw, parse, read
from thoughtforge.kernel.errors import UserError

TEXT = """\
name: look
stages:
  - name: analyze
    skip_if: [never,
      always]
  - name: spec
"""


def test_every_value_knows_its_line() -> None:
    parsed = parse(TEXT, source="look.yaml")
    assert parsed.data == {
        "name": "look",
        "stages": [{"name": "analyze", "skip_if": ["never", "always"]}, {"name": "spec"}],
    }
    paths = [(), ("name",), ("stages",), ("stages", 0), ("stages", 0, "skip_if", 1), ("stages", 1, "name")]
    assert [parsed.line(path) for path in paths] == [1, 1, 2, 3, 5, 6]


def test_a_missing_value_has_the_line_of_what_is_around_it() -> None:
    parsed = parse(TEXT, source="look.yaml")
    assert [parsed.line(path) for path in [("stages", 1, "role"), ("stages", 7), ("exit", "stage")]] == [6, 2, 1]


def test_plain_words_mean_what_json_would_mean() -> None:
    text = "[yes, on, 10:15, 2025-12-31T10:15:00Z, 010, 1_000, .inf, '1', 100%, =, true, ~, null, -7, 1.5, 2e3, '']"
    assert parse(text, source="x").data == [
        *("yes", "on", "10:15", "2025-12-31T10:15:00Z", "010", "1_000", ".inf", "1", "100%", "="),
        *(True, None, None, -7, 1.5, 2000.0, ""),
    ]


def test_an_empty_file_has_no_data() -> None:
    parsed = parse("# nothing\n", source="x")
    assert (parsed.data, parsed.line(("a",))) == (None, 1)


def test_all_flaws_of_a_file_are_in_one_mistake() -> None:
    text = "a: 1\nb: {c: 1, c: 2}\na: 2\n3: x\n? [k]\n: y\nd: !!python/name:os.system x\ne: !!int abc\n"
    with pytest.raises(UserError) as caught:
        parse(text, source="roles/x.yaml")
    assert caught.value.what == "roles/x.yaml has 6 problems"
    assert [detail.split(": ")[0] for detail in caught.value.details] == [
        f"roles/x.yaml:{n}" for n in (2, 3, 4, 5, 7, 8)
    ]
    assert caught.value.details[:2] == (
        "roles/x.yaml:2: the key c appears twice",
        "roles/x.yaml:3: the key a appears twice",
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1,\nb: 2\n", 2),
        ("a: b: c", 1),
        ("a: \x01", 1),
        ("a: 1\n--- \nb: 2\n", 2),
        ("a: \ud800", 1),
        ("*nowhere", 1),
    ],
)
def test_what_is_not_yaml_is_one_flaw_with_its_line(text: str, line: int) -> None:
    flaws = read(text, source="x").flaws
    assert [flaw.line for flaw in flaws] == [line]
    assert flaws[0].what.startswith("not valid YAML: ")


def test_an_unclosed_bracket_says_where_it_was_opened() -> None:
    assert read("a: [1,\nb: 2\n", source="x").flaws == (
        Flaw(
            2, "not valid YAML: while parsing a flow sequence that begins on line 1, did not find expected ',' or ']'"
        ),
    )


def test_an_alias_repeats_a_value() -> None:
    assert parse("a: &x [1]\nb: *x\n", source="x").data == {"a": [1], "b": [1]}


def test_an_alias_cannot_make_a_file_endless() -> None:
    endless = "an alias expands without end; write the value out"
    assert read("a: &x [*x]", source="x").flaws == (Flaw(1, endless),)
    bomb = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 20) if n else 'x'}]" for n in range(8))
    assert {flaw.what for flaw in read(bomb, source="x").flaws} == {endless}


def test_deep_nesting_is_refused_before_it_can_end_the_process() -> None:
    deep = read("[" * 200_000 + "]" * 200_000, source="x")
    assert deep.flaws == (Flaw(1, "nested deeper than 100 levels"),)


def test_a_number_too_large_for_json_is_refused() -> None:
    assert read("a: 1e999", source="x").flaws == (Flaw(1, "cannot read 1e999 as float"),)
