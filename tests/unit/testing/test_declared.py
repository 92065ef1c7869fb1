"""Declared dependencies are read from every manifest; a broken one is named."""

import pytest

from thoughtforge.testing.imports import Declarations, Declared, declared_in, declares
from thoughtforge.workspaces.text import FileText


def pairs(path: str, text: str) -> list[tuple[str, str]]:
    declared = declared_in(path, FileText(text, "", len(text), 0))
    assert declared.skipped == ()
    assert {each.source for each in declared.dependencies} <= {path}
    return [(each.name, each.versions) for each in declared.dependencies]


def test_pyproject_lists_plain_optional_grouped_and_poetry_dependencies():
    text = """
[project]
dependencies = ["click>=8.1,<9", "rich"]
[project.optional-dependencies]
http = ["pydantic-ai-slim[openai] >= 1.40"]
[dependency-groups]
dev = ["pytest", {include-group = "lint"}]
[tool.poetry.dependencies]
python = "^3.11"
requests = "^2.0"
[tool.poetry.group.dev.dependencies]
black = {version = "^24", extras = ["d"]}
"""
    assert pairs("pyproject.toml", text) == [
        ("click", ">=8.1,<9"),
        ("rich", ""),
        ("pydantic-ai-slim", "[openai] >= 1.40"),
        ("pytest", ""),
        ("requests", "^2.0"),
        ("black", "^24"),
    ]


def test_requirements_skip_options_comments_and_addresses():
    text = "-r other.txt\n# note\nflask==3.0  # why\nhttps://example.org/x.whl\npkg @ https://example.org/p.whl\n\n"
    assert pairs("requirements-dev.txt", text) == [("flask", "==3.0"), ("pkg", "@ https://example.org/p.whl")]


def test_setup_cfg_lists_requirements_and_extras():
    text = "[options]\ninstall_requires =\n    attrs>=20\n    six\n[options.extras_require]\ntest = pytest>7\n"
    assert pairs("setup.cfg", text) == [("attrs", ">=20"), ("six", ""), ("pytest", ">7")]


def test_package_json_lists_all_kinds():
    text = '{"dependencies": {"react": "^18"}, "devDependencies": {"vite": "5"}, "scripts": {"x": "y"}}'
    assert pairs("web/package.json", text) == [("react", "^18"), ("vite", "5")]


def test_go_mod_reads_single_lines_and_blocks():
    text = "module x\nrequire a.org/b v1.0\nrequire (\n  c.org/d v2.1 // indirect\n)\nreplace e => f\n"
    assert pairs("go.mod", text) == [("a.org/b", "v1.0"), ("c.org/d", "v2.1")]


def test_cargo_reads_tables_and_versions():
    text = '[dependencies]\nserde = {version = "1"}\nlog = "0.4"\n[dev-dependencies]\nlocal = {path = "x"}\n'
    assert pairs("Cargo.toml", text) == [("serde", "1"), ("log", "0.4"), ("local", "")]


@pytest.mark.parametrize(
    ("path", "text"), [("pyproject.toml", "[project\n"), ("package.json", "{"), ("setup.cfg", "x"), ("Cargo.toml", "=")]
)
def test_a_broken_manifest_is_named_and_not_fatal(path, text):
    declared = declared_in(path, FileText(text, "", len(text), 0))
    assert declared.dependencies == ()
    assert [problem.partition(":")[0] for problem in declared.skipped] == [path]


@pytest.mark.parametrize(("path", "text"), [("package.json", "[1]"), ("pyproject.toml", "project = 1\ntool = []\n")])
def test_a_manifest_of_an_unexpected_shape_declares_nothing(path, text):
    assert pairs(path, text) == []


def test_other_files_and_vendored_manifests_are_not_read():
    assert [declares(path) for path in ("a/pyproject.toml", "node_modules/x/package.json", "notes.toml")] == [
        True,
        False,
        False,
    ]
    assert declared_in("notes.toml", FileText("a", "", 1, 1)) == Declarations()


def test_every_dependency_names_its_source():
    assert declared_in("a/requirements.txt", FileText("x\n", "", 2, 1)) == Declarations(
        (Declared("x", "", "a/requirements.txt"),)
    )
