"""Code: the agent hands in files, the engine runs the tests, until they pass and every criterion has one."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.agent.asking import Job, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.drivers.compose.completeness import check_plan
from thoughtforge.intake.code_files import apply, sources, uncovered
from thoughtforge.intake.code_gate import gate_findings
from thoughtforge.intake.constraints_block import constraints_block
from thoughtforge.intake.documents import CONSTRAINTS, SPEC, allow, commit, project, read
from thoughtforge.intake.talking import answer, conversation
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import DraftMade
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Made
from thoughtforge.kernel.stops import StopReason

TYPE = "code"


class Cycle(NamedTuple):
    """What one run of the tests said, and after how many answers of a person."""

    failing: tuple[str, ...]
    given: int
    told: str


async def compose_code(means: Means, stage: Stage) -> Made:
    """Build until the tests pass; the same failures three times running need a person."""
    plan = await check_plan(means, stage)
    cycles = _cycles(means, stage)
    while True:
        given = len(conversation(means).asked("provide", stage.name))
        _check_stuck(means, cycles, given)
        change = await _ask(means, stage, cycles, plan=plan)
        if change["stuck"]:
            answer(means, change["reason"], code="stuck")
            raise Stop(StopReason.stuck, change["reason"])
        apply(means, change)
        _check_output(means)
        cycle = await _test(means, given)
        if not cycle.failing:
            return await _finish(means, stage)
        cycles = (*cycles, cycle)
        draft = means.put({"cycles": [one._asdict() for one in cycles]})
        means.journal.append(DraftMade(stage=stage.name, round=means.stage(stage.name).round, draft=draft))


def _cycles(means: Means, stage: Stage) -> tuple[Cycle, ...]:
    draft = means.stage(stage.name).draft
    data = means.artifact(draft) if draft else None
    rows = data["cycles"] if data else []
    return tuple(Cycle(tuple(row["failing"]), row["given"], row["told"]) for row in rows)


def _check_stuck(means: Means, cycles: tuple[Cycle, ...], given: int) -> None:
    """The same set of failing names, since a person last helped."""
    most = means.think.build_failures
    recent = [one.failing for one in cycles if one.given == given][-most:]
    if len(recent) == most and len(set(recent)) == 1:
        what = f"the same {len(recent[0])} failures in {most} cycles: {', '.join(recent[0])[:300]}"
        raise Stop(StopReason.stuck, what)


async def _ask(means: Means, stage: Stage, cycles: tuple[Cycle, ...], *, plan: str) -> JsonObject:
    allow(means, "agent_code", deliverable=TYPE)
    budget = means.think.context_tokens
    given = [action.text for action in conversation(means).asked("provide", stage.name)]
    files = "\n\n".join(f"# {path}\n{text}" for path, text in sources(project(means).root).items())
    job = Job(
        name="build",
        prompt="code-build",
        contract="code_change",
        key=f"{stage.name}/{means.stage(stage.name).round}/{len(cycles)}/{len(given)}",
        blocks=[
            Block("specification", read(means, SPEC), budget // 3, floor=budget // 4, untrusted=True),
            constraints_block("constraints and criteria", read(means, CONSTRAINTS), budget=budget // 4),
            Block("plan that was brought along", plan, budget // 3, floor=budget // 8, untrusted=True),
            Block(
                "what the person decided", "\n".join(f"- {text}" for text in given), 1_500, floor=500, untrusted=True
            ),
            Block("last test run", cycles[-1].told if cycles else "", 3_000, floor=1_500, untrusted=True),
            Block("files so far", files, budget // 2, untrusted=True),
        ],
    )
    return (await ask(means, stage, job)).data


async def _test(means: Means, given: int) -> Cycle:
    """Run the tests; what could not run, failed or is missing is what fails."""
    if means.test is None:
        raise Stop(StopReason.bug, "this task has nothing to run tests with")
    allow(means, "test_exec", deliverable=TYPE)
    proposal, root = means.accepted()["proposal"], project(means).root
    report = await means.test(root, proposal["language"])
    if report.broken:
        return Cycle(("the tests cannot be run",), given, report.broken[:4_000])
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


def _check_output(means: Means) -> None:
    """The engine looks for itself whether there is code, and enough of it."""
    files, least = sources(project(means).root), means.completeness
    if not files:
        raise Stop(StopReason.phase3_output_missing, f"{project(means).root} holds no source file")
    size = sum(map(len, files.values()))
    if len(files) < least.code_files or size < least.code_characters:
        raise Stop(
            StopReason.phase3_output_incomplete,
            f"{len(files)} files with {size} characters; at least {least.code_files} with {least.code_characters} "
            "are needed (phase3_completeness)",
        )


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
