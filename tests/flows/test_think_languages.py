"""New projects that bring their own set-up: built, pinned, and a clean clone passes its own test command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doubles.npm_registry import NpmRegistry
from doubles.server import Server
from flows.code_thoughts import (
    CODE_INTENT,
    CODE_PROPOSAL,
    FINDING,
    FIXED,
    LISTED,
    WISH,
    act,
    building,
    create,
    done,
    fixing,
    reviewed,
    steps,
)
from flows.thoughts import Garden, agreed, make_garden

MODULES = Path(__file__).parents[2] / ".make" / "javascript"
EVERYWHERE = "/usr/local/bin:/usr/bin:/bin"
NAMES = ("AC-1 greets by name", "AC-2 greets a stranger")
CASES = f"""import {{ greet }} from "../greeter";

test("{NAMES[0]}", () => {{
  expect(greet("Ann")).toBe("Hello, Ann!");
}});

test("{NAMES[1]}", () => {{
  expect(greet("")).toBe("Hello, stranger!");
}});
"""
VITEST_TESTS = f'import {{ expect, test }} from "vitest";\n{CASES}'
HELD = VITEST_TESTS.replace("Ann", "Bo")
TYPED = """// Greets people.
export function greet(name: string): string {
  return `Hello, ${name || "stranger"}!`;
}
"""
VERSION = "4.1.12"
PACKAGE: dict[str, Any] = {
    "name": "greeter",
    "version": "1.0.0",
    "private": True,
    "type": "module",
    "scripts": {"test": "vitest run"},
    "devDependencies": {"vitest": VERSION},
}


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


@pytest.fixture
def registry() -> Iterator[Server]:
    """A registry with what `make` fetched; without it the test is skipped, and says so."""
    if shutil.which("npm") is None or shutil.which("node", path=EVERYWHERE) is None:
        pytest.skip("node is not installed for everyone")
    if not (MODULES / "complete").exists():
        if os.environ.get("CI"):
            pytest.fail(f"{MODULES} is missing although npm is here: make .make/javascript/complete")
        pytest.skip("vitest is not installed: make .make/javascript/complete (needs a registry)")
    with Server(NpmRegistry(MODULES / "node_modules")) as server:
        yield server


def typescript(path: str) -> list[dict[str, Any]]:
    """What the test engineer does in a project that is to become TypeScript."""
    rows = [{**row, "name": name} for row, name in zip(LISTED, NAMES, strict=True)]
    held = [
        {"criterion": one, "path": f"tests/held_{at}.test.ts", "text": HELD, "why": "it is a module of TypeScript"}
        for at, one in enumerate(("AC-1", "AC-2"))
    ]
    faces = [{"name": "greeter.ts:greet", "signature": "greet(name: string): string", "purpose": "greets"}]
    suite = {
        "test_files": [{"path": path, "tests": rows}],
        "interface": faces,
        "held_back": [],
        "held_back_tests": held,
    }
    return steps("tests", create(path, VITEST_TESTS), act("complete", artifact=suite))


def test_a_thought_becomes_typescript_tested_by_vitest(garden: Garden, registry: Server, tmp_path: Path) -> None:
    proposal = {**CODE_PROPOSAL, "language": "TypeScript"}
    made = building(
        create("package-lock.json", "{}"),
        create("package.json", json.dumps(PACKAGE, indent=2) + "\n"),
        create("greeter.ts", TYPED),
        done("greeter.ts"),
    )
    weakens = act("edit_file", path="package.json", old='"vitest run"', new='"true"')
    mends = act("edit_file", path="greeter.ts", old="// Greets people.", new="// Greets people by name.")
    finding = {**FINDING, "location": "greeter.ts:1"}
    asks = [*fixing(weakens, mends, done("greeter.ts")), reviewed(finding, times=1), reviewed(), FIXED]
    garden.script(*agreed(CODE_INTENT, proposal), *typescript("tests/greeter.test.ts"), *made, *asks)
    env = {"npm_config_registry": registry.url}
    told = garden.json("think", garden.note(WISH), **env)
    acts = [(e["tool"], e["outcome"]) for e in garden.events("action_taken") if e["outcome"] != "ok"]
    exits = [e["criteria"] for e in garden.events("measured") if e["what"] == "exit"]
    assert (told["phase"], told["exit_code"]) == ("done", 0), (told, acts, exits)
    lock = json.loads((garden.project / "package-lock.json").read_text())
    assert lock["packages"][""]["devDependencies"] == {"vitest": VERSION}
    assert not any("resolved" in one for one in lock["packages"].values())
    assert json.loads((garden.project / "package.json").read_text()) == PACKAGE
    refused = [e["summary"] for e in garden.events("action_taken") if e["outcome"] == "refused"]
    assert [("made by the engine" in one, "fixed since" in one) for one in refused] == [(True, False), (False, True)]
    (on_record,) = [e for e in garden.events("measured") if e["what"] == "lock"]
    assert on_record["facts"]["network"].startswith("npm install --package-lock-only --ignore-scripts")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(garden.project), str(clone)], check=True)
    ours = {**os.environ, **env, "npm_config_cache": str(tmp_path / "cache")}
    for argv in (["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], ["npm", "test"]):
        ran = subprocess.run(argv, cwd=clone, env=ours, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout
