"""What every file in polish/guards/ and every profile in library/guards/ keeps to, built in or new."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from histories import counts, finding, listed, read
from thoughtforge.catalog import LIBRARY, extension, extension_names
from thoughtforge.polish.guards import evaluate
from thoughtforge.polish.history import GuardHit
from thoughtforge.polish.profile import bind, built_in
from thoughtforge.settings.config import Polish

NAMES = extension_names("polish.guards")
PROFILES = sorted(path.stem for path in (LIBRARY / "guards").glob("*.yaml"))
PROMISED = """termination fix_regression hallucination fabrication stagnation max_iterations plateau survivor
oscillation growth phantom budget"""
PHANTOMS = [finding("medium", f"{letter * 9}", exists=False) for letter in "abcd"]
HITS: dict[str, dict[str, Any]] = {
    "termination": counts((0, 1, 0)),
    "fix_regression": counts((0, 1, 0), (0, 2, 0), (0, 3, 0)),
    "hallucination": counts((0, 9, 0), (0, 5, 0), (0, 3, 0), (0, 9, 0)),
    "fabrication": counts((0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 9, 0)),
    "stagnation": listed(*([finding("medium", letter * 9)] for letter in "abc")),
    "max_iterations": counts(*[(0, 9, 9)] * 50),
    "plateau": counts(*[(0, 9, 9)] * 5),
    "survivor": listed(*[[finding("medium", "No date is set")]] * 5),
    "oscillation": counts(*[(0, 9, 9)] * 3, hash=list("aba")),
    "growth": counts((0, 9, 9), (0, 9, 9), size=[10, 30]),
    "phantom": listed(PHANTOMS, PHANTOMS),
    "budget": counts((0, 9, 9), spent=[1.0]),
}
"""A history that makes each guard speak; a new guard needs one here."""
ROW = st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 9))


@pytest.fixture(params=NAMES)
def guard(request: pytest.FixtureRequest) -> Any:
    return extension("polish.guards", str(request.param))


def name_of(guard: Any) -> str:
    return str(guard.__name__.rpartition(".")[2])


def test_every_promised_guard_is_there() -> None:
    assert set(PROMISED.split()) - set(NAMES) == set()
    assert PROFILES == ["classic", "default"]


def test_it_says_what_it_is(guard: Any) -> None:
    first = guard.__doc__.splitlines()[0]
    assert first[0].isupper()
    assert first.endswith(".")
    assert guard.ACTIONS
    assert set(guard.ACTIONS) <= {"done", "halt", "warn"}
    assert guard.Options().model_dump() == guard.Options.model_validate({}, strict=True).model_dump()


def test_a_hit_is_a_sentence_with_numbers(guard: Any) -> None:
    hit = guard.look(read(HITS[name_of(guard)]), guard.Options())
    assert isinstance(hit, GuardHit)
    assert hit.sentence[0].isupper() or hit.sentence[0].isdigit()
    assert hit.sentence.endswith(".")
    assert any(letter.isdigit() for letter in hit.sentence)
    assert hit.numbers
    json.dumps(dict(hit.numbers))


@given(rows=st.lists(ROW, min_size=1, max_size=8))
@pytest.mark.parametrize("name", NAMES)
def test_it_is_pure_and_answers_every_history(name: str, rows: list[tuple[int, int, int]]) -> None:
    module = extension("polish.guards", name)
    first = module.look(read(counts(*rows)), module.Options())
    assert first is None or isinstance(first, GuardHit)
    assert module.look(read(counts(*rows)), module.Options()) == first


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_writes_every_parameter_of_its_guards_out(profile: str) -> None:
    loaded = built_in(profile)
    wanted = {one.name: sorted(extension("polish.guards", one.name).Options.model_fields) for one in loaded.watches}
    assert {one.name: sorted(one.parameters) for one in loaded.watches} == wanted
    assert len(bind(loaded, Polish()).guards) == len(loaded.watches)


@given(rows=st.lists(ROW, min_size=1, max_size=8))
@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_ends_and_never_well_with_a_critical(profile: str, rows: list[tuple[int, int, int]]) -> None:
    ruled = evaluate(counts(*rows, *[rows[-1]] * 12), profile, Polish(max_iterations=12))
    assert ruled.outcome in ("done", "halt")
    assert ruled.outcome == "halt" or (rows + rows[-1:] * 12)[ruled.iteration - 1][0] == 0
