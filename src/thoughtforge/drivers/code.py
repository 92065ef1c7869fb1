"""Stages that write tests or code: red, green and refactor. What each must hold is measured in workshop/."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtforge.agent.building import Plan, Site, build
from thoughtforge.agent.built import deliverable, implementation, message, test_suite
from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.agent.red_tests import red_tests
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Asked, Made
from thoughtforge.workshop import finding, green, red, refactor
from thoughtforge.workshop.criteria import criteria
from thoughtforge.workshop.exit import Exit
from thoughtforge.workshop.held_back import Held, read_held


async def work(means: Means, stage: Stage) -> Made | Asked:
    """One round of the stage."""
    return await build(means, stage, PLANS[stage.output_contract])


async def _measure_red(site: Site, handed: JsonObject) -> Exit:
    workspace = site.workshop.workspace
    kept, problems = read_held(handed)
    tree = await workspace.tree()
    exit = await red.measure(
        site.workshop, red.Written(_specification(site) or {}, handed, kept.cases, kept.files, site.before, tree)
    )
    if problems:
        exit.hold("cases_can_be_read", problems)
    if exit.outcome == "pass":
        _keep(site, kept)
    return exit


def _keep(site: Site, held: Held) -> None:
    """The held-back cases go to the store, where no agent's process can read them, and not into any artifact."""
    site.means.journal.append(
        Measured(
            stage=site.stage.name,
            round=site.means.stage(site.stage.name).round,
            step=site.means.journal.state.used.steps,
            what="held_back_cases",
            outcome="pass",
            summary=f"{len(held.cases)} cases and {len(held.files)} test files held back",
            report=site.means.put(held.data()),
        )
    )


async def _measure_green(site: Site, handed: JsonObject) -> Exit:
    exit = await green.measure(site.workshop, await _built(site))
    await _finding_gone(site, exit)
    return exit


async def _measure_refactor(site: Site, handed: JsonObject) -> Exit:
    return await refactor.measure(site.workshop, await _built(site))


async def _finding_gone(site: Site, exit: Exit) -> None:
    """In a fix the finding itself is the test that fails."""
    wanted = finding.named(site.means.request()) if site.means.task.pipeline.goal_type == "fix" else None
    if wanted:
        await finding.measure(exit, site.workshop, wanted)


async def _built(site: Site) -> green.Built:
    return green.Built(
        specification=_specification(site),
        red=red_tests(site.means),
        base=site.means.task.base_commit,
        tree=await site.workshop.workspace.tree(),
    )


def _specification(site: Site) -> JsonObject | None:
    return site.means.accepted().get("specification")


async def _told_red(site: Site) -> Sequence[Block]:
    known = criteria(_specification(site) or {})
    return [Block("criteria to test", "\n".join(f"- {id}: {text}" for id, text in known.items()), 900, floor=400)]


async def _told_green(site: Site) -> Sequence[Block]:
    """The tests that must pass, as they are."""
    known = red_tests(site.means)
    texts = []
    for path in known.files:
        raw = await site.workshop.workspace.read(known.commit, path)
        texts.append(f"# {path}\n{raw.decode('utf-8', 'replace')}")
    return [Block("tests that must pass", "\n\n".join(texts), 1_300, floor=600, untrusted=True)]


async def _told_refactor(site: Site) -> Sequence[Block]:
    """The change so far."""
    workspace = site.workshop.workspace
    text = await workspace.diff(site.means.task.base_commit, await workspace.tree())
    return [Block("the change so far", text, 1_500, floor=700, untrusted=True)]


async def _suite(site: Site, handed: JsonObject, exit: Exit) -> JsonObject:
    return test_suite(site, handed, exit)


PLANS: dict[str, Plan] = {
    "test_suite": Plan("tests_written", _measure_red, _suite, message("test"), _told_red),
    "implementation": Plan("code_written", _measure_green, implementation, message("feat"), _told_green),
    "deliverable": Plan("code_written", _measure_refactor, deliverable, message("refactor"), _told_refactor),
}
"""Output contract → how such a stage works."""
