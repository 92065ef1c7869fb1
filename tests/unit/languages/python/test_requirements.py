"""What a project needs is read from its files, whatever it is written in, and nothing installs the project itself."""

from __future__ import annotations

import pytest

from thoughtforge.languages.python.requirements import Needs, needs, specifier


def of(**files: str) -> Needs:
    named = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    return needs(named, named.__getitem__)


def test_a_project_that_says_nothing_needs_nothing() -> None:
    assert needs(["calc.py", "README.md"], lambda path: "") == Needs()


def test_requirement_files_are_read_with_what_they_include() -> None:
    found = of(
        requirements_dot_txt="click>=8 ; python_version > '3'  # why\n\nrich[all]==15.0 \\\n  --hash=sha256:ab\n",
        requirements__test_dot_txt=(
            "-r ../x.txt\n-c pins.txt\npytest\n--index-url https://example.org/simple\n--no-binary :all:\n"
        ),
        requirements__pins_dot_txt="click==8.1\n",
        requirements__docs_dot_txt="sphinx\n",
        examples__requirements_dot_txt="torch\n",
    )
    assert found.lines == (
        "click>=8 ; python_version > '3'",
        "rich[all]==15.0    --hash=sha256:ab",
        "pytest",
        "--index-url https://example.org/simple",
    )
    assert found.constraints == ("click==8.1",)
    assert found.reads == ("requirements.txt", "requirements/test.txt", "requirements/pins.txt")
    assert found.notes == (
        "requirements/test.txt includes ../x.txt, which does not exist",
        "requirements/test.txt: --index-url is passed on unchanged",
        "requirements/test.txt: --no-binary :all: is left out",
    )


@pytest.mark.parametrize(
    "line",
    [
        "-e .",
        "--editable=.",
        ".",
        ".[test]",
        "./lib",
        "../lib",
        "/opt/lib",
        "lib/here",
        "~/x",
        "x @ file:///x",
        "file:///x",
    ],
)
def test_lines_that_install_from_the_tree_are_refused(line: str) -> None:
    found = of(requirements_dot_txt=f"click\n{line}\n")
    assert (found.lines, found.refused) == (("click",), (f"requirements.txt: {line}",))


def test_lines_with_an_address_are_taken() -> None:
    lines = ("x @ https://example.org/x.whl", "git+https://example.org/y@v1", "https://example.org/z.tar.gz")
    found = of(requirements_dot_txt="\n".join(lines))
    assert (found.lines, found.refused) == (lines, ())


def test_a_project_table_is_read_without_the_project_itself() -> None:
    found = of(
        pyproject_dot_toml="""
[project]
name = "My.Calc"
dependencies = ["click>=8"]
[project.optional-dependencies]
cli = ["rich"]
test = ["pytest", "my-calc[cli]"]
docs = ["sphinx"]
[dependency-groups]
dev = ["ruff", {include-group = "lint"}]
lint = ["mypy", "my_calc"]
"""
    )
    assert found == Needs(lines=("click>=8", "pytest", "rich", "ruff", "mypy"), reads=("pyproject.toml",))


def test_poetry_and_pipenv_are_read() -> None:
    found = of(
        pyproject_dot_toml="""
[tool.poetry]
name = "calc"
[tool.poetry.dependencies]
python = "^3.11"
click = "^8.1"
rich = {version = "~13.7", extras = ["jupyter"], markers = "os_name == 'posix'"}
near = {path = "../near"}
far = {git = "https://example.org/far", tag = "v1"}
[tool.poetry.group.test.dependencies]
pytest = "*"
[tool.poetry.group.docs.dependencies]
sphinx = "*"
""",
        Pipfile='[packages]\nattrs = "*"\n[dev-packages]\npluggy = "==1.5"\n',
    )
    assert found.lines == (
        "click>=8.1,<9",
        "rich[jupyter]>=13.7,<13.8; os_name == 'posix'",
        "far @ git+https://example.org/far@v1",
        "pytest",
        "attrs",
        "pluggy==1.5",
    )
    assert found.refused == ("pyproject.toml: near @ file://../near",)


def test_older_files_are_read_without_running_them() -> None:
    found = of(
        setup_dot_cfg=(
            "[options]\ninstall_requires =\n    click\n    rich>=13\n"
            "[options.extras_require]\ntests = pytest\ndocs = sphinx\n"
        ),
        setup_dot_py=(
            "raise SystemExit\nsetup(install_requires=['attrs'], "
            "extras_require={'dev': ['ruff'], 'x': ['y']}, tests_require=read())\n"
        ),
        tox_dot_ini="[testenv]\ndeps =\n    freezegun\n    -r requirements.txt\n    py38: tomli\n    .[test]\n",
    )
    assert found.lines == ("click", "rich>=13", "pytest", "attrs", "ruff", "freezegun")
    assert found.notes == (
        "setup.py computes tests_require; its value is unknown without running setup.py; "
        "name what tests need of it in setup.command (thoughtforge config edit)",
    )


NAMED = """here = path(__file__)
needs = ['text-unidecode>=1.3']
more: list = [*needs, "rich"]
extras = {'test': ['pytest'] + ['coverage'], 'docs': ['sphinx']}
grown = ['attrs']
grown.append('ruff')
given = ['click']
if here:
    given = ['flask']
held = {}
held['test'] = ['mypy']
setup(install_requires=more, extras_require=extras, tests_require=%s)
"""


def test_names_of_literals_are_read_and_what_changes_them_makes_them_unknown() -> None:
    found = of(setup_dot_py=NAMED % "('freezegun',)")
    assert (found.lines, found.notes) == (("text-unidecode>=1.3", "rich", "pytest", "coverage", "freezegun"), ())
    for unknown in ("grown", "given", "held", "unheard", "needs + here", "list(needs)"):
        (note,) = of(setup_dot_py=NAMED % unknown).notes
        assert note.startswith("setup.py computes tests_require")


def test_a_file_that_setup_cfg_names_is_read_as_requirements() -> None:
    files = {"setup.cfg": "[options]\ninstall_requires = file: needs.in\n", "needs.in": "click\n"}
    found = needs(files, files.__getitem__)
    assert (found.lines, found.refused) == (("click",), ())


def test_a_file_that_cannot_be_read_is_named() -> None:
    found = of(pyproject_dot_toml="[project", setup_dot_cfg="no section\n", setup_dot_py="def (")
    assert [note.partition(" cannot")[0] for note in found.notes] == ["pyproject.toml", "setup.cfg", "setup.py"]


def test_dependencies_known_only_when_built_are_said_to_be_unknown() -> None:
    found = of(pyproject_dot_toml='[project]\nname = "x"\ndynamic = ["dependencies"]\n')
    assert found.notes == ("pyproject.toml computes its dependencies at build time; they are unknown",)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("*", ""),
        ("1.2", "==1.2"),
        (">=1, <3", ">=1,<3"),
        ("^1.2.3", ">=1.2.3,<2"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^0.0.3", ">=0.0.3,<0.0.4"),
        ("~1.2.3", ">=1.2.3,<1.3"),
        ("~1", ">=1,<2"),
        ("~=1.2", "~=1.2"),
    ],
)
def test_versions_mean_what_poetry_means(written: str, meant: str) -> None:
    assert specifier(written) == meant


def test_tox_lines_are_held_to_the_same_guards() -> None:
    found = of(tox_dot_ini="[testenv]\ndeps =\n    pytest>=8\n    {toxinidir}/x\n    py311: old\n    x @ file:///x\n")
    assert (found.lines, found.refused) == (("pytest>=8",), ("tox.ini: x @ file:///x",))
