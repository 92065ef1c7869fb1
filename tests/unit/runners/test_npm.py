"""npm's test script for real, with node's own runner."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from suite_runs import run_tests, write
from thoughtforge.runners.npm import applies
from thoughtforge.suites.result import Environment, Report
from thoughtforge.suites.result import TestResult as Result

NODE = shutil.which("node", path="/usr/local/bin:/usr/bin:/bin")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed for everyone")
TEST = """const { test } = require("node:test");
const assert = require("node:assert");
test("adds", () => assert.equal(1 + 2, 3));
test("subtracts", () => sub(1, 2));
"""


def run(tmp_path: Path, script: str, **files: str) -> Report:
    package = f'{{"scripts": {{"test": "{script}"}}}}'
    root = write(tmp_path / "tree", {"package.json": package, **files})
    return run_tests(root, tmp_path / "scratch", name="npm", env=Environment("nothing"))


@needs_node
def test_nodes_own_runner_is_read_test_by_test(tmp_path: Path) -> None:
    report = run(tmp_path, "node --test", **{"sum.test.js": TEST})
    assert (report.broken, list(report.results.values())) == (
        "",
        [
            Result("adds", "passed"),
            Result("subtracts", "failed", "missing", "sub", "ReferenceError: sub is not defined"),
        ],
    )


def test_any_other_script_is_one_test(tmp_path: Path) -> None:
    assert run(tmp_path, "exit 0").results == {"npm test": Result("npm test", "passed")}
    assert run(tmp_path, "exit 3").results == {"npm test": Result("npm test", "failed", "other", error="code 3")}


def test_a_script_whose_program_is_missing_is_broken(tmp_path: Path) -> None:
    assert run(tmp_path, "no-such-program").broken.startswith("npm test could not do its work, code 127")


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
