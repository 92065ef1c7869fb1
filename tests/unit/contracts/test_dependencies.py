"""Two ways to write dependencies, one shape."""

from typing import Any

import pytest

from thoughtforge.contracts.dependencies import circles, normalise_dependencies

FULL = {
    "external": [{"repo": "data-layer", "artifact": "schema", "version": ">=1.2.0"}, "csv"],
    "tasks": [
        {"task_id": "t-1", "required_stage": "deliver", "reason": "Needs the schema"},
        {"id": "t-2", "depends_on": ["t-1"]},
    ],
}
SHAPE = {
    "external": [
        {"repo": "", "artifact": "csv", "version": ""},
        {"repo": "data-layer", "artifact": "schema", "version": ">=1.2.0"},
    ],
    "tasks": [
        {"id": "t-1", "required_stage": "deliver", "reason": "Needs the schema", "depends_on": []},
        {"id": "t-2", "required_stage": "", "reason": "", "depends_on": ["t-1"]},
    ],
}


@pytest.mark.parametrize(
    ("written", "shape"),
    [
        (["csv"], {"external": [{"repo": "", "artifact": "csv", "version": ""}], "tasks": []}),
        (FULL, SHAPE),
        (SHAPE, SHAPE),
        ([], {"external": [], "tasks": []}),
        (None, {"external": [], "tasks": []}),
        ({"external": 3, "tasks": ["x", None]}, {"external": [], "tasks": []}),
    ],
)
def test_both_forms_become_one_shape(written: Any, shape: dict[str, Any]) -> None:
    assert normalise_dependencies(written) == shape


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({}, ()),
        ({"a": ["b"], "b": ["c"], "c": []}, ()),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, ()),
        ({"a": ["gone"]}, ()),
        ({"a": ["a"]}, (("a",),)),
        ({"c": ["a"], "a": ["b"], "b": ["c"], "d": ["a"]}, (("a", "b", "c"),)),
        ({"a": ["b"], "b": ["a"], "c": ["d", "a"], "d": ["c"]}, (("a", "b"), ("c", "d"))),
    ],
)
def test_every_circle_is_found(graph: dict[str, list[str]], found: tuple[tuple[str, ...], ...]) -> None:
    assert circles(graph) == found
