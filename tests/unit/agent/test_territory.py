"""Some files no role may write, and tests are written where tests are written: whatever a role's file says."""

import pytest

from thoughtforge.agent.territory import refusal
from thoughtforge.kernel.model import Stage

RED = Stage(name="red", purpose="p", driver="code", role="tester", output_contract="test_suite")
GREEN = Stage(name="green", purpose="p", driver="code", role="developer", output_contract="implementation")
DELIVER = Stage(
    name="deliver",
    purpose="p",
    driver="deliver",
    role="ops",
    output_contract="delivery_report",
    write_paths="docs/**,*.md",
)


def is_test(path: str) -> bool:
    return path.startswith("tests/")


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        (".thoughtforge/config.yaml", ".thoughtforge/**"),
        (".ThoughtForge/roles/x.yaml", ".thoughtforge/**"),
        (".gitattributes", "**/.gitattributes"),
        ("deep/down/.GITATTRIBUTES", "**/.gitattributes"),
        (".gitmodules", "**/.gitmodules"),
        (".husky/pre-commit", "**/.husky/**"),
        ("tools/.claude/settings.json", "**/.claude/**"),
        (".mcp.json", "**/.mcp.json"),
        ("src/sitecustomize.py", "**/sitecustomize.py"),
        ("SiteCustomize.py", "**/sitecustomize.py"),
        ("extra.pth", "**/*.pth"),
        ("shelf/__pycache__/report.cpython-311.pyc", "**/*.pyc"),
        ("node_modules/left-pad/index.js", "**/node_modules/**"),
    ],
)
@pytest.mark.parametrize("stage", [RED, GREEN, DELIVER], ids=lambda stage: stage.name)
def test_judges_hooks_and_files_that_run_by_themselves_are_never_written(path: str, pattern: str, stage: Stage) -> None:
    assert refusal(path, stage, is_test) == f"{path} is never written by an agent ({pattern})"


def test_red_writes_tests_and_nothing_else() -> None:
    assert refusal("tests/test_report.py", RED, is_test) == ""
    assert refusal("shelf/report.py", RED, is_test) == (
        "shelf/report.py is no test file of this repository; red writes tests only"
    )


@pytest.mark.parametrize("path", ["tests/test_report.py", "tests/data/stock.csv", "Tests/test_new.py", "TESTS/x.py"])
def test_every_other_stage_leaves_the_tests_alone_in_every_spelling(path: str) -> None:
    assert refusal(path, GREEN, is_test) == f"{path} belongs to the tests; green leaves them as they are"
    assert refusal("shelf/tests.py", GREEN, is_test) == ""


def test_a_stage_that_names_what_it_writes_writes_nothing_else() -> None:
    assert refusal("docs/json.md", DELIVER, is_test) == ""
    assert refusal("CHANGELOG.md", DELIVER, is_test) == ""
    assert refusal("shelf/report.py", DELIVER, is_test) == (
        "shelf/report.py is outside what the stage deliver writes: docs/**,*.md"
    )


@pytest.mark.parametrize("path", [".github/workflows/ci.yml", "api/.envrc", ".vscode/tasks.json", ".GitHub/x.yml"])
def test_what_other_programs_run_is_written_only_when_the_specification_names_it(path: str) -> None:
    assert refusal(path, GREEN, is_test) == (
        f"{path} is run by other programs and is only written when the specification names it"
    )
    assert refusal(path, GREEN, is_test, named={path}) == ""
