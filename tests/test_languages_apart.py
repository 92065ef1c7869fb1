"""Nothing outside languages/ names a language, a runner or a file that only one language has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from thoughtforge.testing.language import languages, runner_names

SRC = Path(__file__).parents[1] / "src" / "thoughtforge"
FILES = re.compile(
    r"package(-lock)?\.json|npm-shrinkwrap|node_modules|tsconfig|go\.(mod|sum|work)|Cargo\.(toml|lock)|Gemfile|\.gemspec"
    r"|pyproject\.toml|requirements.*\.txt|setup\.(cfg|py)|tox\.ini|conftest|__init__\.py|sitecustomize|Makefile"
)
ENDINGS = {ending for one in languages().values() for ending in one.endings} - {".sh"}
WORDS = {*languages(), *runner_names(), "rust", "cargo", "rustc", "node", "jest"} - {"any", "python", "make"}
OWN_TOOLS = "works with ruff, ty, grimp or coverage, which the engine brings along for Python"
ITSELF = "makes the virtual environment in which the engine's own witnesses run, whatever the language"
OWN_CHECK = "a check says which files it looks at and what it leaves out; its options are data of its own"
ALLOWED = {
    "testing/inside/": "runs in the box as one Python package, and is Python's witness",
    "testing/environment.py": ITSELF,
    "testing/installed.py": ITSELF,
    "gate/": OWN_TOOLS,
    "code/complexity.py": OWN_TOOLS,
    "checks/": OWN_CHECK,
    "code/changelog_fragments.py": "reads the settings of towncrier and scriv, which repositories of any language use",
    "testing/imports.py": "names folders of other people's packages, of which a tree may hold any",
    "think/discovery.py": "asks the registries of packages, which have these names",
    "think/reading.py": "lists what a person may bring along as text; any ending will do",
    "settings/trust_table.py": "lists every key of the configuration, and one is named after an interpreter",
    "agent_runtime/": "starts programs of agents, some of which are scripts of node",
    "providers/": "starts programs of agents, some of which are scripts of node",
}
"""Path below src/thoughtforge, or a folder → why it may name a language."""
ASKING = ("checks/new_suppressions.py", "checks/tool_configuration.py")
"""Checks that ask the languages, and so name none themselves."""
DATA = ("languages/", "library/")


def literals(path: Path) -> Iterator[str]:
    """Every text in the code of a file; docstrings and comments are for people."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def telling(text: str) -> bool:
    """Whether a text names a language, a runner, or a file that only one language has."""
    return text in WORDS or text in ENDINGS or bool(FILES.search(text))


def named() -> dict[str, list[str]]:
    """File → the telling texts in it."""
    files = {path.relative_to(SRC).as_posix(): path for path in sorted(SRC.rglob("*.py"))}
    found = {name: [text for text in literals(path) if telling(text)] for name, path in files.items()}
    return {name: texts for name, texts in found.items() if texts and not name.startswith(DATA)}


def excused(name: str) -> str | None:
    """The entry of the list that allows a file to name languages."""
    if name in ASKING:
        return None
    return next((place for place in ALLOWED if name == place or (place.endswith("/") and name.startswith(place))), None)


def test_only_languages_and_what_is_listed_here_names_a_language() -> None:
    assert {name: texts for name, texts in named().items() if excused(name) is None} == {}


def test_nothing_is_listed_that_names_none() -> None:
    assert {excused(name) for name in named()} - {None} == set(ALLOWED)


@pytest.mark.parametrize("text", ["go.mod", ".rs", "cargo", "web/package.json", "vitest"])
def test_a_telling_text_is_noticed(text: str) -> None:
    assert telling(text)


@pytest.mark.parametrize("text", ["go on", "make", "the node of a graph", ".md"])
def test_other_texts_are_not(text: str) -> None:
    assert not telling(text)
