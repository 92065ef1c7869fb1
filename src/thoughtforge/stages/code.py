"""Stages that write tests or code: red, green and refactor. What each must hold is measured in code/."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.code import green, red, refactor
from thoughtforge.code.criteria import criteria
from thoughtforge.code.exit import ExitReport, HeldBack, read_held
from thoughtforge.code.write_policy import only_tests
from thoughtforge.coding.artifacts import deliverable, implementation, message, test_suite
from thoughtforge.coding.building import CodeStage, StageBuild, build
from thoughtforge.coding.upstream import REPOSITORY, without_tests
from thoughtforge.coding.writing import red_tests
from thoughtforge.deliverables.code.composing import for_thought
from thoughtforge.deliverables.code.files import specification as specification_of
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced


def work(run: Run, stage: Stage, *, exit: str) -> Coroutine[Any, Any, Produced | NeedsPerson]:
    """One round of the stage; a thought's tests are written in its own project."""
    plan = PLANS[exit]
    return build(run, stage, plan if run.project is None else for_thought(run, stage, plan))


async def _measure_red(site: StageBuild, handed: JsonObject) -> ExitReport:
    workspace = site.session.workspace
    kept, problems = read_held(handed)
    tree = await workspace.tree()
    specification, strict = _specification(site, handed) or {}, site.run.project is not None
    written = red.Written(specification, handed, kept.cases, kept.files, site.before, tree, strict)
    exit = await red.measure(site.session, written)
    if problems:
        exit.require("cases_can_be_read", problems)
    if exit.outcome == "pass":
        _keep(site, kept)
    return exit


def _keep(site: StageBuild, held: HeldBack) -> None:
    """The held-back cases go to the store, where no agent's process can read them, and not into any artifact."""
    site.run.record.journal.append(
        Measured(
            stage=site.stage.name,
            round=site.run.record.stage(site.stage.name).round,
            step=site.run.record.journal.state.used.steps,
            what="held_back_cases",
            outcome="pass",
            summary=f"{len(held.cases)} cases and {len(held.files)} test files held back",
            report=site.run.record.put(held.data()),
        )
    )


async def _measure_green(site: StageBuild, handed: JsonObject) -> ExitReport:
    exit = await green.measure(site.session, await _built(site))
    await _finding_gone(site, exit)
    return exit


async def _measure_refactor(site: StageBuild, handed: JsonObject) -> ExitReport:
    return await refactor.measure(site.session, await _built(site))


async def _finding_gone(site: StageBuild, exit: ExitReport) -> None:
    """In a fix the finding itself is the test that fails."""
    wanted = green.named(site.run.record.request()) if site.run.record.task.pipeline.goal_type == "fix" else None
    if wanted:
        await green.measure_finding(exit, site.session, wanted)


async def _built(site: StageBuild) -> green.Built:
    return green.Built(
        specification=_specification(site),
        red=red_tests(site.run),
        base=site.run.record.task.base_commit,
        tree=await site.session.workspace.tree(),
    )


def _specification(site: StageBuild, handed: JsonObject | None = None) -> JsonObject | None:
    """What must be proved; that of a thought is its proposal with the interface its tests assume."""
    if site.run.project is not None:
        return specification_of(site.run, handed)
    return site.run.record.accepted().get("specification")


async def _told_red(site: StageBuild) -> Sequence[Block]:
    known = criteria(_specification(site) or {})
    return [Block("criteria to test", "\n".join(f"- {id}: {text}" for id, text in known.items()), 900, floor=400)]


async def _told_green(site: StageBuild) -> Sequence[Block]:
    """The tests that must pass, as they are."""
    known = red_tests(site.run)
    texts = []
    for path in known.files:
        raw = await site.session.workspace.read(known.commit, path)
        texts.append(f"# {path}\n{raw.decode('utf-8', 'replace')}")
    return [Block("tests that must pass", "\n\n".join(texts), 1_300, floor=600, untrusted=True)]


async def _told_refactor(site: StageBuild) -> Sequence[Block]:
    """The change so far."""
    workspace = site.session.workspace
    text = await workspace.diff(site.run.record.task.base_commit, await workspace.tree())
    return [Block("the change so far", text, 1_500, floor=700, untrusted=True)]


def _only_tests(site: StageBuild) -> Callable[[str], str]:
    return only_tests(site.stage, site.session.is_test)


async def _suite(site: StageBuild, handed: JsonObject, exit: ExitReport) -> JsonObject:
    return test_suite(site, handed, exit)


PLANS: dict[str, CodeStage] = {
    "red": CodeStage(
        "tests_written", _measure_red, _suite, message("test"), _told_red, upstream=REPOSITORY, guarded=_only_tests
    ),
    "green": CodeStage(
        "code_written",
        _measure_green,
        implementation,
        message("feat"),
        _told_green,
        upstream=REPOSITORY,
        guarded=without_tests,
    ),
    "refactor": CodeStage(
        "code_written",
        _measure_refactor,
        deliverable,
        message("refactor"),
        _told_refactor,
        upstream=REPOSITORY,
        guarded=without_tests,
    ),
}
"""The option `exit` of a stage → how it works."""
