"""Names of tests in JavaScript that cannot run yet."""

from __future__ import annotations

from thoughtforge.languages.javascript.dependencies import names_in

TEXT = """
import { test } from "node:test"; // test("in a comment", ...)
/* it("neither") */
const text = 'test("nor in a text")', more = { test: 1 };
test("plain", () => { call({ a: [1, 2] }); });
describe('a group', () => {
  it.skip("inner", async () => {});
  describe("deeper", function () { test(`third`, () => {}); });
  it("it's \\"quoted\\"", () => {});
});
test.each([[1, 2]])("computed %i", (a) => {});
test(`name ${computed}`, () => {});
page.test("no test");
test("last", () => {});
"""


def test_names_have_the_groups_they_are_in() -> None:
    assert names_in("a.test.js", TEXT) == tuple(
        f"a.test.js::{name}"
        for name in ("plain", "a group > inner", "a group > deeper > third", 'a group > it\'s "quoted"', "last")
    )


def test_a_text_that_ends_early_gives_what_it_has() -> None:
    assert names_in("a.js", 'test("one", () => {\ndescribe("open", () => {\n it("two"') == (
        "a.js::one",
        "a.js::open > two",
    )
