"""Some files no role may write, and tests are written where tests are written: whatever a role's file says."""

from collections.abc import Callable

import pytest

from thoughtforge.code.write_policy import behind, hidden_in, no_tests, only_tests, refusal
from thoughtforge.kernel.model import Stage
from thoughtforge.workspaces.patterns import parse_ignore

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


def guarded(stage: Stage) -> Callable[[str], str]:
    """What a stage leaves alone."""
    return (only_tests if stage is RED else no_tests)(stage, is_test)


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
        (".gemini", "**/.gemini/**"),
        ("tools/.Claude", "**/.claude/**"),
    ],
)
@pytest.mark.parametrize("stage", [RED, GREEN, DELIVER], ids=lambda stage: stage.name)
def test_judges_hooks_and_files_that_run_by_themselves_are_never_written(path: str, pattern: str, stage: Stage) -> None:
    assert refusal(path, stage, guarded(stage)) == f"{path} is never written by an agent ({pattern})"


def test_red_writes_tests_and_nothing_else() -> None:
    assert refusal("tests/test_report.py", RED, guarded(RED)) == ""
    assert refusal("shelf/report.py", RED, guarded(RED)) == (
        "shelf/report.py is no test file of this repository; red writes tests only"
    )


@pytest.mark.parametrize("path", ["tests/test_report.py", "tests/data/stock.csv", "Tests/test_new.py", "TESTS/x.py"])
def test_every_other_stage_leaves_the_tests_alone_in_every_spelling(path: str) -> None:
    assert refusal(path, GREEN, guarded(GREEN)) == f"{path} belongs to the tests; green leaves them as they are"
    assert refusal("shelf/tests.py", GREEN, guarded(GREEN)) == ""


def test_a_stage_that_names_what_it_writes_writes_nothing_else() -> None:
    assert refusal("docs/json.md", DELIVER, guarded(DELIVER)) == ""
    assert refusal("CHANGELOG.md", DELIVER, guarded(DELIVER)) == ""
    assert refusal("shelf/report.py", DELIVER, guarded(DELIVER)) == (
        "shelf/report.py is outside what the stage deliver writes: docs/**,*.md"
    )


@pytest.mark.parametrize("path", [".github/workflows/ci.yml", "api/.envrc", ".vscode/tasks.json", ".GitHub/x.yml"])
def test_what_other_programs_run_is_written_only_when_the_specification_names_it(path: str) -> None:
    assert refusal(path, GREEN, guarded(GREEN)) == (
        f"{path} is run by other programs and is only written when the specification names it"
    )
    assert refusal(path, GREEN, guarded(GREEN), named={path}) == ""


LINKS = {".gemini": "agentconf", "tools/.claude": "../shared/agents", "shared": "common", "CLAUDE.md": "docs/RULES.md"}


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("agentconf", ".gemini"),
        ("agentconf/settings.json", ".gemini"),
        ("common/agents/settings.json", "tools/.claude"),
        ("docs/RULES.md", "CLAUDE.md"),
    ],
)
def test_nothing_is_written_where_a_link_to_agent_settings_leads(path: str, link: str) -> None:
    said = f"{path} is never written by an agent: {link} leads there"
    assert refusal(path, GREEN, guarded(GREEN), linked=behind(LINKS)) == said
    assert refusal(path, GREEN, guarded(GREEN)) == ""


def test_other_links_and_links_that_lead_nowhere_forbid_nothing() -> None:
    away = {"data": "elsewhere", ".codex": "/etc/codex", ".claude": "..", ".mcp.json": ".mcp.json", ".gemini": "."}
    assert behind(away) == {}
    assert refusal("agentconfig/x", GREEN, guarded(GREEN), linked=behind(LINKS)) == ""


TREE = (
    *(".claude/settings.json", ".claude/hooks/a.sh", ".gemini", "tools/.codex/config.toml", "CLAUDE.md", "AGENTS.md"),
    *(".env", "certs/server.pem", "certs/README.md", "private/plan.txt", "private/deep/more.txt", "src/app.py"),
    *("mixed/keep.txt", "mixed/drop.txt", "vault/one.key", "docs/agents.md"),
)


def test_agent_settings_secrets_and_what_a_person_hides_are_hidden_and_nothing_else() -> None:
    ignore = parse_ignore("private/\nmixed/*\n!mixed/keep.txt\n")
    assert hidden_in(TREE, ignore.reason) == (
        *(".claude", ".env", ".gemini", "AGENTS.md", "CLAUDE.md", "certs/server.pem", "mixed/drop.txt", "private"),
        *("tools/.codex", "vault/one.key"),
    )
