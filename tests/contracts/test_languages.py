"""What every folder in languages/ keeps to, built in or new; its samples are in tests/data/languages/NAME.yaml.

Most of it needs no toolchain and always runs. What runs tests for real is skipped by name where a program is missing.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from suite_runs import LIMITS, python_environment, run_tests, write
from thoughtforge.checks import tool_configuration
from thoughtforge.checks.new_suppressions import suppressions
from thoughtforge.code.write_policy import never_written
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.settings.config import Setup
from thoughtforge.testing.imports import declared_in, declares
from thoughtforge.testing.install import InstallPlan, Interpreter, ToInstall
from thoughtforge.testing.language import (
    dependency_rules,
    fitting,
    language_of,
    languages,
    preferred,
    runner,
    runner_names,
)
from thoughtforge.testing.report import Environment, RunnerCommand, SuiteRun
from thoughtforge.testing.set_up import check_programs, plan
from thoughtforge.testing.toolchain import toolchain
from thoughtforge.workspaces.patterns import any_matches
from thoughtforge.workspaces.text import FileText

DATA = Path(__file__).parents[1] / "data" / "languages"
LANGUAGES = sorted(languages())
SAMPLES: dict[str, dict[str, Any]] = {path.stem: yaml.safe_load(path.read_text()) for path in DATA.glob("*.yaml")}
RUNNERS: dict[str, dict[str, Any]] = {name: one for each in SAMPLES.values() for name, one in each["runners"].items()}
NAMES = sorted(runner_names())
RUN_FOR_REAL = [name for name, one in RUNNERS.items() if "tree" in one]
PYTHON = Interpreter(Path("/opt/python"), "3.11", ())


def samples(key: str) -> list[Any]:
    """What the languages that have it give under a key, each under its language's name."""
    return [pytest.param(name, one[key], id=name) for name, one in SAMPLES.items() if key in one]


def environment(name: str) -> Environment:
    """What a runner needs to be run for real; the test is skipped where it is not installed."""
    try:
        found = asyncio.run(toolchain(runner(name).PROGRAMS, os.environ["PATH"]))
    except UserError as missing:
        pytest.skip(str(missing))
    probe = RUNNERS[name].get("probe")
    if probe and subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip(f"{name} is not installed")
    return found.beside(python_environment())


def job(**asked: object) -> SuiteRun:
    config = {"package.json": '{"scripts": {"test": "x"}}', "Makefile": "test:\n"}
    return SuiteRun(Path("/tree"), python_environment(), config, limits=LIMITS, **asked)  # type: ignore[arg-type]


def planned(files: dict[str, str]) -> InstallPlan:
    return plan(ToInstall(files, files.__getitem__, (), PYTHON, lambda name: None), Setup())


def test_every_language_has_samples_and_every_runner_too() -> None:
    assert sorted(SAMPLES) == LANGUAGES
    assert {name: sorted(one["runners"]) for name, one in SAMPLES.items()} == {
        name: sorted(one.runners) for name, one in languages().items()
    }


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_describes_itself(name: str) -> None:
    one = languages()[name]
    assert one.title
    assert all(ending.startswith(".") for ending in one.endings)
    assert set(one.words.values()) <= set(one.runners)
    assert set(one.comments) <= {"#", "//"}


def test_no_two_languages_claim_the_same_files_or_words() -> None:
    endings = [ending for one in languages().values() for ending in one.endings]
    words = [word for one in languages().values() for word in one.words]
    declaring = [pattern for rules in dependency_rules() for pattern in rules.declares]
    for claimed in (endings, words, declaring):
        assert len(set(claimed)) == len(claimed)


@pytest.mark.parametrize("name", LANGUAGES)
def test_tests_and_product_files_are_told_apart(name: str) -> None:
    for each in languages()[name].runners:
        one = runner(each)
        assert [path for path in SAMPLES[name]["tests"] if not one.is_test(path)] == []
        assert [path for path in SAMPLES[name]["product"] if one.is_test(path)] == []


@pytest.mark.parametrize(("name", "asked"), samples("install"))
def test_dependencies_are_installed_by_these_commands(name: str, asked: dict[str, Any]) -> None:
    made = planned(asked["files"])
    commands = [" ".join(step.argv) for step in made.steps]
    mine = [command for command in commands if any(command.startswith(start) for start in asked["commands"])]
    assert len(mine) == len(asked["commands"])
    assert list(made.programs) == asked["programs"]
    if asked["programs"]:
        with pytest.raises(UserError, match=", ".join(asked["programs"])):
            check_programs(made, "/nowhere")


@pytest.mark.parametrize(("name", "files"), samples("nothing_to_install"))
def test_without_a_word_about_dependencies_nothing_is_fetched(name: str, files: dict[str, str]) -> None:
    assert [step.argv for step in planned(files).steps if step.network] == []


@pytest.mark.parametrize(("name", "files"), samples("declares"))
def test_declared_dependencies_are_read(name: str, files: list[dict[str, Any]]) -> None:
    for file in files:
        assert declares(file["path"])
        found = declared_in(file["path"], FileText(file["text"], "", len(file["text"]), 0))
        assert [[one.name, one.versions] for one in found.dependencies] == file["is"]


@pytest.mark.parametrize(("name", "locks"), samples("locks"))
def test_files_of_package_managers_are_known(name: str, locks: list[str]) -> None:
    rules = languages()[name].dependencies
    assert rules is not None
    assert set(locks) <= set(rules.locks)


@pytest.mark.parametrize(("name", "files"), samples("silenced"))
def test_what_silences_a_tool_is_found(name: str, files: list[dict[str, str]]) -> None:
    for file in files:
        found = suppressions(file["text"], Path(file["path"]).suffix)
        assert file["kind"] in [each.kind for each in found]


@pytest.mark.parametrize(("name", "file"), samples("not_silenced"))
def test_what_only_reads_like_it_is_not(name: str, file: dict[str, str]) -> None:
    assert suppressions(file["text"], Path(file["path"]).suffix) == ()


@pytest.mark.parametrize(("name", "paths"), samples("is_configuration"))
def test_configuration_of_tools_is_known(name: str, paths: list[str]) -> None:
    assert [path for path in paths if not tool_configuration.is_configuration(path)] == []


@pytest.mark.parametrize(("name", "file"), samples("settings"))
def test_the_parts_of_a_file_that_configure_tools_are_read(name: str, file: dict[str, Any]) -> None:
    assert sorted(languages()[name].tools.settings[file["path"]](file["text"])) == file["parts"]


@pytest.mark.parametrize(("name", "paths"), samples("never_written"))
def test_files_that_run_by_themselves_are_never_written(name: str, paths: list[str]) -> None:
    assert [path for path in paths if not any_matches(path, never_written())] == []


@pytest.mark.parametrize(("name", "asked"), samples("body"))
def test_the_text_of_one_test_is_cut_out(name: str, asked: dict[str, Any]) -> None:
    body = languages()[name].test_body
    assert body is not None
    assert body(asked["names"], asked["text"]) == asked["is"]
    assert body(["test_of_nobody"], asked["text"]) == ""


@pytest.mark.parametrize(("name", "begins"), samples("spoiled"))
def test_a_spoiled_file_says_so(name: str, begins: str) -> None:
    spoiled = languages()[name].proofs.spoiled
    assert spoiled is not None
    assert spoiled("MARK").startswith(begins)
    assert "MARK" in spoiled("MARK")


@pytest.mark.parametrize("name", NAMES)
def test_a_runner_describes_itself(name: str) -> None:
    one = runner(name)
    assert one.DESCRIPTION
    assert name in languages()[one.LANGUAGE].runners
    assert isinstance(one.COMPILES_TOGETHER, bool)
    assert all(isinstance(part, str) for part in (*one.CONFIG, *one.PROGRAMS))


def test_no_two_runners_have_the_same_rank() -> None:
    ranks = [runner(name).RANK for name in preferred()]
    assert ranks == sorted(set(ranks))


@pytest.mark.parametrize("name", NAMES)
def test_it_does_not_fit_a_repository_without_code(name: str) -> None:
    assert not runner(name).applies(["README.md", "docs/tests.md"], lambda path: "")


@pytest.mark.parametrize("name", NAMES)
def test_names_come_with_their_file(name: str) -> None:
    one = runner(name)
    texts = {path: text for path, text in RUNNERS[name].get("tree", {}).items() if one.is_test(path)}
    assert all(id.startswith(f"{path}::") for path, text in texts.items() for id in one.names(path, text))
    assert one.names("tests/broken", "\0 (((") == ()


@pytest.mark.parametrize("asked", [{}, {"collect_only": True}, {"files": ("tests/test_a.py",)}])
@pytest.mark.parametrize("name", NAMES)
def test_its_command_is_a_program_and_arguments(name: str, asked: dict[str, object]) -> None:
    made = runner(name).command(job(**asked))
    assert isinstance(made, RunnerCommand)
    assert all(isinstance(part, str) and part for part in made.argv)
    assert not any(key.startswith(("LD_", "HOME")) for key in made.env)
    assert all(made.env.values()), "a box takes no empty variable"


def ended(told: dict[str, Any]) -> SandboxResult:
    """A captured end of a run."""
    report = "".join(f"{json.dumps(fact)}\n" for fact in told.get("report", ()))
    texts = (told.get("stdout", ""), told.get("stderr", ""), report)
    return SandboxResult(told.get("code", 0), *(text.encode() for text in texts), "", False)


@pytest.mark.parametrize("name", NAMES)
def test_a_captured_run_is_read_test_by_test(name: str, tmp_path: Path) -> None:
    told = RUNNERS[name]["ended"]
    tree = RUNNERS[name].get("tree", {})
    config = {path: text for path, text in tree.items() if any_matches(path, runner(name).CONFIG)}
    asked = SuiteRun(write(tmp_path, tree), python_environment(), config, limits=LIMITS)
    report = runner(name).read(asked, ended(told))
    assert report.broken == ""
    assert {id: [one.outcome, one.cause] for id, one in report.results.items()} == told["results"]


ENDS = {
    "was killed": SandboxResult(137, b"", b"", b"", "", False),
    "could not be started": SandboxResult(127, b"", b"not found", b"", "", False),
    "said half a fact": SandboxResult(137, b"", b"", b'{"fact": "coll', "", False),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
@pytest.mark.parametrize("name", NAMES)
def test_a_process_that_did_not_come_to_its_end_says_nothing(name: str, end: SandboxResult) -> None:
    assert runner(name).read(job(), end).broken


def shown(name: str, tree: dict[str, str]) -> Iterator[str]:
    """The tests that the texts of a tree show."""
    one = runner(name)
    return (id for path, text in tree.items() if one.is_test(path) for id in one.names(path, text))


@pytest.mark.parametrize("name", RUN_FOR_REAL)
def test_it_is_found_run_and_read(name: str, tmp_path: Path) -> None:
    tree = RUNNERS[name]["tree"]
    assert fitting(list(tree), tree.__getitem__)[0] == name
    assert all(language_of(id.partition("::")[0]) == languages()[runner(name).LANGUAGE] for id in shown(name, tree))
    root = write(tmp_path / "tree", tree)
    report = run_tests(root, tmp_path / "scratch", name=name, env=environment(name))
    assert report.broken == ""
    passes, fails = shown(name, tree)
    assert sorted(report.collected) == sorted(report.results) == sorted([passes, fails])
    assert {id: (r.outcome, r.cause) for id, r in report.results.items()} == {
        passes: ("passed", ""),
        fails: ("failed", "assertion"),
    }
    assert all(runner(name).is_test(id.partition("::")[0]) for id in report.collected)


@pytest.mark.parametrize("name", RUN_FOR_REAL)
def test_a_new_file_that_needs_what_is_missing_is_named(name: str, tmp_path: Path) -> None:
    tree, new = RUNNERS[name]["tree"], RUNNERS[name]["missing"]
    old = [path for path in tree if runner(name).is_test(path)]
    root = write(tmp_path / "tree", {**tree, new["path"]: new["text"]})
    report = run_tests(root, tmp_path / "scratch", name=name, env=environment(name))
    assert (report.broken, [(file.path, file.cause) for file in report.unreadable]) == ("", [(new["path"], "missing")])
    assert [file.missing.rpartition(".")[2] for file in report.unreadable] == ["sub"]
    kept = any(id.partition("::")[0] in old for id in report.results)
    assert kept != runner(name).COMPILES_TOGETHER
