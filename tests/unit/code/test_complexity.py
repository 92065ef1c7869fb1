"""Complexity is measured by the real tool on text alone; nothing in the text can silence it."""

import asyncio

import pytest

from thoughtforge.code.complexity import ComplexityReport, FunctionComplexity, highest, measure
from thoughtforge.gate.context import Broken

TEXTS = {
    "a.py": "# ruff: noqa\ndef f(x):  # noqa: C901\n    if x:\n        for y in x:\n            print(y)\n",
    "b/c.py": "class K:\n    async def m(self):\n        return [i for i in () if i]\n",
}


def test_every_function_is_measured_the_most_complex_first():
    assert asyncio.run(measure(TEXTS)) == ComplexityReport(
        (FunctionComplexity("a.py", 2, "f", 3), FunctionComplexity("b/c.py", 2, "m", 1))
    )


def test_the_highest_value_is_told():
    assert [asyncio.run(highest(texts)) for texts in (TEXTS, {}, {"a.py": "x = 1\n"})] == [3, 0, 0]


def test_other_languages_and_broken_files_are_named_as_not_measured():
    found = asyncio.run(measure({"a.go": "func f() {}", "b.py": "def (", "-c.py": "def g(): pass\n"}))
    assert found.functions == (FunctionComplexity("-c.py", 1, "g", 1),)
    assert found.unmeasured == (
        "a.go: complexity is measured for Python only",
        "b.py:1: it does not parse: Expected an identifier",
    )


def test_a_tool_that_fails_is_broken_and_not_simple(tmp_path):
    from thoughtforge.code import complexity

    ruff = tmp_path / "ruff"
    ruff.write_text("#!/bin/sh\necho no >&2\nexit 2\n")
    ruff.chmod(0o755)
    with pytest.raises(Broken, match=r"ruff could not measure a\.py: no"):
        asyncio.run(complexity._file(ruff, "a.py", ""))
