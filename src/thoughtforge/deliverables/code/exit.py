"""The exit of building and repairing a thought's code: green's proofs, with the project's own set-up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from thoughtforge.agent.run import Run
from thoughtforge.code import green
from thoughtforge.code.commands import run_named, shown
from thoughtforge.code.criteria import plain
from thoughtforge.code.exit import ExitReport
from thoughtforge.code.green import HELD_BACK, Built, Red
from thoughtforge.code.session import CodeSession
from thoughtforge.coding.building import StageBuild
from thoughtforge.coding.writing import red_tests
from thoughtforge.contracts.rules_files import criteria
from thoughtforge.deliverables.code.files import OURS, is_accepted, is_source, specification, uncovered
from thoughtforge.kernel.model import JsonObject
from thoughtforge.testing.imports import declares
from thoughtforge.testing.language import is_lock, runner_name
from thoughtforge.testing.own_setup import named_in, not_installed
from thoughtforge.testing.proofs import change_all
from thoughtforge.testing.report import Environment, SuiteReport
from thoughtforge.think.documents import CONSTRAINTS, SPEC, allow, read
from thoughtforge.think.talking import conversation

README = re.compile(r"\breadme\b", re.IGNORECASE)


class Judged(NamedTuple):
    """What is held against the conditions."""

    site: StageBuild
    built: Built
    texts: dict[str, str]
    """Path → text of every file of the code."""
    own_red: bool
    """Whether the tests are of a test engineer; else only the builder's own can carry the criteria."""

    @property
    def own_tests(self) -> list[str]:
        """The files of tests that whoever wrote the code made."""
        return [path for path in self.texts if self.site.session.runner.is_test(path) and not self.pinned(path)]

    def pinned(self, path: str) -> bool:
        """Whether a file stays as it is in the commit the work builds on: red's tests, and what was accepted."""
        return path in self.built.red.files or (is_accepted(self.site.run) and is_set_up(self.site, path))


def is_set_up(site: StageBuild, path: str) -> bool:
    """Whether a file says how the project is set up and its tests are run."""
    return declares(path) or is_lock(path) or site.session.configures(path)


async def measure(site: StageBuild, handed: JsonObject) -> ExitReport:
    """Every condition; without code, or where nothing can be run, the others are not looked at."""
    allow(site.run, "shell_exec", "the tests and the tools of the gate", deliverable="code")
    exit = ExitReport(await site.session.workspace.tree())
    texts = {path: text for path, text in (await _texts(site, exit.tree)).items() if path.partition("/")[0] not in OURS}
    if not _output(exit, site.run, texts):
        return exit
    if site.session.unready:
        exit.require("project_set_up", [site.session.unready])
        exit.fact(failing="project_set_up", build_broken=True)
        return exit
    judged = await _judged(site, exit.tree, texts)
    await _untouched(exit, judged)
    runs, own = await _run(judged)
    _suites(exit, judged, runs, own)
    if not runs.suite.broken and not own.broken:
        green.proofs_hold(exit, judged.built, runs)
        await _last_things(exit, judged)
        await demanded(exit, judged)
    _withhold(exit)
    _failing(exit, judged, runs.suite, own)
    return exit


def _output(exit: ExitReport, run: Run, texts: dict[str, str]) -> bool:
    """The engine looks for itself whether there is code, and enough of it; documents alone are none."""
    given = set(red_tests(run).files)
    found = {path: text for path, text in texts.items() if is_source(path) and path not in given}
    size, least = sum(map(len, found.values())), run.library.config.phase3_completeness
    problems, lacks = [], ""
    if not found:
        problems, lacks = ["the project holds no source file"], "missing"
    elif len(found) < least.code_files or size < least.code_characters:
        told = f"{len(found)} source files with {size} characters"
        need = f"at least {least.code_files} with {least.code_characters} are needed (phase3_completeness)"
        problems, lacks = [f"{told}; {need}"], "incomplete"
    if problems:
        exit.fact(output=lacks, failing=f"output {lacks}", build_broken=True)
    return exit.require("output_complete", problems, good=f"{len(found)} source files")


async def _judged(site: StageBuild, tree: str, texts: dict[str, str]) -> Judged:
    red = await pinned_red(site)
    own_red = bool(red.files)
    if not own_red:
        files = tuple(path for path in texts if site.session.runner.is_test(path) and _parses(path, texts[path]))
        red = red._replace(commit=tree, files=files, ids=tuple((await site.session.test(tree)).results))
    built = Built(specification(site.run), red, site.run.record.task.base_commit, tree)
    return Judged(site, built, texts, own_red)


def _parses(path: str, text: str) -> bool:
    try:
        change_all({path: text})
    except SyntaxError:
        return False
    return True


async def pinned_red(site: StageBuild) -> Red:
    """Red's tests as they are in the commit the work builds on: a person may have changed them since."""
    red, workspace = red_tests(site.run), site.session.workspace
    if not red.files or red.commit == site.before:
        return red._replace(commit=site.before)
    there = set(await workspace.paths(site.before))
    moved = [c for c in await workspace.changes(red.commit, site.before)]
    theirs = {path for c in moved for path in (c.path, c.old_path) if path}

    def own(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name.partition("::")[0] not in theirs)

    files = tuple(path for path in red.files if path in there)
    changed = tuple(path for path in files if path in theirs)
    return red._replace(
        commit=site.before,
        files=files,
        ids=own(red.ids),
        names=own(red.names),
        unreadable=(*(path for path in red.unreadable if path in files and path not in theirs), *changed),
    )


async def _texts(site: StageBuild, tree: str) -> dict[str, str]:
    from thoughtforge.gate.cache import BaseFiles

    return dict((await BaseFiles.read(site.session.workspace.git, tree)).texts)


async def _untouched(exit: ExitReport, judged: Judged) -> None:
    """Red's tests are red's, documents a person's, and nobody wrote past the bridge."""
    site = judged.site
    if judged.own_red or is_accepted(site.run):
        built = judged.built._replace(red=judged.built.red._replace(commit=site.before))
        await green.untouched(exit, site.session, built, judged.pinned)
    moved = await site.session.workspace.changes(site.before, exit.tree)
    touched = {path for c in moved for path in (c.path, c.old_path) if path and path.partition("/")[0] in OURS}
    exit.require("documents_untouched", [f"{path} was changed" for path in sorted(touched)])


async def _run(judged: Judged) -> tuple[green.Runs, SuiteReport]:
    """Red's tests without any other test file, so that nothing but the product can help them; then all there are."""
    site, built = judged.site, judged.built
    changes = await site.session.workspace.changes(site.run.record.task.base_commit, built.tree)
    product = [c for c in changes if not site.session.is_test(c.path) and c.path.partition("/")[0] not in OURS]
    whole = built.tree
    alone = judged.own_tests if judged.own_red else []
    sealed = await site.session.workspace.overlay(whole, source=site.run.record.task.base_commit, paths=alone)
    runs = await green.run_all(site.session, built, sealed, product)
    return runs, await site.session.test(whole) if alone else runs.suite


def _suites(exit: ExitReport, judged: Judged, runs: green.Runs, own: SuiteReport) -> None:
    green.suite_holds(exit, judged.site.session, judged.built, own if own.broken else runs.suite, whole=own)
    if runs.suite.broken or own.broken:
        return
    red = set(judged.built.red.files)
    mine = {id: one for id, one in own.results.items() if id.partition("::")[0] not in red}
    bad = [f"{id} {one.outcome}: {one.error}" for id, one in mine.items() if one.outcome != "passed"]
    bad += [f"{item.path}:{item.line}: {item.error}" for item in own.unreadable if item.path not in red]
    exit.require("own_tests_pass", bad, good=f"{len(mine)} tests of the author")
    exit.report["results"] = {id: one.outcome for id, one in own.results.items()}
    gone = [f"{id} is gone" for id in judged.site.session.baseline.passing if id not in own.results]
    exit.require("no_test_lost", gone, good=f"{len(judged.site.session.baseline.passing)} tests as before")
    exit.fact(
        tests_total=len(own.results) + len(own.unreadable),
        tests_passed=sum(one.outcome == "passed" for one in own.results.values()),
    )
    if not judged.own_red:
        exit.require("criteria_tested", _untested(judged, own))


def _untested(judged: Judged, report: SuiteReport) -> list[str]:
    """Criteria that no passing test with an expected value carries: without a test engineer nothing else decides."""
    tests = {path: text for path, text in judged.texts.items() if judged.site.session.runner.is_test(path)}
    changed = change_all({path: text for path, text in tests.items() if _parses(path, text)})
    weak = {id for one in changed.values() for id in (*one.tests_without, *one.tests_weak)}
    passing = [id for id, one in report.results.items() if one.outcome == "passed" and plain(id) not in weak]
    known = criteria(judged.built.specification or {})
    told = "no collected test that passes and expects a value carries this id"
    return [f"{one}: {told}" for one in uncovered(tuple(known), passing, judged.texts)]


async def _last_things(exit: ExitReport, judged: Judged) -> None:
    site = judged.site
    base = site.run.record.task.base_commit
    start = red_tests(site.run).commit if judged.own_red else base
    given = await _given(site.session, base=base, red=start, tree=exit.tree)
    changes = await site.session.workspace.changes(start, exit.tree)
    code = [c for c in changes if c.path.partition("/")[0] not in OURS and c.path not in judged.built.red.files]
    given |= frozenset(judged.built.red.files if judged.own_red else ())
    verdict = site.session.judged(await site.session.gate.edit(green.judged(code)))
    green.gate(exit, verdict, given=green.within(given.__contains__))
    _dependencies(exit, judged)


async def demanded(exit: ExitReport, judged: Judged) -> None:
    """What a build brings besides code: a README that was asked for, and tests that people can run by themselves.

    Once a build was accepted its set-up is fixed, and nothing is asked of it any more.
    """
    site = judged.site
    if is_accepted(site.run):
        return
    if README.search(read(site.run, SPEC)) or README.search(read(site.run, CONSTRAINTS)):
        there = any(README.search(path) and text.strip() for path, text in judged.texts.items())
        exit.require("readme", [] if there else ["the specification asks for a README, and there is none"])
    runner = site.session.runner
    known: Callable[[Environment], tuple[str, ...]] | None = getattr(runner, "usual", None)
    usual = known(site.session.environment) if known is not None else ()
    if usual and all(one.name == HELD_BACK for one in exit.failed):
        ended = await run_named(site.session, usual)
        said = " ".join(shown(ended.stdout or ended.stderr, 600).split())
        told = f"`{getattr(runner, 'USUAL', '')}` alone, in the root of the project, ends with {ended.code}: {said}"
        exit.require("usual_command", [f"{told}. Let the project say where its code is"] if ended.code else [])


async def _given(session: CodeSession, *, base: str, red: str, tree: str) -> frozenset[str]:
    """What red wrote and nobody changed since: whoever writes the code cannot correct it."""
    wrote = {change.path for change in await session.workspace.changes(base, red)} if base != red else set()
    since = await session.workspace.changes(red, tree) if wrote else ()
    return frozenset(wrote - {path for change in since for path in (change.path, change.old_path) if path})


def _withhold(exit: ExitReport) -> None:
    """Only code that holds otherwise is told about the held-back cases: every answer helps to guess them."""
    if all(one.name == HELD_BACK for one in exit.failed):
        return
    exit.criteria[:] = [one for one in exit.criteria if one.name != HELD_BACK]
    exit.facts.pop("held_back_failed", None)
    exit.report.pop("held_back", None)
    exit.report.get("problems", {}).pop(HELD_BACK, None)
    exit.not_run(HELD_BACK, "tried once everything else holds")


def _dependencies(exit: ExitReport, judged: Judged) -> None:
    """What the files declare is what the specification names, or what its tests are run with."""
    site = judged.site
    named = named_in(
        site.run.record.accepted()["proposal"], [one.text for one in conversation(site.run).asked("provide")]
    )
    strange = not_installed(
        judged.texts.keys(),
        judged.texts.__getitem__,
        language=site.session.runner.LANGUAGE,
        runner=runner_name(site.session.runner),
        named=named,
    )
    exit.require("dependencies_named", strange)


def _failing(exit: ExitReport, judged: Judged, suite: SuiteReport, own: SuiteReport) -> None:
    """What fails by name, so that three cycles can be told to be the same."""
    names = {id for report in (suite, own) for id, one in report.results.items() if one.outcome != "passed"}
    names |= {item.path for report in (suite, own) for item in report.unreadable}
    names |= {c.name for c in exit.failed} - {"all_tests_pass", "own_tests_pass"} if exit.failed else set()
    broken = suite.broken or own.broken
    exit.fact(failing=", ".join(sorted(names)) or ("the tests cannot be run" if broken else ""))
    exit.fact(build_broken=bool(broken))
