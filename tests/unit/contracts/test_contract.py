"""Loading a contract file, and everything that can be wrong with one."""

import pytest

from thoughtforge.contracts.contract import Contract, load
from thoughtforge.contracts.shorthand import DRAFT
from thoughtforge.kernel.errors import UserError

GOOD = """\
contract: note
version: "1.0"
description: A short note.
schema:
  text: {type: string, required: true}
rules: [criteria_given]
"""


def problems(text: str) -> list[str]:
    with pytest.raises(UserError) as caught:
        load(text, source="note.yaml")
    assert caught.value.do == "Correct the contract; its keys are contract, version, description, schema, rules."
    return [detail.removeprefix("note.yaml:") for detail in caught.value.details]


def test_a_contract_is_loaded_whole() -> None:
    assert load(GOOD, source="note.yaml") == Contract(
        name="note",
        version="1.0",
        description="A short note.",
        schema={
            "$schema": DRAFT,
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        },
        rules=("criteria_given",),
        source="note.yaml",
    )


def test_rules_may_be_left_out() -> None:
    assert load(GOOD.replace("rules: [criteria_given]\n", ""), source="note.yaml").rules == ()


def test_a_rule_of_older_contracts_is_still_known() -> None:
    assert load(GOOD.replace("criteria_given", "written_paths_inside"), source="n").rules == ("written_paths_inside",)


def test_every_problem_of_the_heading_is_listed_with_its_line() -> None:
    found = problems(
        "contract: My Note\nversion: 1.0\nvalidation: []\nrules: [dance, criteria_given, criteria_given]\n"
    )
    assert [problem.partition(";")[0] for problem in found] == [
        "1: contract must be a name of lower-case letters, digits and _",
        "1: description must describe the artifact in words",
        "1: schema must be a mapping of property names, or a JSON Schema",
        '2: version must be text like "1.0", in quotes',
        "3: validation is not a key of a contract",
        "4: there is no rule dance",
        "4: the rule criteria_given is listed twice",
    ]


def test_every_problem_of_the_schema_is_listed_with_its_line() -> None:
    found = problems(
        """\
contract: note
version: "1.0"
description: A short note.
schema:
  text: {type: strin}
  count: {type: integer, min_itms: 1}
  tags:
    type: array
    min_items: 1
    minItems: 2
    items: {type: string, required: true}
  place: {type: object}
  when: {type: string, format: uri}
  other: {$ref: "#/$defs/none"}
  far: {$ref: "https://example.org/x.json"}
  code: {type: string, pattern: "("}
  size: {type: string, max_length: many}
  word: text
"""
    )
    assert [problem.partition(";")[0] for problem in found] == [
        "5: type: 'strin' is not valid under any of the given schemas",
        "6: min_itms: min_itms is not a keyword of a schema",
        "9: min_items: min_items and minItems mean the same",
        "11: required: required: true or false belongs on a property",
        "12: place: this object has no properties",
        "13: when: format uri is unknown to the engine",
        "14: other: $ref #/$defs/none does not resolve",
        "15: far: $ref https://example.org/x.json does not resolve",
        "16: pattern: '(' is not a 'regex'",
        "17: maxLength: 'many' is not of type 'integer'",
        "18: word: a definition must be a mapping such as {type: string}",
    ]


def test_another_draft_is_refused() -> None:
    text = GOOD.replace(
        "  text: {type: string, required: true}", '  $schema: "http://json-schema.org/draft-07/schema#"'
    )
    assert problems(text) == [f"5: $schema: $schema must be {DRAFT}"]


def test_a_repeated_key_does_not_hide_the_other_problems() -> None:
    assert [problem.partition(";")[0] for problem in problems(GOOD + "rules: [dance]\n")] == [
        "7: the key rules appears twice",
        "7: there is no rule dance",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "1: not valid YAML: did not find expected node content"),
        ("", "1: a contract is a mapping with the keys contract, version, description, schema, rules"),
        ("- a", "1: a contract is a mapping with the keys contract, version, description, schema, rules"),
        (GOOD.replace("[criteria_given]", "criteria_given"), "6: rules must be a list of rule names"),
    ],
)
def test_a_file_that_is_no_contract_says_so(text: str, problem: str) -> None:
    assert problems(text) == [problem]
