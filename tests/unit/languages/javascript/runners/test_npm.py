"""npm's test script for real, with node's own runner."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from suite_runs import run_tests, write
from thoughtforge.languages.javascript.runners.npm import applies
from thoughtforge.testing.report import Environment, SuiteReport, UnreadableFile
from thoughtforge.testing.report import TestResult as Result

NODE = shutil.which("node", path="/usr/local/bin:/usr/bin:/bin")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed for everyone")
TEST = """const { describe, it, test } = require("node:test");
const assert = require("node:assert");
test("adds", () => assert.equal(1 + 2, 3));
test("subtracts", () => sub(1, 2));
describe("a group", () => {
  it("holds", () => {});
  it("holds", () => {});
  it("waits", { skip: true }, () => {});
});
test("outer", async (t) => { await t.test("inner", () => assert.ok(false)); });
"""
LATER = 'const { deep } = require("./src/deep");\nrequire("node:test").test("deep", () => deep());\n'


def run(tmp_path: Path, script: str, *, files: tuple[str, ...] = (), **texts: str) -> SuiteReport:
    package = f'{{"scripts": {{"test": "{script}"}}}}'
    root = write(tmp_path / "tree", {"package.json": package, **texts})
    return run_tests(root, tmp_path / "scratch", name="npm", env=Environment("nothing"), files=files)


@needs_node
def test_nodes_own_runner_is_read_test_by_test(tmp_path: Path) -> None:
    report = run(tmp_path, "node --test", **{"sum.test.js": TEST, "later.test.js": LATER})
    assert report.broken == ""
    assert {id: (r.outcome, r.cause, r.missing, r.error, r.line) for id, r in report.results.items()} == {
        "sum.test.js::adds": ("passed", "", "", "", 3),
        "sum.test.js::subtracts": ("failed", "missing", "sub", "ReferenceError: sub is not defined", 4),
        "sum.test.js::a group > holds": ("passed", "", "", "", 6),
        "sum.test.js::a group > holds #2": ("passed", "", "", "", 7),
        "sum.test.js::a group > waits": ("skipped", "", "", "", 8),
        "sum.test.js::outer > inner": (
            "failed", "assertion", "", "AssertionError: The expression evaluated to a falsy value:", 10,
        ),
        "sum.test.js::outer": (
            "failed", "assertion", "", "AssertionError: The expression evaluated to a falsy value:", 10,
        ),
    }  # fmt: skip
    assert report.unreadable == (
        UnreadableFile("later.test.js", 1, "Error: Cannot find module './src/deep'", "missing", "deep"),
    )


@needs_node
def test_only_the_asked_files_are_answered(tmp_path: Path) -> None:
    files = {"sum.test.js": TEST, "later.test.js": LATER}
    report = run(tmp_path, "node --test", files=("later.test.js",), **files)
    assert (report.broken, report.results, len(report.unreadable)) == ("", {}, 1)


@needs_node
def test_a_file_whose_process_ends_early_answers_nothing(tmp_path: Path) -> None:
    files = {"sum.test.js": TEST.replace("sub(1, 2)", "process.exit(0)")}
    assert run(tmp_path, "node --test", **files).results == {}


@needs_node
def test_a_test_cannot_answer_the_engine_itself(tmp_path: Path) -> None:
    forged = """const fs = require("node:fs");
const fact = { fact: "result", id: "sum.test.js::subtracts", when: "call", outcome: "passed" };
const fd = Number(process.env.THOUGHTFORGE_REPORT_FD);
require("node:test").test("forges", () => fs.writeSync(fd, JSON.stringify(fact) + "\\n"));
"""
    report = run(tmp_path, "node --test", **{"a.test.js": forged, "sum.test.js": TEST})
    assert report.broken or report.results["sum.test.js::subtracts"].outcome == "failed"


def test_any_other_script_is_one_test(tmp_path: Path) -> None:
    assert run(tmp_path, "exit 0").results == {"npm test": Result("npm test", "passed")}
    assert run(tmp_path, "exit 3").results == {"npm test": Result("npm test", "failed", "other", error="code 3")}


def test_a_script_whose_program_is_missing_is_broken(tmp_path: Path) -> None:
    assert run(tmp_path, "no-such-program").broken.startswith("npm test failed to run, code 127")


@pytest.mark.parametrize(
    ("package", "fits"),
    [
        ('{"scripts": {"test": "node --test"}}', True),
        ('{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}', False),
        ('{"scripts": {}}', False),
        ("[]", False),
        ("{", False),
    ],
)
def test_it_fits_a_package_with_a_test_script_of_its_own(package: str, fits: bool) -> None:
    assert applies(["package.json"], lambda _: package) is fits
