"""new-suppressions finds every comment that tells a tool to look away and that the base commit does not have."""

import pytest

from looking import told

NAME = "new-suppressions"
BASE = {"other.txt": ""}
SILENCING = {
    "a.py": [
        ("x = 1  # noqa", "noqa"),
        ("x = 1  #noqa:E501", "noqa"),
        ("# ruff: noqa", "noqa"),
        ("# flake8: noqa", "noqa"),
        ("x = 1  # type: ignore[attr]", "type: ignore"),
        ("x = 1  # ty: ignore", "type: ignore"),
        ("x = 1  # pyright: ignore", "type: ignore"),
        ("# pyright: basic", "pyright:"),
        ("# mypy: ignore-errors", "mypy:"),
        ("x = 1  # nosec", "nosec"),
        ("x = 'k'  # pragma: allowlist secret", "nosec"),
        ("x = 1  # pragma: no cover", "pragma: no cover"),
        ("x = 1  # pylint: disable=all", "pylint:"),
        ("# isort: off", "isort:"),
        ("from typing import no_type_check", "no_type_check"),
        ("if not typing.TYPE_CHECKING:\n    x = 1", "not TYPE_CHECKING"),
    ],
    "a.ts": [
        ("// eslint-disable-next-line", "eslint-disable"),
        ("/* eslint-disable */", "eslint-disable"),
        ("// @ts-ignore", "ts-ignore"),
        ("// @ts-nocheck", "ts-ignore"),
        ("/* istanbul ignore next */", "no coverage"),
    ],
    "a.go": [("x := 1 //nolint:all", "nolint")],
    "a.rs": [("#[allow(dead_code)]", "allow attribute"), ("#![allow(warnings)]", "allow attribute")],
    "A.java": [('@SuppressWarnings("all")', "SuppressWarnings")],
}


@pytest.mark.parametrize(
    ("path", "line", "kind"), [(path, *case) for path, cases in SILENCING.items() for case in cases]
)
def test_each_kind_is_told(path, line, kind, tmp_path):
    assert told(tmp_path, NAME, {**BASE, path: f"{line}\n"}, base=BASE) == [
        (path, 1, f"a new comment silences a tool ({kind})")
    ]


def test_a_text_that_only_reads_like_one_is_fine_in_python(tmp_path):
    files = {**BASE, "a.py": 'x = "# noqa"\ny = """\n# type: ignore\n"""\n# about noqa comments\n'}
    assert told(tmp_path, NAME, files, base=BASE) == []


def test_one_that_moved_within_its_file_or_with_it_is_not_new(tmp_path):
    base = {"a.py": "import os  # noqa\n", "old/b.py": "x = 1  # noqa\n"}
    now = {"a.py": "import sys\n\n\nimport os  # noqa\n", "new/b.py": "y = 2\nx = 1  # noqa\n"}
    assert told(tmp_path, NAME, now, base=base) == []


def test_one_more_than_before_is_told_and_it_is_the_new_one(tmp_path):
    base = {"a.py": "import os  # noqa\n"}
    now = {"a.py": "import sys  # noqa\nimport os  # noqa\n"}
    assert [line for _, line, _ in told(tmp_path, NAME, now, base=base)] == [1]


def test_a_copied_file_brings_new_ones(tmp_path):
    base = {"a.py": "import os  # noqa\n"}
    found = told(tmp_path, NAME, {**base, "b/a.py": "import os  # noqa\n"}, base=base)
    assert [path for path, _, _ in found] == ["b/a.py"]


def test_a_file_that_does_not_parse_hides_none(tmp_path):
    found = told(tmp_path, NAME, {**BASE, "a.pyi": "x = (\n# type: ignore\n"}, base=BASE)
    assert [line for _, line, _ in found] == [2]


def test_kinds_the_project_allows_are_fine(tmp_path):
    files = {**BASE, "a.py": "x = 1  # pragma: no cover\n"}
    assert told(tmp_path, NAME, files, base=BASE, options={"allowed": ["pragma: no cover"]}) == []
