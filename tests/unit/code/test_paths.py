"""Paths of agents are plain or refused, and constraints hold in every spelling."""

import unicodedata
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtforge.code.write_policy import allowed, clean, split
from thoughtforge.kernel.errors import UserError

PIECES = st.sampled_from(
    ["a", "B", "..", ".", "", ".git", ".GiT", "git~1", "é", "e\u0301", "\u212a", " ", "x.py", "\0"]
)
WILD = st.one_of(st.text(max_size=20), st.lists(PIECES, max_size=6).map("/".join))


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("src/app.py", "src/app.py"),
        ("./src//app.py", "src/app.py"),
        ("src/./app/", "src/app"),
        ("e\u0301.txt", "\u00e9.txt"),
        (".gitignore", ".gitignore"),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("a b/c (1).txt", "a b/c (1).txt"),
        ("...", "..."),
        ("日本.txt", "日本.txt"),
    ],
)
def test_a_usable_path_becomes_plain(written, plain):
    assert clean(written) == plain


@pytest.mark.parametrize(
    ("path", "problems"),
    [
        ("", ("it names no file",)),
        ("./", ("it names no file",)),
        ("/etc/passwd", ("it is absolute",)),
        ("C:/x", ("it is absolute",)),
        ("../x", ("it contains ..",)),
        ("a/../b", ("it contains ..",)),
        ("a\\b", ("it contains a backslash",)),
        ("a\0b", ("it contains a control character",)),
        ("a\nb", ("it contains a control character",)),
        ("a\u202eb", ("it contains an invisible character",)),
        ("a\u2028b", ("it contains a line break",)),
        ("\u212a.txt", ("it contains \u212a, which is not K",)),
        (".git/config", ("it is in a git directory",)),
        ("a/.GIT/config", ("it is in a git directory",)),
        (".git. . /x", ("it is in a git directory",)),
        (".git::$INDEX_ALLOCATION/x", ("it is in a git directory",)),
        ("GIT~1/config", ("it is in a git directory",)),
        (".g\u200cit/config", ("it contains an invisible character", "it is in a git directory")),
        ("/../a\\b", ("it is absolute", "it contains ..", "it contains a backslash")),
    ],
)
def test_everything_wrong_with_a_path_is_said(path, problems):
    with pytest.raises(UserError, match="is invalid") as caught:
        clean(path)
    assert caught.value.details == problems


@settings(deadline=None)
@given(WILD)
def test_whatever_is_accepted_stays_inside_and_is_plain_for_good(path):
    try:
        plain = clean(path)
    except UserError:
        return
    parts = PurePosixPath(plain).parts
    assert "/".join(parts) == plain
    assert clean(plain) == plain
    assert not plain.startswith("/")
    assert ".." not in parts
    assert not any(part.lower().rstrip(". ") in (".git", "git~1") for part in parts)
    assert unicodedata.is_normalized("NFC", plain)
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in plain)


@pytest.mark.parametrize(
    ("constraint", "inside", "outside"),
    [
        ("tests/**/*", ["tests/a.py", "tests/x/a.py"], ["src/a.py", "tests", "Tests/a.py", "x/tests/a.py"]),
        ("!tests/**/*", ["src/a.py", "a", "x/tests/a.py"], ["tests/a.py", "tests/x/a.py", "TESTS/a.py"]),
        ("docs/**/*,deploy/**/*,*.md", ["docs/a", "deploy/x/y", "README.md"], ["src/a.md", "a.py"]),
        ("src/**, !src/secret/**", ["src/a.py"], ["src/secret/x", "src/Secret/x", "docs/a"]),
        ("!a/**,!b/**", ["c/x"], ["a/x", "b/x"]),
        ("", ["anything"], []),
    ],
)
def test_constraints_allow_and_forbid(constraint, inside, outside):
    assert [path for path in inside + outside if allowed(path, constraint)] == inside


@settings(deadline=None)
@given(st.lists(st.sampled_from(["tests", "src", "a.py", "TESTS"]), min_size=1, max_size=4).map("/".join))
def test_a_forbidden_path_stays_forbidden_whatever_else_is_allowed(path):
    assert allowed(path, "!tests/**") == (not path.lower().startswith("tests/"))
    assert not (allowed(path, "**, !tests/**") and path.lower().startswith("tests/"))


def test_a_constraint_that_fits_nothing_lists_all_its_bad_patterns():
    with pytest.raises(UserError, match="invalid patterns") as caught:
        split("src/**, /etc/*, ../x, !, a\\b")
    assert caught.value.details == ("/etc/*", "../x", "!", "a\\b")
