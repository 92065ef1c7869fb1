"""Only what stands in a test itself counts for a criterion: not what comes before it, after it or beside it."""

from __future__ import annotations

import pytest

from thoughtforge.deliverables.code.files import body, uncovered

PYTHON = '''import pytest


class Base:
    def test_inherited(self):
        """AC-6"""


class TestHerbs(Base):
    @pytest.mark.parametrize("herb", ["AC-3"])
    def test_one(self, herb):
        # AC-1
        assert herb
        # AC-4

    def helper_nobody_collects(self):
        # AC-2 is never tested
        raise NotImplementedError


# AC-5 stands beside
async def test_one():
    assert True
'''
GO = """package herbs

func TestOne(t *testing.T) {
\t// AC-1
\tif false {
\t\tt.Fatal("no")
\t}
}

func helper(t *testing.T) {
\t// AC-2
}
"""
BRACES_BELOW = """class Herbs
{
    void TestOne()
    {
        // AC-1
    }

    void Helper()
    {
        // AC-2
    }
}
"""
SCRIPT = """describe("herbs", () => {
  it("grow", () => {
    // AC-1
    expect(1).toBe(1);
  });

  function helper() {
    // AC-2
  }
});
"""
CASES = [
    ("tests/t.py::TestHerbs::test_one[basil]", PYTHON, {"AC-1", "AC-3", "AC-4"}),
    ("tests/t.py::test_one", PYTHON, set()),
    ("tests/t.py::TestHerbs::test_inherited", PYTHON, {"AC-6"}),
    ("tests/t.py::TestHerbs::test_gone", PYTHON, set()),
    ("tests/t.py::test_one", "def broken(:\n    # AC-1\n", set()),
    ("herbs_test.go::TestOne[part]", GO, {"AC-1"}),
    ("Herbs.cs::TestOne", BRACES_BELOW, {"AC-1"}),
    ("herbs.test.js::herbs > grow", SCRIPT, {"AC-1"}),
    ("herbs.test.js::herbs > wither", SCRIPT, set()),
]


@pytest.mark.parametrize(("test", "text", "carried"), CASES)
def test_a_test_carries_what_stands_in_it(test: str, text: str, carried: set[str]) -> None:
    ids = [f"AC-{number}" for number in range(1, 7)]
    assert {one for one in ids if one in body(test, text)} == carried
    assert set(uncovered(ids, [test], {test.partition("::")[0]: text})) == set(ids) - carried
