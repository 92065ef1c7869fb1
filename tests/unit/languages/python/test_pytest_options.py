"""What of the base's configuration reaches pytest."""

from __future__ import annotations

import pytest

from thoughtforge.languages.python.pytest_options import PytestOptions, ini_of, options_of, written

PYPROJECT = """
[project]
name = "shelf"
dependencies = ["click"]

[dependency-groups]
test = ["pytest", "Pytest_Mock>=3", "pytest-cov", "pytest-xdist"]

[tool.pytest.ini_options]
addopts = ["-x", "--cov=shelf", "-n", "auto", "--import-mode=importlib", "-m", "not slow", "-p", "no:warnings",
  "-p", "tests.plugin", "--ignore", "tests/old", "-q", "--junitxml=out.xml", "--asyncio-mode=auto", "-Werror"]
testpaths = ["tests", "more"]
pythonpath = ["lib"]
markers = ["slow: takes long"]
xfail_strict = true
filterwarnings = ["error", "ignore:x:DeprecationWarning"]
asyncio_default_fixture_loop_scope = "function"
cache_dir = "/somewhere"
log_cli = true
"""


def test_what_says_which_tests_there_are_is_kept_and_the_rest_is_not() -> None:
    assert options_of({"pyproject.toml": PYPROJECT}) == PytestOptions(
        ini={
            "testpaths": "tests\nmore",
            "markers": "slow: takes long",
            "xfail_strict": "true",
            "filterwarnings": "error\nignore:x:DeprecationWarning",
        },
        args=("--import-mode=importlib", "-m", "not slow", "-p", "tests.plugin", "--ignore=tests/old", "-W", "error"),
        plugins=("click", "pytest", "pytest-asyncio", "pytest-mock"),
        settings={
            "pytest-asyncio": {
                "ini": {"asyncio_default_fixture_loop_scope": "function"},
                "args": ["--asyncio-mode=auto"],
            }
        },
    )


SAME = {
    "pytest.ini": "[pytest]\ntestpaths = tests\nmarkers =\n    slow: long\n    net: 50% of them\n",
    ".pytest.ini": "[pytest]\ntestpaths = tests\nmarkers =\n    slow: long\n    net: 50% of them\n",
    "tox.ini": "[tox]\nenvlist = py\n[pytest]\ntestpaths = tests\nmarkers =\n    slow: long\n    net: 50% of them\n",
    "setup.cfg": "[metadata]\n[tool:pytest]\ntestpaths = tests\nmarkers =\n  slow: long\n  net: 50% of them\n",
    "pyproject.toml": "[tool.pytest]\ntestpaths = ['tests']\nmarkers = ['slow: long', 'net: 50% of them']\n",
    "pytest.toml": "[pytest]\ntestpaths = ['tests']\nmarkers = ['slow: long', 'net: 50% of them']\n",
}


@pytest.mark.parametrize("name", SAME)
def test_every_place_pytest_looks_in_is_read(name: str) -> None:
    ini = {key: value.strip() for key, value in ini_of({name: SAME[name]}).items()}
    assert ini == {"testpaths": "tests", "markers": "slow: long\nnet: 50% of them"}


def test_the_first_file_with_a_section_counts_alone() -> None:
    config = {"setup.cfg": "[tool:pytest]\ntestpaths = late\n", "pyproject.toml": "[tool.ruff]\n", "tox.ini": "[tox]\n"}
    assert ini_of(config) == {"testpaths": "late"}
    assert ini_of({**config, "pytest.ini": ""}) == {}


@pytest.mark.parametrize("text", ["[tool.pytest", "not = ["])
def test_a_file_that_cannot_be_read_says_nothing(text: str) -> None:
    assert ini_of({"pyproject.toml": text, "setup.cfg": text}) == {}


def test_the_engines_file_keeps_lists() -> None:
    text = written({"markers": "slow: long\nnet: x", "xfail_strict": "true"})
    assert text == "[pytest]\nmarkers =\n    slow: long\n    net: x\nxfail_strict =\n    true\n"
    assert ini_of({"pytest.ini": text})["markers"].strip() == "slow: long\nnet: x"
