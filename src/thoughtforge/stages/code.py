"""Stages that write tests or code: red, green and refactor. What each must hold is measured in code/."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from thoughtforge.agent.context import CODE, OLDER, SPECIFICATION, WHOLE, Block
from thoughtforge.agent.run import Run
from thoughtforge.calls.spending import DEPTH
from thoughtforge.code import green, red, refactor
from thoughtforge.code.exit import ExitReport, HeldBack, read_held
from thoughtforge.code.write_policy import only_tests
from thoughtforge.coding.artifacts import deliverable, implementation, message, test_suite
from thoughtforge.coding.at_hand import change_so_far, code_at_hand, new_in
from thoughtforge.coding.building import CodeStage, StageBuild, build
from thoughtforge.coding.nearest_tests import nearest_tests
from thoughtforge.coding.upstream import REPOSITORY, all_tests, without_tests
from thoughtforge.coding.writing import red_tests, suite
from thoughtforge.contracts.rules_files import criteria, guards
from thoughtforge.deliverables.code.composing import for_thought
from thoughtforge.deliverables.code.files import specification as specification_of
from thoughtforge.gate.active import limits_told
from thoughtforge.gate.own_modules import announced
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.testing.proofs import spoilable
from thoughtforge.workspaces.tree import FileTree


def work(run: Run, stage: Stage, *, exit: str) -> Coroutine[Any, Any, Produced | NeedsPerson]:
    """One round of the stage; a thought's tests are written in its own project."""
    plan = PLANS[exit]
    if exit == "refactor" and run.project is None:
        run, plan = with_notes(run, stage, plan)
    return build(run, stage, plan if run.project is None else for_thought(run, stage, plan))


def with_notes(run: Run, stage: Stage, plan: CodeStage) -> tuple[Run, CodeStage]:
    """In a quick run the words for the readers come with the code."""
    from thoughtforge.definitions.depth import after_code
    from thoughtforge.stages.together import pair, put_along, rise, split, widened

    rise(run, after_code(run.record.journal.of(DEPTH), _changed_lines(run)))
    two = pair(run, stage)
    if two is None:
        return run, plan
    at, contract = widened(run, plan.contract, two)

    async def told(site: StageBuild) -> Sequence[Block]:
        return [*two.blocks(run), *await plan.told(site)]

    async def artifact(site: StageBuild, handed: JsonObject, exit: ExitReport) -> JsonObject:
        handed, notes = split(run, two, handed)
        made = await plan.artifact(site, handed, exit)
        lines = exit.facts.get("changed_lines")
        rise(run, after_code(run.record.journal.of(DEPTH), lines if isinstance(lines, int) else 0))
        if pair(run, stage) is not None:  # a change that grew while it was tidied is told by who delivers it
            put_along(run, two, notes, beside=run.record.put(made))
        return made

    return at, plan._replace(contract=contract, told=told, artifact=artifact)


def _changed_lines(run: Run) -> int:
    """The lines of the product that green changed, as measured."""
    found = [stage.verdict.measured.get("changed_lines") for stage in run.record.state.stages.values() if stage.verdict]
    return max((lines for lines in found if isinstance(lines, int)), default=0)


async def _measure_red(site: StageBuild, handed: JsonObject) -> ExitReport:
    workspace = site.session.workspace
    site.session.gate.announced = announced(targets=[one["name"] for one in handed.get("interface", ())])
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
    if _unreviewed(site):  # a small change may do without tidying, not without any review
        exit.fact(trivial_change=False)
    await _ask_about_untouched(site, handed, exit)
    return exit


def _unreviewed(site: StageBuild) -> bool:
    """Whether a quick run left out the review of a specification it wrote."""
    depth, state = site.run.record.journal.of(DEPTH).last, site.run.record.state
    return depth is not None and any(state.stage(name).status == "passed" for name in depth.left_out)


UNTOUCHED = "planned_files_changed"


async def _ask_about_untouched(site: StageBuild, handed: JsonObject, exit: ExitReport) -> None:
    """Code that the specification wants changed and was not: asked about once, when everything else holds.

    A file that was moved or deleted was changed.
    """
    asked = any(refusal.name == UNTOUCHED for refusal in site.run.record.memory(site.stage.name).refusals)
    if exit.outcome != "pass" or asked:
        return
    explained = {item["path"] for item in handed.get("untouched", [])}
    planned = [str(path) for path in (_specification(site) or {}).get("files_to_modify", [])]
    left = [path for path in planned if path not in exit.report["product"] and path not in explained]
    code = [path for path in left if spoilable(path, site.session.runner)]
    if not code:
        return
    changes = await site.session.workspace.changes(site.run.record.task.base_commit, exit.tree)
    changed = {path for change in changes for path in (change.path, change.old_path)}
    if code := [path for path in code if path not in changed]:
        exit.require(UNTOUCHED, [f"{path} is unchanged: edit it, or say why not in untouched" for path in code])


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
    if "specification" in site.run.record.accepted():  # it names every criterion by its id
        return await nearest_tests(site)
    specification = _specification(site) or {}
    kept = guards(specification)
    told = [
        f"- {id}{' (regression guard: holds today and must stay so)' if id in kept else ''}: {text}"
        for id, text in criteria(specification).items()
    ]
    criteria_told = Block("criteria to test", "\n".join(told), WHOLE, floor=WHOLE, need=SPECIFICATION)
    return [criteria_told, *(await nearest_tests(site) if site.run.project is None else ())]


async def _told_green(site: StageBuild) -> Sequence[Block]:
    """The tests that must pass, as they are."""
    known = red_tests(site.run)
    texts = []
    for path in known.files:
        raw = await site.session.workspace.read(known.commit, path)
        texts.append(f"# {path}\n{await new_in(site.run.library.tree, path, raw.decode('utf-8', 'replace'))}")
    tests = "\n\n".join(texts)
    interface = "\n".join(
        f"- {i['name']}: {i['signature']}: {i['purpose']}" for i in suite(site.run).get("interface", [])
    )
    return [
        Block("tests that must pass", tests, 2_000, floor=900, untrusted=True, need=SPECIFICATION),
        Block(
            "limits that refactoring holds new code to",
            limits_told(site.session.gate.checks),
            200,
            floor=60,
            need=SPECIFICATION,
        ),
        Block("what the tests assume", interface, 600, floor=200, untrusted=True, need=SPECIFICATION),
        Block(ADVICE, _advice_before(site), 600, floor=150, untrusted=True, need=OLDER),
    ]


ADVICE = "advice of the reviews so far; follow what fits the specification"


def _advice_before(site: StageBuild) -> str:
    """What reviewers of earlier stages found worth saying and nobody had to settle."""
    names = [stage.name for stage in site.run.record.task.pipeline.stages]
    before = names[: names.index(site.stage.name)]
    return "\n".join(f"- {line}" for name in before for line in site.run.record.stage(name).advisory)


async def _told_nothing(site: StageBuild) -> Sequence[Block]:
    return ()


async def _whole_change(site: StageBuild, tree: FileTree) -> Sequence[Block]:
    """Everything that was changed since the base commit, as it is now; of tests, which nobody may edit, the names."""
    workspace, base = site.session.workspace, site.run.record.task.base_commit
    now = await workspace.tree()
    changed = await workspace.changes(base, now)
    tests = [f"{c.path} (+{c.added} −{c.removed})" for c in changed if site.session.is_test(c.path)]
    product = [path for c in changed if not site.session.is_test(c.path) for path in (c.path, c.old_path) if path]
    text = await workspace.diff(base, now, product) if product else ""
    told = f"tests, which stay as they are: {', '.join(tests)}\n\n{text}" if tests else text
    return [Block("the change so far", told, 2_500, floor=700, untrusted=True, need=CODE)]


def _only_tests(site: StageBuild) -> Callable[[str], str]:
    return only_tests(site.stage, site.session.is_test)


async def _suite(site: StageBuild, handed: JsonObject, exit: ExitReport) -> JsonObject:
    return test_suite(site, handed, exit)


PLANS: dict[str, CodeStage] = {
    "red": CodeStage(
        "tests_written",
        _measure_red,
        _suite,
        message("test"),
        _told_red,
        now=change_so_far,
        upstream=REPOSITORY,
        guarded=_only_tests,
    ),
    "green": CodeStage(
        "code_written",
        _measure_green,
        implementation,
        message("feat"),
        _told_green,
        now=code_at_hand,
        upstream=REPOSITORY,
        guarded=without_tests,
        given=all_tests,
    ),
    "refactor": CodeStage(
        "code_written",
        _measure_refactor,
        deliverable,
        message("refactor"),
        _told_nothing,
        now=_whole_change,
        upstream=REPOSITORY,
        guarded=without_tests,
        given=all_tests,
    ),
}
"""The option `exit` of a stage → how it works."""
