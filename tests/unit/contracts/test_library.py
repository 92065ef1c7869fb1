"""Every contract of the library against its examples, and what holds for all of them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thoughtforge
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.contract import Contract
from thoughtforge.contracts.formats import OPENING
from thoughtforge.contracts.measures import MEASURES, facts
from thoughtforge.contracts.rules import RULES
from thoughtforge.contracts.shorthand import DRAFT, is_object, parts
from thoughtforge.contracts.validate import check
from thoughtforge.kernel.model import Continuation, External, Pipeline, PipelineExit, Stage, Value

DATA = Path(__file__).parents[2] / "contracts_data"
NAMES = sorted(path.stem for path in (Path(thoughtforge.__file__).parent / "library" / "contracts").glob("*.yaml"))
OPEN = {"tests_written": [["criterion"]], "tests_changed": [["criterion"]], "pipeline_template": [[]]}
"""These objects are open: the form of a held-back case depends on its kind, that of a stage's options on its driver.
`testing/cases.py` and the driver's own Options refuse the rest."""
EXAMPLES = [(path.parent.name, path.stem) for path in sorted(DATA.glob("*/*.yaml"))]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def test_the_library_has_a_contract_for_every_artifact_of_the_spine() -> None:
    spine = {
        "agent_definition",
        "analysis",
        "clarification",
        "deliverable",
        "delivery_report",
        "implementation",
        "intake_record",
        "pipeline_template",
        "security_review",
        "specification",
        "test_suite",
    }
    assert spine - set(NAMES) == set()


@pytest.mark.parametrize(("contract", "name"), EXAMPLES)
def test_an_example_has_exactly_the_problems_it_says(
    contract: str, name: str, library: dict[str, Contract], example: Callable[..., Any]
) -> None:
    artifact, known, expect = example(contract, name)
    found = check(artifact, library[contract], known)
    assert sorted((problem.where, problem.rule) for problem in found) == sorted(expect)
    assert bool(expect) == name.startswith("invalid_")
    assert all(problem.what for problem in found)


@pytest.mark.parametrize("contract", NAMES)
def test_a_contract_has_three_valid_and_five_invalid_examples(contract: str) -> None:
    names = [name for owner, name in EXAMPLES if owner == contract]
    assert sum(name.startswith("valid_") for name in names) >= 3
    assert sum(name.startswith("invalid_") for name in names) >= 5


def test_every_rule_is_named_by_a_contract_and_fails_in_an_example(
    library: dict[str, Contract], example: Callable[..., Any]
) -> None:
    named = {rule for contract in library.values() for rule in contract.rules}
    failing = {rule for contract, name in EXAMPLES for _, rule in example(contract, name).expect if rule in RULES}
    assert named == set(RULES)
    assert failing == set(RULES)


@pytest.mark.parametrize("name", NAMES)
def test_a_contract_is_named_like_its_file_and_closed_everywhere(name: str, library: dict[str, Contract]) -> None:
    contract = library[name]
    assert (contract.name, contract.version, contract.source) == (name, "1.0", f"{name}.yaml")
    assert contract.schema["$schema"] == DRAFT
    objects = [schema for schema in _schemas(contract.schema) if is_object(schema)]
    left_open = [schema for schema in objects if schema.get("additionalProperties") in (None, True)]
    assert [sorted(schema.get("properties", {})) for schema in left_open] == OPEN.get(name, [])
    closed = [schema for schema in objects if schema not in left_open]
    assert [schema for schema in closed if not schema.get("properties") and not _says_what_is_inside(schema)] == []


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for part in parts(schema):
            yield from _schemas(part.schema)


def _says_what_is_inside(schema: dict[str, Any]) -> bool:
    return any(isinstance(schema.get(keyword), dict | list) for keyword in OPENING)


def test_a_pipeline_file_has_exactly_the_fields_of_the_kernels_pipeline(library: dict[str, Contract]) -> None:
    schema = library["pipeline_template"].schema
    pairs: list[tuple[type[Value], Any]] = [
        (Pipeline, schema),
        (Stage, schema["properties"]["stages"]["items"]),
        (PipelineExit, schema["properties"]["exit"]),
        (Continuation, schema["properties"]["continuation"]),
        (External, schema["$defs"]["external"]),
    ]
    for model, part in pairs:
        assert set(part["properties"]) == set(model.model_fields)
        needed = {name for name, field in model.model_fields.items() if field.is_required()}
        assert set(part["required"]) == needed


@pytest.mark.parametrize(
    "name", [name for contract, name in EXAMPLES if (contract, name[:5]) == ("pipeline_template", "valid")]
)
def test_a_valid_pipeline_file_becomes_a_pipeline(name: str, example: Callable[..., Any]) -> None:
    artifact = example("pipeline_template", name).artifact
    assert Pipeline.model_validate(artifact).name == artifact["name"]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(artifact=JSON, upstream=JSON)
def test_no_json_value_makes_the_check_crash(
    name: str, library: dict[str, Contract], artifact: Any, upstream: Any
) -> None:
    artifacts = dict.fromkeys(NAMES, upstream) if isinstance(upstream, dict) else {}
    known = ValidationContext(
        artifacts=artifacts, paths=frozenset(), request="x", contracts=frozenset("a"), tools=frozenset("a")
    )
    assert check(artifact, library[name], known) != ()


@settings(max_examples=400, deadline=None, derandomize=True)
@given(data=st.data())
def test_no_damage_to_a_valid_artifact_makes_a_check_or_measure_crash(
    data: st.DataObject, library: dict[str, Contract], example: Callable[..., Any]
) -> None:
    contract, name = data.draw(st.sampled_from([pair for pair in EXAMPLES if pair[1].startswith("valid_")]))
    artifact, known, _ = example(contract, name)
    _damage(artifact, data)
    if isinstance(known.artifacts, dict) and known.artifacts:
        _damage(known.artifacts[data.draw(st.sampled_from(sorted(known.artifacts)))], data)
    check(artifact, library[contract], known)
    facts(contract, artifact)
    for measure in MEASURES.values():
        assert measure.of is None or isinstance(measure.of(artifact, known), bool)


def _damage(value: Any, data: st.DataObject) -> None:
    """Replaces one thing somewhere inside with anything."""
    keys = sorted(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = data.draw(st.sampled_from(keys))
    inner = value[key]
    if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
        _damage(inner, data)
    else:
        value[key] = data.draw(JSON)
