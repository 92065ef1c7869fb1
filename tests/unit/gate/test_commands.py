"""Command checks in a real sandbox: what a program says is read, and what it does not say never counts as clean."""

import asyncio
import json
import os

import pytest

from thoughtforge.gate.commands import CommandSandbox, sarif_findings
from thoughtforge.gate.context import Broken
from thoughtforge.sandbox import sandbox

PRICE = "src/shop/price.py"


@pytest.fixture(scope="module")
def surroundings() -> CommandSandbox:
    return CommandSandbox(asyncio.run(sandbox.find(os.environ["PATH"], allow_weak=True)))


@pytest.fixture
def judged(shop, surroundings):
    """What the command check `own` comes to after an edit of the price."""

    def run(command: str, **files: str):
        shop.append(PRICE, "\n# changed\n")
        for name, text in files.items():
            shop.write(name, text)
        project = {"conformance/own.yaml": f"commands:\n  - {{name: own, {command}}}\n"}
        paths = [PRICE, *files]
        verdict = shop.judged(lambda gate: gate.stage_end(paths), project=project, surroundings=surroundings)
        return next(each for each in verdict.outcomes if each.check == "own")

    return run


def test_an_exit_code_of_0_is_clean(judged) -> None:
    assert judged("argv: ['true']").outcome == "pass"


def test_lines_that_fit_the_pattern_are_findings(judged) -> None:
    came = judged("argv: [grep, -nH, changed, '{files}'], parse: lines, clean: [1], findings: [0], endings: [.py]")
    assert [(each.path, each.line, each.message, each.severity) for each in came.findings] == [
        (PRICE, 8, "# changed", "major")
    ]


def test_a_finding_at_an_unknown_place_is_not_lost(judged) -> None:
    came = judged("argv: [sh, -c, 'echo elsewhere.py:3: wrong; exit 1'], parse: lines")
    assert [(each.path, each.line, each.message) for each in came.findings] == [("", 0, "elsewhere.py: wrong")]


def test_a_failing_exit_code_is_a_finding_even_when_nothing_could_be_read(judged) -> None:
    came = judged("argv: [sh, -c, 'echo it is wrong; exit 1'], parse: lines")
    assert [(each.path, each.message) for each in came.findings] == [("", "sh failed: it is wrong")]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("argv: [sh, -c, 'echo oh >&2; exit 3']", "did not finish (exit code 3): oh"),
        ("argv: [sh, -c, 'kill -9 $$']", "did not finish"),
        ("argv: [sleep, '60'], wall_seconds: 1", "did not finish (stopped by wall_seconds)"),
        ("argv: [no-such-program]", "no-such-program"),
        ("argv: [echo, nonsense], parse: sarif", "the output is not SARIF"),
    ],
    ids=["unknown code", "killed", "hanging", "missing", "unreadable"],
)
def test_a_program_that_did_not_do_its_work_is_broken(judged, command: str, why: str) -> None:
    came = judged(command)
    assert (came.outcome, why in came.broken) == ("broken", True), came.broken


def test_without_a_sandbox_no_command_runs(shop) -> None:
    project = {"conformance/own.yaml": "commands:\n  - {name: own, argv: ['true']}\n"}
    verdict = shop.judged(lambda gate: gate.stage_end([PRICE]), project=project)
    assert [each.broken.split(".")[0] for each in verdict.broken] == ["commands need a sandbox and none works here"]


def test_a_command_reaches_no_network_and_changes_nothing(judged, shop) -> None:
    came = judged("argv: [sh, -c, 'echo x >> src/shop/price.py; ls /sys/class/net | grep -v lo; exit 0'], parse: exit")
    assert came.outcome == "pass"
    assert (shop.root / PRICE).read_text().endswith("# changed\n")


def test_whoever_changes_the_program_of_a_check_is_told(judged, shop) -> None:
    shop.write("lint.sh", "exit 1\n")
    shop.commit()
    came = judged("argv: [sh, ./lint.sh]", **{"lint.sh": "exit 0\n"})
    assert [each.message for each in came.findings] == ["lint.sh, which the check own runs, was changed"]


def test_sarif_of_others_is_read_with_places_in_any_form(tmp_path) -> None:
    def result(uri: str) -> dict:
        place = {"artifactLocation": {"uri": uri}, "region": {"startLine": 3}}
        return {"ruleId": "R1", "message": {"text": "wrong"}, "locations": [{"physicalLocation": place}]}

    uris = ["src/a%20b.py", "./src/a.py", f"file://{tmp_path}/src/c.py", f"{tmp_path}/d.py"]
    log = {"runs": [{"results": [*map(result, uris), {"message": {"text": "all of it"}}]}, {"results": None}]}
    found = list(sarif_findings(json.dumps(log), tmp_path))
    assert [(each.path, each.line, each.rule) for each in found] == [
        ("src/a b.py", 3, "R1"),
        ("src/a.py", 3, "R1"),
        ("src/c.py", 3, "R1"),
        ("d.py", 3, "R1"),
        ("", 1, ""),
    ]
    with pytest.raises(Broken):
        list(sarif_findings('{"runs": [{"results": [{}]}]}', tmp_path))
