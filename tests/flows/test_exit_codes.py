"""Every exit code, and --json: one object on stdout and nothing else there, whatever happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness import LIBRARY, REQUEST
from harness.place import Place, make_place

ROLE = LIBRARY / "roles" / "test_engineer.yaml"
PIPELINE = LIBRARY / "pipelines" / "design.yaml"

RUNS: dict[str, list[tuple[tuple[str, ...], int]]] = {
    "design": [(("Add a flag", "--dry-run"), 0), ((), 2), (("",), 2), (("x", "--max-steps", "many"), 2)],
    "start": [(("Add a flag", "--dry-run"), 0), (("x", "--pipeline", "nonsense"), 2)],
    "status": [((), 0), (("--all",), 0), (("last", "--detail"), 0), (("nobody",), 2), (("--stage", "spec"), 2)],
    "continue": [(("last",), 0), (("nobody",), 2), (("last", "--extend-to", "nonsense"), 2)],
    "pause": [(("last",), 2)],
    "hint": [(("last", "too late"), 2), (("last",), 2)],
    "abort": [(("last",), 0), (("nobody",), 2)],
    "escalations list": [((), 0), (("too", "many"), 2)],
    "resolve": [(("E-1", "yes"), 2), ((), 2)],
    "approve": [(("last",), 2)],
    "feedback": [(("last", "more"), 2), (("last",), 2), (("last", "-f", "nowhere.yaml"), 2)],
    "reject": [(("last", "no"), 2), (("last",), 2)],
    "inspect": [((), 0), (("--step", "1"), 0), (("--step", "99"), 2), (("--artifact", "nonsense"), 2)],
    "verify": [((), 0), (("nobody",), 2)],
    "cost": [((), 0), (("nobody",), 2)],
    "init": [((), 0)],
    "doctor": [((), 0)],
    "providers list": [((), 0)],
    "providers test": [(("nobody",), 2), ((), 2)],
    "trust": [((), 0), (("--yes",), 0)],
    "config edit": [(("--file", "nowhere.yaml"), 2)],
    "config show": [((), 0), (("--defaults",), 0)],
    "contracts list": [((), 0)],
    "contracts show": [(("specification",), 0), (("nonsense",), 2)],
    "contracts validate": [
        (("nowhere.yaml",), 2),
        (("README.md",), 2),
        ((str(ROLE), "--contract", "specification"), 1),
    ],
    "pipelines list": [((), 0)],
    "pipelines show": [(("design",), 0), (("nonsense",), 2)],
    "pipelines validate": [((str(PIPELINE),), 0), (("nowhere.yaml",), 2), ((str(ROLE),), 1)],
    "roles list": [((), 0)],
    "roles show": [(("test_engineer",), 0), (("nonsense",), 2)],
    "roles validate": [((str(ROLE),), 0), (("nowhere.yaml",), 2), ((str(PIPELINE),), 1)],
    "think": [(("nowhere.md",), 2), (("-",), 2)],
    "chat": [(("last",), 2), (("nobody",), 2)],
    "say": [(("last", "hello"), 2), (("last",), 2)],
    "distill": [(("last",), 2)],
    "confirm": [(("last",), 2)],
    "provide": [(("last", "more"), 2)],
    "override": [(("last", "--yes"), 2)],
    "terminate": [(("last", "--yes"), 2)],
    "polish restore": [(("last",), 2), (("nobody",), 2)],
    "polish evaluate": [(("nowhere.json",), 2)],
    "prompts list": [((), 0)],
    "prompts show": [(("plan-fix",), 0), (("nonsense",), 2)],
    "prompts edit": [(("plan-fix", "--file", "nowhere.md"), 2), (("NO", "--file", "nowhere.md"), 2)],
    "prompts reset": [(("plan-fix",), 2)],
    "notify test": [((), 2), (("nobody",), 2)],
    "demo": [(("--at", "."), 2)],
    "prune": [((), 0), (("--older-than", "soon"), 2)],
    "diff": [(("last",), 2), (("nobody",), 2)],
    "apply": [(("last",), 2), (("nobody",), 2)],
    "discard": [(("last",), 2), (("nobody",), 2)],
    "attach": [(("last",), 0), (("nobody",), 2)],
    "check": [((), 0), (("nowhere.py",), 2), (("--new-since", "nothing"), 2), (("--format", "prose"), 2)],
    "forge": [(("status",), 0), (("plan-001",), 2), (("cancel",), 2), ((), 2)],
    "plan list": [((), 0)],
    "plan create": [((), 2)],
    "plan run-one": [(("plan-001", "phase-1"), 2)],
    "plan show": [(("plan-001",), 2)],
    "plan edit": [(("plan-001",), 2)],
    "plan audit": [(("plan-001",), 2)],
    "plan approve": [(("plan-001",), 2)],
    "plan close": [(("plan-001",), 2)],
    "plan cancel": [(("plan-001",), 2)],
    "plan phases": [(("plan-001",), 2)],
    "plan run": [(("plan-001",), 2)],
    "plan run-all": [(("plan-001",), 2)],
    "plan skip": [(("plan-001",), 2)],
    "plan retry": [(("plan-001",), 2)],
    "fix": [(("V-000000000000",), 2), (("the bug",), 2), ((), 2)],
}
WITHOUT_JSON = {"schema", "completion"}
"""What these print is itself for machines."""
CASES = [(name, args, code) for name, cases in RUNS.items() for args, code in cases]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A place with one finished task; nobody changes it."""
    place = make_place(tmp_path_factory.mktemp("finished"))
    assert place.design().code == 0
    return place


def one_object(out: str) -> dict[str, object]:
    """The only thing on stdout."""
    data: dict[str, object] = json.loads(out)
    return data


@pytest.mark.parametrize(("name", "args", "code"), CASES, ids=[" ".join([n, *map(str, a)])[:60] for n, a, _ in CASES])
def test_json_is_one_object_and_says_the_exit_code(
    finished: Place, name: str, args: tuple[str, ...], code: int
) -> None:
    done = finished.run(*name.split(), *args, "--json")
    data = one_object(done.out)
    assert (done.code, data["exit_code"], data["ok"], done.err) == (code, code, code == 0, "")
    if code == 2:
        error = data["error"]
        assert isinstance(error, dict)
        assert sorted(error) == ["details", "do", "what"]
        assert error["what"]


@pytest.mark.parametrize("name", RUNS)
def test_an_unknown_option_is_told_as_one_object(finished: Place, name: str) -> None:
    done = finished.run(*name.split(), "--nonsense", "--json")
    data = one_object(done.out)
    error = data["error"]
    assert isinstance(error, dict)
    assert ("--nonsense" in error["what"], error["do"]) == (True, f"See: thoughtforge {name} --help")
    assert (done.code, data["ok"], data["exit_code"], done.err) == (2, False, 2, "")


def test_the_tables_above_hold_every_command(finished: Place) -> None:
    listed = finished.run("--help").out.partition("Commands:")[2]
    names = set(re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE))
    assert names == {name.split()[0] for name in RUNS} | WITHOUT_JSON
    codes = (
        "0 done, 1 failed or halted, 2 usage or configuration, 3 needs a person, 4 budget, 5 a check could not run, "
        "130 interrupted"
    )
    assert codes in " ".join(listed.split())


def test_a_word_that_is_no_command_is_told_with_the_nearest_one(finished: Place) -> None:
    done = finished.run("desing", "--json")
    error = one_object(done.out)["error"]
    assert isinstance(error, dict)
    assert (done.code, error["what"]) == (2, "there is no command 'desing'; did you mean design?")
    plain = finished.run("desing")
    assert (plain.code, plain.out) == (2, "")
    assert plain.err == (
        "thoughtforge: there is no command 'desing'; did you mean design?\n  → See: thoughtforge --help\n"
    )


def test_a_halted_task_ends_with_1_and_looking_at_it_with_0(place: Place) -> None:
    place.script({"when": {"context": "^stage: intake$"}, "error": {"kind": "auth", "transient": False}})
    done = place.run("design", REQUEST)
    assert done.code == 1
    assert f"{place.task} [scripted]: halted (provider_failed)" in done.out
    assert f"→ Check the provider: thoughtforge doctor; then: thoughtforge continue {place.task}" in done.out
    status = place.run("status", "last", "--json")
    assert (status.code, status.json["state"], status.json["reason"]) == (0, "halted", "provider_failed")


def test_the_version_is_printed(finished: Place, tmp_path: Path) -> None:
    done = finished.run("--version")
    assert (done.code, re.fullmatch(r"thoughtforge, version \d+\.\d+\.\d+\n", done.out) is not None) == (0, True)
