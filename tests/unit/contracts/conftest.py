"""The contracts of the library and the examples that go with them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import thoughtforge
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.contract import Contract, load
from thoughtforge.contracts.lines import parse

LIBRARY = Path(thoughtforge.__file__).parent / "library" / "contracts"
DATA = Path(__file__).parents[2] / "contracts_data"

NAME_SETS = ("contracts", "roles", "tools", "measures")


class Example(NamedTuple):
    """An artifact, what the engine knows around it, and the problems it must have."""

    artifact: Any
    given: ValidationContext
    expect: list[tuple[str, str]]


def read_example(path: Path) -> Example:
    data = parse(path.read_text(encoding="utf-8"), source=path.name).data
    known = data.get("given", {})
    paths = known.get("paths")
    given = ValidationContext(
        artifacts=known.get("artifacts", {}),
        paths=None if paths is None else frozenset(paths),
        request=known.get("request", ""),
        **{name: frozenset(known.get(name, ())) for name in NAME_SETS},
    )
    return Example(data["artifact"], given, [(where, rule) for where, rule in data.get("expect", [])])


@pytest.fixture(scope="session")
def library() -> dict[str, Contract]:
    return {path.stem: load(path.read_text(encoding="utf-8"), source=path.name) for path in LIBRARY.glob("*.yaml")}


@pytest.fixture(scope="session")
def example() -> Callable[[str, str], Example]:
    return lambda contract, name: read_example(DATA / contract / f"{name}.yaml")
