"""Declaring dependencies: one addition, and not a byte besides."""

from __future__ import annotations

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.languages.python.manifest import with_lines

HEAD = '[build-system]\nrequires = ["hatchling"]\n\n[project] # ours\nname = "x"\n'
TAIL = '\n[project.optional-dependencies]\ntest = [\n  "pytest",\n]\n\n[tool.ruff]\nline-length = 100\n'
LISTS = {
    "": ('dependencies = ["click>=8.1"]\n', True),
    "dependencies = []\n": ('dependencies = ["click>=8.1"]\n', False),
    'dependencies = ["rich[all]"]\n': ('dependencies = ["rich[all]", "click>=8.1"]\n', False),
    "dependencies = ['rich', ] # more\n": ("dependencies = ['rich', \"click>=8.1\"] # more\n", False),
    'dependencies = [\n  "rich",\n  "yarl", # ] not the end\n]\n': (
        'dependencies = [\n  "rich",\n  "yarl", # ] not the end\n  "click>=8.1",\n]\n',
        False,
    ),
    'dependencies = [\n  "rich" # no comma\n]\n': (
        'dependencies = [\n  "rich", # no comma\n  "click>=8.1",\n]\n',
        False,
    ),
    "dependencies = [\n]\n": ('dependencies = [\n    "click>=8.1",\n]\n', False),
}


@pytest.mark.parametrize("written", LISTS)
def test_a_list_keeps_its_layout(written: str) -> None:
    wanted, first = LISTS[written]
    begin, name = HEAD.split('name = "x"\n')[0], 'name = "x"\n'
    made = with_lines({"pyproject.toml": HEAD + written + TAIL}, ["click>=8.1"])
    body = wanted + name if first else name + wanted
    assert made == ("pyproject.toml", begin + body + TAIL)


def test_without_a_project_table_it_is_the_requirements_file() -> None:
    texts = {"pyproject.toml": "[tool.ruff]\n", "requirements.txt": "rich"}
    assert with_lines(texts, ["click>=8.1", "yarl"]) == ("requirements.txt", "rich\nclick>=8.1\nyarl\n")
    assert with_lines({}, ["click"]) == ("requirements.txt", "click\n")
    dynamic = {"pyproject.toml": '[project]\nname = "x"\ndynamic = ["dependencies"]\n'}
    assert with_lines(dynamic, ["click"]).path == "requirements.txt"


def test_a_file_in_which_it_would_mean_something_else_is_left_alone() -> None:
    inline = 'project = {name = "x", dependencies = ["rich"]}\n'
    with pytest.raises(UserError, match="pyproject.toml could not be extended with click"):
        with_lines({"pyproject.toml": inline}, ["click"])
    hidden = '[project]\nname = "x"\ndescription = """\ndependencies = [\n"""\ndependencies = []\n'
    with pytest.raises(UserError, match="could not be extended"):
        with_lines({"pyproject.toml": hidden}, ["click"])
