"""Patterns fit whole paths, stars stay in their folder, two stars cross folders."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtforge.workspaces.patterns import any_matches, glob

NAMES = st.text(alphabet="ab.[", min_size=1, max_size=3)
PATHS = st.lists(NAMES, min_size=1, max_size=5).map("/".join)


@pytest.mark.parametrize(
    ("pattern", "fitting", "others"),
    [
        ("*.md", ["README.md", ".md"], ["docs/x.md", "README.mdx"]),
        ("tests/**", ["tests/a", "tests/a/b.py"], ["tests", "testsx/a", "a/tests/b"]),
        ("tests/**/*", ["tests/a", "tests/a/b.py"], ["tests", "other/tests/a"]),
        ("**/x.py", ["x.py", "a/x.py", "a/b/x.py"], ["ax.py", "x.py/a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a", "b", "ab", "a/xb"]),
        ("a/**/**/b", ["a/b", "a/x/b"], ["a/x"]),
        ("**", ["a", "a/b"], []),
        ("a?c", ["abc"], ["ac", "a/c", "abbc"]),
        ("a**c", ["ac", "abbc"], ["a/c"]),
        ("pages/[id].tsx", ["pages/[id].tsx"], ["pages/i.tsx"]),
    ],
)
def test_patterns_fit_whole_paths(pattern, fitting, others):
    assert [path for path in fitting + others if glob(pattern).matches(path)] == fitting


def test_classes_and_escapes_count_only_where_asked_for():
    assert glob("[ab].txt", classes=True).matches("a.txt")
    assert not glob("[!ab].txt", classes=True).matches("a.txt")
    assert not glob("[^ab].txt", classes=True).matches("a.txt")
    assert glob(r"\*.txt", classes=True).matches("*.txt")
    assert not glob(r"\*.txt", classes=True).matches("a.txt")
    assert not glob("[ab].txt").matches("a.txt")


def test_case_counts_unless_folded():
    assert [glob("Tests/**", fold=fold).matches("tests/A") for fold in (True, False)] == [True, False]


def test_a_folder_stands_for_everything_below_it():
    assert [any_matches("src/a/b.py", (each,)) for each in ("src", "src/", "./src/a", "sr", "**/*.py")] == [
        True,
        True,
        True,
        False,
        True,
    ]


@settings(deadline=None)
@given(PATHS)
def test_every_path_without_stars_fits_itself_and_only_itself(path):
    assert glob(path).matches(path)
    assert not glob(path).matches(f"{path}x")
    assert not glob(path).matches(f"x/{path}")


@settings(deadline=None)
@given(PATHS, PATHS)
def test_two_stars_after_a_folder_fit_exactly_what_is_below_it(folder, path):
    assert glob(f"{folder}/**").matches(path) == path.startswith(f"{folder}/")


def test_a_pattern_made_to_be_slow_is_not():
    assert not glob("*a" * 60 + "b").matches("a" * 2000)
    assert not glob("**/" * 60 + "b").matches("a/" * 200 + "a")
