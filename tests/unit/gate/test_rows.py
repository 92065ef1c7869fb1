"""A check made of rules of ruff or ast-grep is a row of data, built in or a repository's own."""

import asyncio
import os
from pathlib import Path

import pytest

from looking import write
from thoughtforge.catalog import Catalog
from thoughtforge.gate.active import check_names
from thoughtforge.gate.conformance import load
from thoughtforge.gate.run import Gate, GateConfig
from thoughtforge.kernel.errors import UserError

ASSERTS = """
ruff:
  no-asserts:
    description: No assert in code that ships.
    hint: Raise an error of your own.
    severity: minor
    codes: {S101: {message: this assert is gone when Python runs with -O}}
    options:
      tests: {default: ["tests/**"], about: Path patterns of tests., skips: paths}
"""
SLEEPS = """
patterns:
  no-sleep:
    description: Nothing sleeps.
    hint: Wait for the thing itself.
    find: ["time.sleep($$$)"]
    message: "$CODE waits for nothing in particular"
"""
ROW = "{{description: A., hint: B., {more}}}"


def judged(folder: Path, conformance: str, files: dict[str, str]) -> list[tuple[str, ...]]:
    """Check, severity, path, message and hint of each finding, and what is broken."""
    write(folder / "files", files)
    catalog = Catalog(project={"conformance/a.yaml": conformance}, user=None, library=folder / "none")
    found = load(catalog, check_names())

    async def looked() -> list[tuple[str, ...]]:
        means = GateConfig(folder / "tools", os.environ["PATH"])
        gate = Gate(folder / "files", found, before=None, config=means, against_base=False)
        try:
            await gate.open(files)
            verdict = await gate.stage_end(sorted(files))
        finally:
            await gate.close()
        names = {*found.rows["ruff"], *found.rows["patterns"]}
        mine = [each for each in verdict.outcomes if each.check in names]
        assert {each.check for each in mine} == names
        broken = [(each.check, each.broken) for each in mine if each.broken]
        return [*broken, *((f.check, f.severity, f.path, f.message, f.hint) for one in mine for f in one.findings)]

    return asyncio.run(looked())


def test_a_repository_adds_a_ruff_check_with_one_row(tmp_path: Path) -> None:
    files = {"a.py": "assert 1\n", "tests/test_a.py": "assert 1\n"}
    message = "this assert is gone when Python runs with -O"
    assert judged(tmp_path, ASSERTS, files) == [("no-asserts", "minor", "a.py", message, "Raise an error of your own.")]


def test_a_row_is_configured_like_any_other_check(tmp_path: Path) -> None:
    text = f"{ASSERTS}\nchecks: {{no-asserts: {{severity: critical, options: {{tests: []}}}}}}\n"
    found = judged(tmp_path, text, {"tests/test_a.py": "assert 1\n"})
    assert [each[:3] for each in found] == [("no-asserts", "critical", "tests/test_a.py")]


def test_a_repository_adds_an_ast_grep_check_with_one_row(tmp_path: Path) -> None:
    files = {"a.py": "import time\n\ntime.sleep(3)\n", "b.py": "text = 'time.sleep(3)'\n"}
    assert judged(tmp_path, SLEEPS, files) == [
        ("no-sleep", "major", "a.py", "time.sleep(3) waits for nothing in particular", "Wait for the thing itself.")
    ]


def test_a_row_may_look_at_another_language(tmp_path: Path) -> None:
    row = "{description: A., hint: B., language: javascript, endings: [.js], find: [eval($X)], message: x}"
    found = judged(tmp_path, f"patterns: {{no-eval: {row}}}\n", {"a.js": "eval(text);\n", "a.py": "eval(text)\n"})
    assert [each[:3] for each in found] == [("no-eval", "major", "a.js")]


def test_a_row_with_a_code_ruff_does_not_know_is_broken_not_passed(tmp_path: Path) -> None:
    found = judged(tmp_path, f"ruff: {{a: {ROW.format(more='codes: {ZZZ999: {}}')}}}\n", {"a.py": "x = 1\n"})
    assert [(name, why.startswith("ruff rejects its configuration")) for name, why in found] == [("a", True)]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("rule: {kind: no_such_kind}, message: x", "ast-grep rejects the rule"),
        ("find: ['f(('], message: x", "is not Python"),
        ("find: ['f($X)'], message: $MISSING", "uses 'MISSING', which the rule does not capture"),
    ],
)
def test_a_rule_that_cannot_work_is_broken_not_passed(more: str, why: str, tmp_path: Path) -> None:
    ((name, said),) = judged(tmp_path, f"patterns: {{a: {ROW.format(more=more)}}}\n", {"a.py": "f(1)\n"})
    assert (name, why in said) == ("a", True)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("ruff: {line-length: ROW}", "the check 'line-length' already exists"),
        ("ruff: {a: ROW}\npatterns: {a: {description: A., hint: B., message: x}}", "the check 'a' already exists"),
        ("ruff: {A b: ROW}", "must be lower-case words joined by -"),
        ("ruff: {a: {description: A., hint: B., codes: {}}}", "at least 1 item"),
        ("ruff: {a: {description: A., hint: B., codes: {'x y': {}}}}", "not the form of a ruff code"),
        ("ruff: {a: {description: A., hint: B., codes: {S101: {message: $other}}}}", "nothing sets $other"),
        ("ruff: {a: {description: A., hint: B., reads: '(', codes: {S101: {}}}}", "is not a regular expression"),
    ],
)
def test_a_row_that_cannot_stand_is_refused(row: str, why: str, tmp_path: Path) -> None:
    text = row.replace("ROW", "{description: A., hint: B., codes: {S101: {}}}")
    with pytest.raises(UserError) as mistake:
        load(Catalog(project={"conformance/a.yaml": text}, user=None, library=tmp_path), check_names())
    assert any(why in line for line in (mistake.value.what, *mistake.value.details))


@pytest.mark.parametrize("setting", ["lint.ignore", "exclude", "lint.per-file-ignores.x", "extend", "lint.exclude"])
def test_a_row_cannot_silence_its_neighbours(setting: str, tmp_path: Path) -> None:
    option = f"{{default: [E501], about: x., setting: {setting}}}"
    text = f"ruff: {{a: {{description: A., hint: B., codes: {{S101: {{}}}}, options: {{x: {option}}}}}}}\n"
    with pytest.raises(UserError) as mistake:
        load(Catalog(project={"conformance/a.yaml": text}, user=None, library=tmp_path), check_names())
    assert "is not a setting of a single ruff rule" in mistake.value.what
