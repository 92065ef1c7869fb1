"""File paths in the text of a plan."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.forge.paths import extract_file_paths, is_likely_file_path, path_of

TOKENS = yaml.safe_load(Path(__file__).with_name("path_tokens.yaml").read_text(encoding="utf-8"))
PIECES = [
    "- ",
    "1. ",
    "### ",
    "**",
    "`",
    "`src/a.py`",
    "`b.go:12`",
    "|",
    "|---|---|\n",
    "\n",
    "```\n",
    "text ",
    "  ",
    "→",
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40).map("".join)


def test_the_table_is_large_enough() -> None:
    assert len({*TOKENS["paths"], *TOKENS["others"]}) >= 120


@pytest.mark.parametrize("token", TOKENS["paths"])
def test_a_path_is_one(token: str) -> None:
    assert is_likely_file_path(token)


@pytest.mark.parametrize("token", [*TOKENS["others"], "x" * 400 + ".py", "a\0.py", "a\n.py"])
def test_anything_else_is_none(token: str) -> None:
    assert not is_likely_file_path(token)


@pytest.mark.parametrize(
    ("token", "path"),
    [
        ("src/a.py:12", "src/a.py"),
        ("src/a.py:12-15", "src/a.py"),
        ("src/a.py:12:5", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("tests/test_a.py::TestX::test_y[1]", "tests/test_a.py"),
        ("src/a.py#L10", "src/a.py"),
        ("src/a.py", "src/a.py"),
    ],
)
def test_a_place_in_a_file_is_taken_off(token: str, path: str) -> None:
    assert path_of(token) == path


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("- `src/a.py` — new", ("src/a.py",)),
        ("* [ ] `src/a.py`", ("src/a.py",)),
        ("+ `src/a.py`", ("src/a.py",)),
        ("  12) `src/a.py`", ("src/a.py",)),
        ("### `src/a.py`", ("src/a.py",)),
        ("### 2. `src/a.py` and `src/b.py`", ("src/a.py", "src/b.py")),
        ("**`src/a.py`** — x", ("src/a.py",)),
        ("***`src/a.py`*** — x", ("src/a.py",)),
        ("**Change `src/a.py`:** x", ("src/a.py",)),
        ("| `src/a.py` | x |", ("src/a.py",)),
        ("file | change\n--- | ---\n`src/a.py` | x", ("src/a.py",)),
        ("- rename `old.py` → `new.py`", ("old.py", "new.py")),
        ("- ``src/a.py``", ("src/a.py",)),
        ("- [`src/a.py`](src/a.py)", ("src/a.py",)),
        ("- `src/b.py`\n- `src/a.py`\n- `src/b.py:3`", ("src/b.py", "src/a.py")),
        ("- `src/a.py`\r\n- `src/b.py`\r\n", ("src/a.py", "src/b.py")),
        ("prose about `src/a.py`", ()),
        ("**Note:** see `src/a.py`", ()),
        ("- src/a.py without ticks", ()),
        ("> - `src/a.py`", ()),
        ("```\n- `src/a.py`\n```", ()),
        ("- x\n  ```md\n  - `src/a.py`\n  ```", ()),
        ("<!-- - `src/a.py`\n- `src/b.py` -->", ()),
        ("```\n- `src/a.py`", ("src/a.py",)),
    ],
)
def test_paths_are_found_where_they_may_stand(text: str, paths: tuple[str, ...]) -> None:
    assert extract_file_paths(text) == paths


@given(texts)
def test_looking_for_paths_never_fails(text: str) -> None:
    found = extract_file_paths(text)
    assert len(set(found)) == len(found)
    assert all(is_likely_file_path(path) and path_of(path) == path for path in found)


@given(st.text())
def test_judging_a_token_never_fails(token: str) -> None:
    assert is_likely_file_path(token) in (True, False)
