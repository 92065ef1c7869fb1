"""JavaScript: which files are tests and why one failed."""

from __future__ import annotations

import pytest

from thoughtforge.languages.javascript.reports import cause_of, is_javascript_test, package, uses

CAUSES = {
    "AssertionError: expected 3 to be 4 // Object.is equality": ("assertion", ""),
    "Error: expect(received).toBe(expected) // Object.is equality": ("assertion", ""),
    "ReferenceError: report is not defined": ("missing", "report"),
    "TypeError: sub is not a function": ("missing", "sub"),
    "TypeError: (0 , _calc.sub) is not a function": ("missing", "sub"),
    "TypeError: __vi_import_0__.sub is not a function": ("missing", "sub"),
    "TypeError: Shelf is not a constructor": ("missing", "Shelf"),
    "Error: Cannot find module '../src/deep.js' imported from tests/b.test.js": ("missing", "deep"),
    'Error: Failed to resolve import "./deep" from "tests/b.test.ts". Does the file exist?': ("missing", "deep"),
    "SyntaxError: The requested module './a.js' does not provide an export named 'sub'": ("missing", "sub"),
    "TypeError: Cannot read properties of undefined (reading 'x')": ("other", ""),
    "SyntaxError: Unexpected token ')'": ("other", ""),
    "Error: Test timed out in 5000ms.": ("other", ""),
}


@pytest.mark.parametrize("error", CAUSES)
def test_a_message_tells_the_cause(error: str) -> None:
    assert cause_of(error) == CAUSES[error]


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("src/a.test.ts", True),
        ("src/a.spec.jsx", True),
        ("src/a.test.mts", True),
        ("src/__tests__/a.js", True),
        ("src/__snapshots__/a.test.ts.snap", True),
        ("test/setup.js", True),
        ("src/contest.ts", False),
        ("src/latest.js", False),
        ("src/spec/index.ts", False),
    ],
)
def test_tests_are_known_by_name_and_folder(path: str, test: bool) -> None:
    assert is_javascript_test(path) is test


def test_a_package_that_cannot_be_read_uses_nothing() -> None:
    assert package(["package.json"], lambda _: "{") == {}
    assert package([], lambda _: "{}") == {}
    assert uses({"devDependencies": {"vitest": "^4"}}, "vitest")
    assert uses({"scripts": {"test": "npx jest --ci"}}, "jest")
    assert not uses({"scripts": {"test": "node --test"}, "dependencies": None}, "jest")
