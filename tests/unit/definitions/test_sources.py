"""Places of problems: from words back to the line of the file they come from."""

from __future__ import annotations

import pytest

from thoughtforge.definitions.override import DataSource, located, read, steps
from thoughtforge.kernel.model import Problem


def source(path: str, text: str) -> DataSource:
    return read(text, path=path, digest="0" * 64, layer="project")


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ("(whole)", ()),
        ("identity", ("identity",)),
        ("stages[2].skip_if[0]", ("stages", 2, "skip_if", 0)),
        ("[3]", (3,)),
        ('tools["run it"].paths', ("tools", "run it", "paths")),
        ('tools["a\\"b"]', ("tools", 'a"b')),
    ],
)
def test_a_place_in_words_becomes_a_path(where: str, path: tuple[str | int, ...]) -> None:
    assert steps(where) == path


def test_a_problem_stands_in_the_most_special_file_that_has_the_value() -> None:
    above = source("above.yaml", "a:\n  b: 1\n")
    below = source("below.yaml", "a:\n  b: 2\n  c: [x, y]\n")
    problems = [Problem(where=where, what="is wrong") for where in ("a.b", "a.c[1]", "a.d", "(whole)")]
    assert [problem.where for problem in located(problems, [above, below])] == [
        "above.yaml:2: a.b",
        "below.yaml:3: a.c[1]",
        "above.yaml:1: a.d",
        "above.yaml:1: (whole)",
    ]


def test_a_file_that_is_no_mapping_counts_as_empty() -> None:
    assert source("list.yaml", "- a\n").data == {}
