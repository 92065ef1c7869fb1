"""What a command loads before it does anything: quick commands load nothing heavy, a scripted run no vendor."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness import REQUEST, environment, thoughtforge
from harness.trusted import allowing

ENTRY = """
import json, sys
sys.argv[0] = "thoughtforge"
from thoughtforge.cli.main import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
"""What the installed command does, and then the names of all modules it has loaded."""

HEAVY = {"asyncio", "concurrent", "email", "http", "importlib.metadata", "logging", "ssl", "subprocess", "unittest"}
"""Parts of the standard library that cost more than all of a quick command."""
ONLY_FOR_CODE = {"checks", "gate", "languages", "testing"}
TOOLS_OF_THE_GATE = {"ast_grep_py", "coverage", "detect_secrets", "grimp", "pytest"}
VENDORS = {"anthropic", "genai_prices", "google", "httpx", "httpx2", "openai", "pydantic_ai", "tiktoken"}


def loaded(*args: str, cwd: Path) -> set[str]:
    """The modules a command has loaded at its end."""
    ended = _python(ENTRY, *args, cwd=cwd)
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stderr.splitlines()[-1]))


def foreign(modules: set[str], cwd: Path) -> set[str]:
    """The packages among them that neither Python nor the environment's own start-up brings along."""
    before = json.loads(_python("import json, sys; print(json.dumps(sorted(sys.modules)))", cwd=cwd).stdout)
    return {name.partition(".")[0] for name in modules - set(before)} - set(sys.stdlib_module_names)


def _python(code: str, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-P", "-c", code, *args]
    return subprocess.run(
        argv, cwd=cwd, env=environment(cwd, **allowing(cwd, {})), capture_output=True, text=True, check=False
    )


EVERY_COMMAND = """
import json, sys
import click
from thoughtforge.cli.main import COMMANDS, cli
for name in COMMANDS:
    assert cli.get_command(click.Context(cli), name) is not None
print(json.dumps(sorted(sys.modules)))
"""


def test_no_command_loads_anything_heavy_for_its_help(tmp_path: Path) -> None:
    ended = _python(EVERY_COMMAND, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    modules = set(json.loads(ended.stdout))
    assert foreign(modules, tmp_path) == {"click", "thoughtforge"}
    assert modules & HEAVY == set()


@pytest.mark.parametrize("args", [("--version",), ("--help",), ("status",), ("status", "--json")])
def test_a_quick_command_loads_click_and_nothing_heavy(args: tuple[str, ...], tmp_path: Path) -> None:
    modules = loaded(*args, cwd=tmp_path)
    assert foreign(modules, tmp_path) == {"click", "thoughtforge"}
    assert modules & HEAVY == set()


def test_a_list_of_tasks_that_the_index_knows_loads_nothing_heavy(shelf: Path, person: Path) -> None:
    assert thoughtforge("design", REQUEST, "--json", cwd=shelf, home=person).code == 0
    first = loaded("status", cwd=shelf)
    assert "pydantic" in first, "the first list folds the log"
    modules = loaded("status", cwd=shelf)
    assert foreign(modules, shelf) == {"click", "thoughtforge"}
    assert modules & HEAVY == set()


def test_a_scripted_design_loads_no_vendor_and_nothing_for_a_terminal(shelf: Path) -> None:
    modules = loaded("design", REQUEST, "--json", cwd=shelf)
    packages = foreign(modules, shelf)
    assert packages & (VENDORS | {"rich"}) == set()
    assert {"click", "jinja2", "jsonschema", "pydantic", "yaml"} <= packages
    ours = {name.removeprefix("thoughtforge.") for name in modules if name.startswith("thoughtforge.")}
    told = {
        "testing",
        "testing.access",
        "testing.language",
        "testing.install",
        "testing.report",
    }  # which files are code
    assert {name for name in ours if name.partition(".")[0] in ONLY_FOR_CODE} == told
    assert packages & TOOLS_OF_THE_GATE == set()
