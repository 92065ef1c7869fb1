"""A command must begin, word by word, as a person allowed; long output loses its middle."""

import pytest

from thoughtforge.code.commands import check_allowed, shown
from thoughtforge.kernel.errors import UserError

ALLOWED = (("make", "lint"), ("npm", "run", "build"))


@pytest.mark.parametrize("argv", [["make", "lint"], ["make", "lint", "-j2"], ["npm", "run", "build", ";", "rm"]])
def test_an_allowed_beginning_is_enough(argv):
    assert check_allowed(argv, ALLOWED) is None


@pytest.mark.parametrize(
    "argv", [["make"], ["make", "lint2"], ["make lint"], ["./make", "lint"], ["Make", "lint"], ["npm", "run"], [""], []]
)
def test_everything_else_is_refused(argv):
    with pytest.raises(UserError, match="is not allowed"):
        check_allowed(argv, ALLOWED)


def test_an_empty_rule_allows_nothing():
    with pytest.raises(UserError, match="is not allowed"):
        check_allowed(["make"], ((),))


def test_a_nul_character_is_refused():
    with pytest.raises(UserError, match="NUL"):
        check_allowed(["make", "lint", "\0"], ALLOWED)


def test_long_output_keeps_its_beginning_and_end():
    assert shown(b"  short \xff\n") == "short \ufffd"
    assert shown(b"a" * 10 + b"b" * 90 + b"c" * 30, limit=40) == (
        "a" * 10 + "\n[… 90 characters left out …]\n" + "c" * 30
    )
