"""`thoughtforge polish evaluate` through the installed command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness import Done, git, thoughtforge
from histories import counts, totals

OWN = """description: Stops early.
guards:
  - {guard: max_iterations, action: halt, parameters: {limit: 2}}
"""


def evaluate(place: Path, data: Any, *args: str, **env: str) -> Done:
    file = place / "HISTORY.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data))
    return thoughtforge("polish", "evaluate", "HISTORY.json", *args, cwd=place, home=place, **env)


def test_the_answer_as_json_is_the_five_fields_and_nothing_else(tmp_path: Path) -> None:
    done = evaluate(tmp_path, counts((0, 9, 9), (0, 2, 1)), "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json == {
        "outcome": "done",
        "guard": "termination",
        "explanation": "The thresholds are met: 0 critical, 2 medium, 1 minor (at most 0, 3 and 5). "
        "Open: 0 critical, 2 medium, 1 minor.",
        "iteration": 2,
        "warnings": [],
    }


def test_a_halt_and_a_loop_that_goes_on_are_answers_too(tmp_path: Path) -> None:
    halted = evaluate(tmp_path, totals(9, 10, 11), "--profile", "classic", "--json")
    assert (halted.code, halted.json["outcome"], halted.json["guard"]) == (0, "halt", "fix_regression")
    going = evaluate(tmp_path, totals(9, 10, 11), "--json")
    assert (going.code, going.json["outcome"], going.json["guard"]) == (0, "continue", None)
    assert going.json["warnings"] == ["fix_regression"]


def test_people_get_three_lines(tmp_path: Path) -> None:
    done = evaluate(tmp_path, totals(9, 10, 11), "--profile", "classic")
    assert done == (
        0,
        "halt by fix_regression at iteration 3 (profile classic)\n"
        "The fix raised the number of findings 2 times in a row (9→10→11).\n"
        "warnings: fix_regression\n",
        "",
    )


def test_the_configuration_has_the_thresholds_and_the_profile(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("polish: {profile: classic, minor_max: 9}\n")
    done = evaluate(tmp_path, totals(11, 12, 9), "--json", THOUGHTFORGE_HOME=str(tmp_path / "home"))
    assert (done.json["outcome"], done.json["guard"], done.json["iteration"]) == ("done", "termination", 3)


def test_a_threshold_for_criticals_other_than_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("polish: {critical_max: 1}\n")
    done = evaluate(tmp_path, totals(9), "--json", THOUGHTFORGE_HOME=str(tmp_path))
    assert (done.code, done.json["error"]["details"]) == (
        2,
        ["polish.critical_max: expected less than or equal to 0, got 1"],
    )


def test_a_committed_profile_of_the_repository_is_found_and_an_uncommitted_one_is_not(shelf: Path) -> None:
    folder = shelf / ".thoughtforge" / "guards"
    folder.mkdir(parents=True)
    (folder / "short.yaml").write_text(OWN)
    before = evaluate(shelf, totals(9, 9, 9), "--profile", "short", "--json")
    assert (before.code, before.json["error"]["what"]) == (2, "there is no profile 'short'")
    git("add", "-A", cwd=shelf)
    git("commit", "-qm", "A profile", cwd=shelf)
    after = evaluate(shelf, totals(9, 9, 9), "--profile", "short", "--json")
    assert (after.code, after.json["guard"], after.json["iteration"]) == (0, "max_iterations", 2)


def test_wrong_input_is_told_with_its_place_and_what_to_do(tmp_path: Path) -> None:
    wrong = evaluate(tmp_path, {"iterations": [{"critical": 0, "medium": "three", "minor": 0}]})
    assert wrong == (
        2,
        "",
        "thoughtforge: HISTORY.json has 1 problem\n"
        "  - iterations[0].medium: expected a valid integer, got 'three'\n"
        '  → Write it like {"iterations": [{"critical": 0, "medium": 3, "minor": 5}]}\n',
    )
    broken = evaluate(tmp_path, '{"iterations": [')
    assert (broken.code, broken.err.splitlines()[0]) == (
        2,
        "thoughtforge: HISTORY.json, line 1: not valid JSON: Expecting value",
    )
    unknown = evaluate(tmp_path, totals(1), "--profile", "relaxed")
    assert (unknown.code, unknown.err) == (
        2,
        "thoughtforge: there is no profile 'relaxed'\n  → Known: classic, default\n",
    )
    missing = thoughtforge("polish", "evaluate", "NONE.json", cwd=tmp_path, home=tmp_path)
    assert (missing.code, missing.err.splitlines()[0]) == (
        2,
        "thoughtforge: NONE.json cannot be read: No such file or directory",
    )
