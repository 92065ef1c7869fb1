"""Code: the agent hands in files, the engine runs the tests, until they pass and every criterion has one."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.agent.asking import Job, Unusable, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.drivers.compose.completeness import check_plan
from thoughtforge.drivers.compose.cycles import NOT_RUN, UNUSABLE, Cycle, check_stuck, keep, last_block, read_cycles
from thoughtforge.drivers.compose.locked import Documents, documents
from thoughtforge.intake.code_files import apply, refused, sources, uncovered, written
from thoughtforge.intake.code_gate import gate_findings
from thoughtforge.intake.documents import CONSTRAINTS, allow, commit, project, read
from thoughtforge.intake.stops import ThoughtStop
from thoughtforge.intake.talking import answer, conversation
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Made
from thoughtforge.kernel.stops import StopReason

TYPE = "code"
OUTPUT = (ThoughtStop.phase3_output_missing, ThoughtStop.phase3_output_incomplete)
"""The halts that name what the engine did not find."""


class Build(NamedTuple):
    """One build of code."""

    means: Means
    stage: Stage
    plan: str
    """What was brought along to build from."""
    documents: Documents


async def compose_code(means: Means, stage: Stage) -> Made:
    """Build until the tests pass; a build that fails three times running, or in the same way, needs a person."""
    build = Build(means, stage, await check_plan(means, stage), await documents(means, stage))
    cycles = read_cycles(means, stage)
    while True:
        given = len(conversation(means).asked("provide", stage.name))
        check_stuck(means, cycles, given)
        cycle = await _cycle(build, cycles, given)
        if not cycle.failing:
            return await _finish(means, stage)
        cycles = (*cycles, cycle)
        keep(means, stage, cycles)
        if cycle.failing[0] in OUTPUT:
            check_stuck(means, cycles, given)
            raise Stop(cycle.failing[0], cycle.told)


async def _cycle(build: Build, cycles: tuple[Cycle, ...], given: int) -> Cycle:
    """One answer: asked for, written, looked at and tested."""
    means = build.means
    try:
        change = await _ask(build, cycles)
    except Unusable as unusable:
        return Cycle((UNUSABLE,), given, f"{UNUSABLE}: {unusable.detail.partition(': ')[2]}", broken=True)
    if change["stuck"]:
        answer(means, change["reason"], code="stuck")
        raise Stop(ThoughtStop.stuck, change["reason"])
    wrong = refused(change, project(means).root)
    if wrong:
        return Cycle((UNUSABLE,), given, f"nothing was written: {'; '.join(wrong)}", broken=True)
    apply(means, change)
    return _output(means, given) or await _test(means, given)


async def _ask(build: Build, cycles: tuple[Cycle, ...]) -> JsonObject:
    means, stage = build.means, build.stage
    allow(means, "agent_code", deliverable=TYPE)
    budget = means.think.context_tokens
    given = [action.text for action in conversation(means).asked("provide", stage.name)]
    files = "\n\n".join(f"# {path}\n{text}" for path, text in sources(project(means).root).items())
    job = Job(
        name="build",
        prompt="code-build",
        contract="code_change",
        key=f"{stage.name}/{means.stage(stage.name).round}/{len(cycles)}/{len(given)}{build.documents.mark}",
        blocks=[
            Block("specification", build.documents.spec, budget // 3, floor=budget // 4, untrusted=True),
            *build.documents.blocks(budget),
            Block("plan that was brought along", build.plan, budget // 3, floor=budget // 8, untrusted=True),
            Block(
                "what the person decided", "\n".join(f"- {text}" for text in given), 1_500, floor=500, untrusted=True
            ),
            last_block(cycles),
            Block("files so far", files, budget // 2, untrusted=True),
        ],
    )
    return (await ask(means, stage, job, tries=1)).data  # an answer nobody can use is a failure of the build


async def _test(means: Means, given: int) -> Cycle:
    """Run the tests; what could not run, failed or is missing is what fails."""
    if means.test is None:
        raise Stop(StopReason.bug, "this task has nothing to run tests with")
    allow(means, "test_exec", deliverable=TYPE)
    proposal, root = means.accepted()["proposal"], project(means).root
    report = await means.test(root, proposal["language"])
    if report.broken:
        return Cycle((NOT_RUN,), given, f"{NOT_RUN}: {report.broken[:4_000]}", broken=True)
    bad = [(name, one.error) for name, one in report.results.items() if one.outcome != "passed"]
    bad += [(item.path, item.error) for item in report.unreadable]
    ids = [row["id"] for row in proposal.get("criteria") or ()]
    passing = [name for name, one in report.results.items() if one.outcome == "passed"]
    lacking = uncovered(ids, passing, sources(root))
    bad += [(one, "no collected test that passes carries this id") for one in lacking]
    if not bad:
        bad = await gate_findings(means)
    told = "\n".join(f"- {name}: {error[:600]}" for name, error in bad)
    return Cycle(tuple(sorted(name for name, _ in bad)), given, told)


def _output(means: Means, given: int) -> Cycle | None:
    """The engine looks for itself whether there is code, and enough of it; documents alone are none."""
    files, least = written(project(means).root), means.completeness
    if not files:
        return Cycle((OUTPUT[0],), given, f"{project(means).root} holds no source file", broken=True)
    size = sum(map(len, files.values()))
    if len(files) >= least.code_files and size >= least.code_characters:
        return None
    told = f"{len(files)} source files with {size} characters; at least {least.code_files} with {least.code_characters}"
    return Cycle((OUTPUT[1],), given, f"{told} are needed (phase3_completeness)", broken=True)


async def _finish(means: Means, stage: Stage) -> Made:
    accepted = means.accepted()
    read(means, CONSTRAINTS)
    made = await commit(means, stage.name, message="Code", step=stage.name)
    files = sources(project(means).root)
    composition = {
        "deliverable_type": TYPE,
        "path": ".",
        "title": accepted["intent"]["title"],
        "kind": accepted["proposal"]["language"] or "code",
        "parts": list(files),
        "size": sum(map(len, files.values())),
        "open": [],
        "commit": made,
    }
    return Made(means.put(composition))
