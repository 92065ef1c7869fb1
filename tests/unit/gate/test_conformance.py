"""conformance/*.yaml: layers lie over each other, and everything wrong is told at once."""

from functools import partial
from pathlib import Path

import pytest

from thoughtforge.catalog import Catalog
from thoughtforge.gate.active import active, check_names, limits_told, ruff_wanted
from thoughtforge.gate.conformance import Conformance, load
from thoughtforge.gate.run import fitting
from thoughtforge.kernel.errors import UserError

KNOWN = frozenset({"line-length", "types"})


def loaded(
    tmp_path: Path, project: dict[str, str], *, built_in: str = "", user: str = "", known: frozenset[str] = KNOWN
) -> Conformance:
    folders = {"library": built_in, "user": user}
    for name, text in folders.items():
        (tmp_path / name / "conformance").mkdir(parents=True)
        (tmp_path / name / "conformance" / "python.yaml").write_text(text)
    files = {f"conformance/{name}": text for name, text in project.items()}
    return load(Catalog(project=files, user=tmp_path / "user", library=tmp_path / "library"), known)


def test_project_lies_over_user_lies_over_built_in(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        {"python.yaml": "checks: {line-length: {options: {limit: 99}}}\nexclude: [vendor]\n"},
        built_in=(
            "checks: {line-length: {severity: minor, options: {limit: 120, other: 1}}, types: true}\nexclude: [x]\n"
        ),
        user="checks: {line-length: {severity: major}, types: false}\n",
    )
    line = found.checks["line-length"]
    assert (line.active, line.severity, line.options) == (True, "major", {"limit": 99, "other": 1})
    assert found.checks["types"].active is False
    assert found.exclude == ("x", "vendor")


def test_differently_named_files_are_all_in_force(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        {"more.yaml": "applies_to: ['src/**']\nchecks: {types: true}\ntests: {exempt: [types]}\n"},
        built_in="checks: {line-length: false}\n",
    )
    assert (found.checks["line-length"].active, found.checks["types"].active) == (False, True)
    assert found.checks["types"].applies_to == ("src/**",)
    assert found.exempt == {"types"}


def test_every_unknown_check_is_listed_with_what_exists(tmp_path: Path) -> None:
    with pytest.raises(UserError) as mistake:
        loaded(tmp_path, {"a.yaml": "checks: {no-such: true, line-length: true}\ntests: {exempt: [nor-this]}\n"})
    assert mistake.value.details == (
        ".thoughtforge/conformance/a.yaml: there is no check 'no-such'",
        ".thoughtforge/conformance/a.yaml: there is no check 'nor-this'",
    )
    assert mistake.value.do == "Known: line-length, types"


def test_every_wrong_key_is_listed_with_its_line(tmp_path: Path) -> None:
    text = "chekcs: {}\nchecks:\n  types:\n    severity: awful\n    level: 3\nexclude: no list\n"
    with pytest.raises(UserError) as mistake:
        loaded(tmp_path, {"a.yaml": text})
    assert [line.removeprefix(".thoughtforge/conformance/a.yaml:") for line in mistake.value.details] == [
        "1: chekcs: Extra inputs are not permitted",
        "4: checks.types.severity: Input should be 'critical', 'major' or 'minor'",
        "5: checks.types.level: Extra inputs are not permitted",
        "6: exclude: Input should be a valid tuple",
    ]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("{name: Bad Name, argv: [x]}", "the name 'Bad Name' must be lower-case words joined by -"),
        ("{name: a, argv: []}", "Tuple should have at least 1 item after validation, not 0"),
        ("{name: a, argv: [x], parse: lines, pattern: '('}", "the pattern is not a regular expression"),
        ("{name: a, argv: [x], parse: lines, pattern: 'x'}", "the pattern needs the groups path and message"),
    ],
)
def test_a_command_check_that_cannot_work_is_refused(tmp_path: Path, command: str, why: str) -> None:
    with pytest.raises(UserError) as mistake:
        loaded(tmp_path, {"a.yaml": f"commands: [{command}]\n"})
    assert why in mistake.value.what


def test_the_built_in_files_are_in_order() -> None:
    found = load(Catalog(project={}, user=None), check_names())
    checks = active(found, commands={})
    assert {"syntax", "types", "line-length"} <= {each.name for each in checks}
    assert "E501" in ruff_wanted(checks, python="3.11")["lint"]["select"]


def test_options_a_check_does_not_know_are_all_listed() -> None:
    text = "checks: {line-length: {options: {limit: many, no_such: 1}}}\n"
    found = load(Catalog(project={"conformance/a.yaml": text}, user=None), check_names())
    with pytest.raises(UserError) as mistake:
        active(found, commands={})
    assert [line.partition("options.")[2].partition(":")[0] for line in mistake.value.details] == ["limit", "no_such"]


def test_a_check_looks_only_at_files_that_are_meant() -> None:
    text = (
        "applies_to: ['src/**']\nchecks: {line-length: true}\nexclude: ['src/old/**']\ntests: {exempt: [line-length]}\n"
    )
    found = load(Catalog(project={"conformance/a.yaml": text}, user=None), check_names())
    checks = active(found, commands={})
    (line,) = [each for each in checks if each.name == "line-length"]
    paths = ["src/a.py", "src/a.js", "b.py", "src/old/c.py", "src/tests/test_a.py"]
    looked_at = partial(fitting, paths=paths, is_test=lambda path: path.startswith("src/tests/"))
    assert looked_at(line) == ("src/a.py",)
    (honest,) = [each for each in checks if each.name == "new-suppressions"]
    assert "src/old/c.py" in looked_at(honest)


def test_the_limits_of_a_repository_can_be_told_before_code_is_written() -> None:
    project = {"conformance/mine.yaml": "checks: {max-function-length: {options: {limit: 30}}}\n"}
    told = limits_told(active(load(Catalog(project=project, user=None), check_names()), commands={})).splitlines()
    assert "- max-function-length: 30 (.py)" in told
    assert [line.partition(" (")[0] for line in told if "complexity" in line] == ["- max-complexity: 10"]
