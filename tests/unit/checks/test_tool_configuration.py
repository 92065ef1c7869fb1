"""tool-configuration finds every added, changed, moved or deleted file that tells a tool how to work."""

import pytest

from looking import findings, told

NAME = "tool-configuration"
PYPROJECT = '[project]\nname = "shop"\ndependencies = []\n\n[tool.ruff]\nline-length = 100\n'
BASE = {"src/shop/__init__.py": "", "pyproject.toml": PYPROJECT, "setup.cfg": "[metadata]\nname = shop\n"}
WHOLE = """ruff.toml .ruff.toml src/shop/ruff.toml ty.toml mypy.ini .mypy.ini pyrightconfig.json pytest.ini .pytest.ini
.coveragerc .flake8 .pylintrc .importlinter .bandit sgconfig.yml .semgrepignore .pre-commit-config.yaml .eslintrc.json
eslint.config.mjs tsconfig.json tsconfig.build.json jest.config.js vitest.config.ts .golangci.yml clippy.toml
rustfmt.toml .editorconfig sitecustomize.py usercustomize.py src/evil.pth .gitattributes sub/.gitattributes .gitmodules
.husky/pre-commit .githooks/post-checkout .claude/settings.json .mcp.json .codex/config.toml .gemini/settings.json
.opencode/agent.md opencode.json .thoughtforge/conformance/own.yaml .thoughtforge/roles/builder.yaml RUFF.TOML"""


@pytest.mark.parametrize("path", WHOLE.split())
def test_a_new_one_is_told(path, tmp_path):
    assert told(tmp_path, NAME, {**BASE, path: "x\n"}, base=BASE) == [(path, 1, f"{path} is new and configures a tool")]


def test_a_changed_one_a_deleted_one_and_a_moved_one_are_told(tmp_path):
    base = {**BASE, "ruff.toml": "line-length = 100\n"}
    changed = told(tmp_path / "1", NAME, {**base, "ruff.toml": "line-length = 200\n"}, base=base)
    assert changed == [("ruff.toml", 1, "ruff.toml configures a tool and was changed")]
    gone = findings(tmp_path / "2", NAME, BASE, base=base)
    assert [each.message for each in gone] == ["ruff.toml, which configures a tool, was deleted"]
    moved = findings(tmp_path / "3", NAME, {**BASE, "src/ruff.toml": "line-length = 100\n"}, base=base)
    assert sorted(each.message for each in moved) == [
        "ruff.toml, which configures a tool, was deleted",
        "src/ruff.toml is new and configures a tool",
    ]


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("pyproject.toml", PYPROJECT.replace("100", "200"), "changes the configuration tool.ruff"),
        (
            "pyproject.toml",
            PYPROJECT + "[tool.pytest.ini_options]\naddopts = '-k x'\n",
            "adds the configuration tool.py",
        ),
        ("pyproject.toml", '[project]\nname = "shop"\ndependencies = []\n', "deletes the configuration tool.ruff"),
        ("setup.cfg", "[metadata]\nname = shop\n[tool:pytest]\naddopts = -x\n", "adds the configuration tool:pytest"),
        ("tox.ini", "[pytest]\naddopts = -x\n", "adds the configuration pytest"),
        ("package.json", '{"scripts": {"test": "true"}}', "adds the configuration scripts.test"),
        ("package.json", '{"jest": {"bail": 1}}', "adds the configuration jest"),
        ("pyproject.toml", "not toml [", "(unreadable)"),
    ],
)
def test_a_part_of_a_file_that_configures_is_told(path, text, message, tmp_path):
    found = told(tmp_path, NAME, {**BASE, path: text}, base=BASE)
    assert any(message in words for _, _, words in found)
    assert {name for name, _, _ in found} == {path}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", PYPROJECT.replace("dependencies = []", 'dependencies = ["attrs"]')),
        ("pyproject.toml", PYPROJECT.replace("\n\n", "\n\n# a remark\n\n")),
        ("setup.cfg", "[metadata]\nname = shop2\n[options]\npackages = find:\n"),
        ("package.json", '{"name": "x", "dependencies": {"a": "1"}, "scripts": {"build": "x"}}'),
        ("docs/ruff.md", "x\n"),
        ("src/shop/config.py", "x = 1\n"),
        ("AGENTS.md", "x\n"),
    ],
)
def test_what_describes_the_project_is_fine(path, text, tmp_path):
    assert told(tmp_path, NAME, {**BASE, path: text}, base=BASE) == []


def test_the_id_stays_when_the_change_goes_on(tmp_path):
    ids = [
        findings(tmp_path / size, NAME, {**BASE, "ruff.toml": f"line-length = {size}\n"}, base=BASE)[0].id
        for size in ("200", "300")
    ]
    assert ids[0] == ids[1]


def test_a_link_in_place_of_a_configuration_is_told(tmp_path):
    base = {**BASE, "ruff.toml": "x\n"}
    (tmp_path / "files").mkdir()
    (tmp_path / "elsewhere.toml").write_text("x\n")
    (tmp_path / "files" / "ruff.toml").symlink_to(tmp_path / "elsewhere.toml")
    found = findings(tmp_path, NAME, BASE, base=base)
    assert [each.message for each in found] == ["ruff.toml configures a tool and was changed"]


def test_what_a_person_lets_agents_write_is_fine(tmp_path):
    files = {**BASE, ".editorconfig": "x\n"}
    assert told(tmp_path, NAME, files, base=BASE, options={"allowed": [".editorconfig"]}) == []
