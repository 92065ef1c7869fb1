"""error-handling finds lost errors and those nobody can catch."""

import pytest

from looking import told

NAME = "error-handling"
TRY = "def f():\n    try:\n        g()\n    "
CASES = {
    "swallowed": (f"{TRY}except Exception:\n        pass\n", 4, "this except hides the error: it does nothing"),
    "bare": (
        f"import logging\n\n\n{TRY}except:\n        logging.exception('x')\n",
        7,
        "this except catches everything, including KeyboardInterrupt and SystemExit",
    ),
    "broad": (
        f"{TRY}except Exception:\n        g()\n",
        4,
        "this except catches every error and neither logs nor re-raises it",
    ),
    "vague": (
        "def f():\n    raise Exception('x')\n",
        2,
        "callers cannot catch this error without catching everything: it is a plain Exception",
    ),
}


@pytest.mark.parametrize("option", CASES)
def test_each_kind_is_told_once(option, tmp_path):
    text, line, message = CASES[option]
    assert told(tmp_path, NAME, {"a.py": text}) == [("a.py", line, message)]


@pytest.mark.parametrize("option", [name for name in CASES if name != "swallowed"])
def test_each_kind_can_be_allowed(option, tmp_path):
    assert told(tmp_path, NAME, {"a.py": CASES[option][0]}, options={option: False}) == []


def test_an_error_that_is_logged_or_raised_again_is_handled(tmp_path):
    text = f"import logging\n\n\n{TRY}except Exception:\n        logging.exception('x')\n"
    again = f"{TRY}except Exception:\n        g()\n        raise\n"
    assert told(tmp_path, NAME, {"a.py": text, "b.py": again}) == []


def test_swallowing_a_named_class_counts_only_when_asked(tmp_path):
    files = {"a.py": f"{TRY}except KeyError:\n        pass\n"}
    assert told(tmp_path / "1", NAME, files) == []
    found = told(tmp_path / "2", NAME, files, options={"swallowed_named": True})
    assert found == [("a.py", 4, "this except hides the error: it does nothing")]
