"""vitest and jest for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from suite_runs import run_tests, write
from thoughtforge.languages.javascript.runners import jest, vitest
from thoughtforge.sandbox.box import Mount
from thoughtforge.testing.report import Environment, SuiteReport

PACKAGE = '{"name": "calc", "type": "%s", "scripts": {"test": "%s"}}'
TESTS = """
test("adds", () => expect(calc.add(1, 2)).toBe(3));
test("wrong", () => expect(calc.add(1, 2)).toBe(4));
describe("a group", () => {
  it("misses", () => calc.sub(1, 2));
  it.skip("waits", () => {});
  it("breaks", () => { throw new Error("no"); });
});
test("twice", () => {});
test("twice", () => {});
"""
JEST = {
    "package.json": PACKAGE % ("commonjs", "jest"),
    "src/calc.js": "exports.add = (a, b) => a + b;\n",
    "tests/calc.test.js": f'const calc = require("../src/calc.js");{TESTS}',
    "tests/new.test.js": 'const { deep } = require("../src/deep.js");\ntest("deep", () => deep());\n',
}
VITEST = {
    "package.json": PACKAGE % ("module", "vitest"),
    "src/calc.js": "export const add = (a, b) => a + b;\n",
    "tests/calc.test.js": (
        f'import {{ describe, expect, it, test }} from "vitest";import * as calc from "../src/calc.js";{TESTS}'
    ),
    "tests/new.test.js": (
        'import { test } from "vitest";\nimport { deep } from "../src/deep.js";\ntest("deep", () => deep());\n'
    ),
}
CASES = [("jest", JEST), ("vitest", VITEST)]


def run(tmp_path: Path, name: str, tree: dict[str, str], modules: Path, **asked: object) -> SuiteReport:
    root = write(tmp_path / "tree", tree)
    (root / "node_modules").unlink(missing_ok=True)
    (root / "node_modules").symlink_to(modules)
    return run_tests(root, tmp_path / "scratch", name=name, env=Environment("node", (Mount(modules),)), **asked)


@pytest.mark.parametrize(("name", "tree"), CASES)
def test_every_outcome_has_its_cause(tmp_path: Path, node_modules: Path, name: str, tree: dict[str, str]) -> None:
    report = run(tmp_path, name, tree, node_modules)
    assert report.broken == ""
    assert {
        id: (r.outcome, r.cause, r.missing.rpartition(".")[2], r.line) for id, r in sorted(report.results.items())
    } == {
        "tests/calc.test.js::a group > breaks": ("failed", "other", "", 7),
        "tests/calc.test.js::a group > misses": ("failed", "missing", "sub", 5),
        "tests/calc.test.js::a group > waits": ("skipped", "", "", 6),
        "tests/calc.test.js::adds": ("passed", "", "", 2),
        "tests/calc.test.js::twice": ("passed", "", "", 9),
        "tests/calc.test.js::twice #2": ("passed", "", "", 10),
        "tests/calc.test.js::wrong": ("failed", "assertion", "", 3),
    }
    assert [(file.path, file.cause, file.missing) for file in report.unreadable] == [
        ("tests/new.test.js", "missing", "deep")
    ]


@pytest.mark.parametrize(("name", "tree"), CASES)
def test_files_and_ids_narrow_a_run(tmp_path: Path, node_modules: Path, name: str, tree: dict[str, str]) -> None:
    ids = ("tests/calc.test.js::a group > misses",)
    assert run(tmp_path, name, tree, node_modules, ids=ids).collected == ids
    report = run(tmp_path, name, tree, node_modules, files=("tests/new.test.js",))
    assert (report.broken, report.results, len(report.unreadable)) == ("", {}, 1)
    listed = run(tmp_path, name, tree, node_modules, collect_only=True)
    assert (listed.broken, listed.results, len(listed.collected)) == ("", {}, 7)


@pytest.mark.parametrize(("name", "tree"), CASES)
def test_a_product_that_ends_the_process_proves_nothing(
    tmp_path: Path, node_modules: Path, name: str, tree: dict[str, str]
) -> None:
    ends = {**tree, "src/calc.js": "process.exit(0);\n", "tests/new.test.js": ""}
    report = run(tmp_path, name, ends, node_modules)
    assert report.broken or not any(result.outcome == "passed" for result in report.results.values())


def test_each_fits_the_package_that_asks_for_it() -> None:
    for adapter, name in ((jest, "jest"), (vitest, "vitest")):
        assert adapter.applies(["package.json"], lambda _, name=name: f'{{"devDependencies": {{"{name}": "*"}}}}')
        assert not adapter.applies(["package.json"], lambda _: "{}")
