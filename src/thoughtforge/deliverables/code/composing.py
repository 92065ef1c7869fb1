"""Building a thought's code: the given tests, the builder that makes them pass, and when a person must help."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.asking import PromptRequest, ask, context_room, today_block
from thoughtforge.agent.context import SPECIFICATION, Block, wanted
from thoughtforge.agent.frame import step_room
from thoughtforge.agent.memory import Cycle, Memory
from thoughtforge.agent.room import TAIL
from thoughtforge.agent.run import Run
from thoughtforge.agent.steps import End
from thoughtforge.code.exit import ExitReport
from thoughtforge.code.green import HELD_BACK, within
from thoughtforge.coding.building import REFUTED, CodeStage, Refused, StageBuild, build
from thoughtforge.coding.writing import red_tests, retested
from thoughtforge.deliverables.code.at_hand import built_so_far, tests_so_far
from thoughtforge.deliverables.code.exit import is_set_up, measure, pinned_red
from thoughtforge.deliverables.code.files import OURS, accept, is_accepted, sources
from thoughtforge.deliverables.code.given import confirmed_blocks, rules_block
from thoughtforge.deliverables.code.upstream import TYPE, ThoughtProject
from thoughtforge.gate.findings import Finding
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.testing.language import locked_by_engine
from thoughtforge.think.deliverable import require_agent
from thoughtforge.think.documents import CONSTRAINTS, allow, project, read
from thoughtforge.think.locked import Documents, documents
from thoughtforge.think.material import material_blocks
from thoughtforge.think.resources import names
from thoughtforge.think.said_since import said_block
from thoughtforge.think.stops import ThoughtStop
from thoughtforge.think.talking import answer, conversation

OPA = re.compile(r"^\|\s*Objective\s*\|\s*Plan\s*\|\s*Assessment\s*\|", re.MULTILINE | re.IGNORECASE)
HEADINGS = re.compile(
    r"^##\s+(aim|scope|steps|risks|objectives?|milestones?|architecture|timeline|budget)\b", re.M | re.I
)
LIKE_A_PLAN = 3
"""Headings of the kind plans have before a document counts as one; a lone note has none."""
GATE = "completeness"
MATERIAL, MOST_MATERIAL = 1_200, 4_000
"""Tokens the person's material has at least in every step, and at most; tools read the rest."""
BESIDE = TAIL + 2_600
"""Tokens of a step for what changes, the system prompt, the tools and what to do."""


def find_plan(folder: Path) -> Path | None:
    """The first Markdown document in resources/, or a folder below it, that is built like a plan."""
    for path in (folder / name for name in names(folder) if name.lower().endswith(".md")):
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            continue  # nothing outside the folder was brought along
        text = path.read_text(encoding="utf-8", errors="replace")
        if OPA.search(text) or len(HEADINGS.findall(text)) >= LIKE_A_PLAN:
            return path
    return None


async def check_plan(run: Run, stage: Stage) -> str:
    """The plan to build from, empty when none was brought along; one that is not complete halts for a person."""
    folder = project(run).root / "resources"
    path = find_plan(folder)
    if path is None:
        return ""
    name = path.relative_to(folder)
    text = path.read_text(encoding="utf-8", errors="replace")
    if conversation(run).asked("override", stage.name) or GATE in run.record.stage(stage.name).measured:
        return text
    budget = context_room(run, run.library.agent(stage.role))
    job = PromptRequest(
        name="completeness",
        prompt="completeness-gate",
        contract="completeness",
        key=f"{stage.name}/{run.record.stage(stage.name).round}/completeness",
        blocks=[Block(f"plan {name}", text, budget, floor=budget // 2, untrusted=True)],
        material={"document": text},
    )
    found = (await ask(run, stage, job)).data
    if not found["pass"]:
        told = f"{name} is not complete enough to build from: {' '.join(found['reasons'])}"
        answer(run, told, code=GATE)
        raise Stop(ThoughtStop.plan_incomplete, told)
    mine, steps = run.record.stage(stage.name), run.record.journal.state.used.steps
    run.record.journal.append(
        Measured(stage=stage.name, round=mine.round, step=steps, what=GATE, outcome="pass", summary=str(name))
    )
    return text


SHOWN = 600
"""Characters of the failures a person is told."""
OUTPUT = {"missing": ThoughtStop.phase3_output_missing, "incomplete": ThoughtStop.phase3_output_incomplete}
"""What the engine did not find → the halt that says so."""


def stuck(cycles: Sequence[Cycle], most: int, *, told: str) -> str:
    """Why a person has to help: the build failed so often running, or the same names did. Empty when nobody has to."""
    recent = cycles[-most:]
    if len(recent) < most:
        return ""
    if all(one.broken for one in recent):
        return f"the build failed {most} times running: {told[:SHOWN]}"
    if len({one.failing for one in recent}) == 1:
        count = len(recent[0].failing.split(", "))
        return f"the same {count} failure{'s' * (count != 1)} in {most} cycles: {told[:SHOWN]}"
    return ""


def probing(memory: Memory) -> bool:
    """Whether everything but the held-back cases held, and they failed, as often as that may be."""
    return sum(one.failing == HELD_BACK for one in memory.cycles) >= REFUTED


def check_cycles(run: Run, stage: Stage) -> None:
    """After an exit that did not hold: stop where a person has to help, or where there is nothing to go on with."""
    exit = run.record.stage(stage.name).measured["exit"]
    told = "; ".join(f"{c.name}: {c.detail}" for c in exit.criteria if c.outcome == "fail")
    why = stuck(run.record.memory(stage.name).cycles, run.library.config.think.build_failures, told=told)
    if why:
        raise Stop(ThoughtStop.stuck, why)
    lacks = str(exit.facts.get("output", ""))
    if lacks:
        raise Stop(OUTPUT[lacks], told)


def halt(run: Run, stage: Stage, end: End) -> NeedsPerson:
    """Work that ended without being handed in: the agent asks, goes round, or has no step left."""
    if end.question:
        why = str(end.question["question"])
        answer(run, why, code="stuck")
    elif end.refuted:
        answer(run, end.refuted, code="held_back")
        raise Stop(ThoughtStop.held_back, end.refuted.partition("\n")[0])
    elif end.circles:
        why = f"the agent goes in circles: {end.circles}"
    else:
        why = f"{stage.name} took {run.record.stage(stage.name).steps} actions without an end"
    raise Stop(ThoughtStop.stuck, why)


def unfixed(run: Run, stage: Stage, end: End) -> NeedsPerson | Refused:
    """A question, and held-back cases, are the person's; an agent that goes round has put nothing right."""
    if end.question or end.refuted:
        return halt(run, stage, end)
    return Refused(end.circles or "nothing was handed in")


def for_thought(run: Run, stage: Stage, plan: CodeStage) -> CodeStage:
    """How the tests of a thought are written: like those of any specification, in the thought's own project."""
    require_agent(run, stage)
    allow(run, "agent_code", deliverable=TYPE)
    return plan._replace(
        upstream=ThoughtProject(stage.name),
        message=lambda site, handed: "Tests",
        told=lambda site: _told(plan, site),
        inputs=lambda run: (),
        now=tests_so_far,
        prompt="tests",
        asks=halt,
    )


async def _told(plan: CodeStage, site: StageBuild) -> Sequence[Block]:
    texts = await documents(site.run, site.stage)
    criteria = await plan.told(site)
    blocks = [
        said_block(site.run, budget=800),
        today_block(site.run),
        *_confirmed(texts, beside="\n".join(block.text for block in criteria)),
        *criteria,
        rules_block(site),
    ]
    return await with_material(site, blocks, about=texts.spec, beside=texts.spec)


def _confirmed(texts: Documents, *, beside: str = "") -> list[Block]:
    edited = Block("intent as the person edited it", texts.intent, 1_000, floor=500, untrusted=True)
    return [*confirmed_blocks(texts.spec, texts.constraints, title="constraints and criteria", beside=beside), edited]


async def with_material(site: StageBuild, blocks: Sequence[Block], *, about: str, beside: str) -> list[Block]:
    """The person's material in the room that the other blocks of a step leave, and after them."""
    left = step_room(site.run, site.run.library.agent(site.stage.role)) - BESIDE - wanted(blocks)
    budget = max(MATERIAL, min(MOST_MATERIAL, left))
    return [*blocks, *await material_blocks(site.run, about, budget, beside=beside)]


async def compose_code(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Build until the exit holds; a build that fails three times running, or in the same way, needs a person."""
    require_agent(run, stage)
    allow(run, "agent_code", deliverable=TYPE)
    plan, texts = await check_plan(run, stage), await documents(run, stage)
    return await build(
        run,
        stage,
        CodeStage(
            contract="code_built",
            measure=measure,
            artifact=composition,
            message=lambda site, handed: "Code",
            told=lambda site: _build_material(site, plan, texts),
            inputs=lambda run: (),
            upstream=ThoughtProject(stage.name),
            guarded=guarded,
            given=of_red,
            now=built_so_far,
            prompt="code-build",
            asks=halt,
            refuted=probing,
            check=check_cycles,
        ),
    )


def guarded(site: StageBuild) -> Callable[[str], str]:
    """Documents are a person's, tests the test engineer's; once something was accepted, its set-up stays as it is."""
    red = frozenset(red_tests(site.run).files)

    def refused(path: str) -> str:
        if path.partition("/")[0].casefold() in OURS:
            return f"{path} is not part of the code: {', '.join(OURS[:2])} belong to the person"
        if path in red or path.casefold() in {one.casefold() for one in red}:
            return f"{path} belongs to the tests that were there before the code; {site.stage.name} leaves them as is"
        if locked_by_engine(path):
            return f"{path} is made by the engine from what the project declares"
        if is_accepted(site.run) and is_set_up(site, path):
            return f"{path} says how the project is set up and tested; that is fixed since the build was accepted"
        return ""

    return refused


def of_red(site: StageBuild) -> Callable[[Finding], bool]:
    """What is found in the tests of a test engineer; whoever writes the code answers for other tests."""
    return within(frozenset(red_tests(site.run).files).__contains__)


async def _build_material(site: StageBuild, plan: str, texts: Documents) -> Sequence[Block]:
    blocks = [
        said_block(site.run, budget=800),
        today_block(site.run),
        *_confirmed(texts),
        Block("plan that was brought along", plan, 1_200, floor=300, untrusted=True),
        *await tests_told(site),
        rules_block(site),
    ]
    return await with_material(site, blocks, about=texts.spec, beside=texts.spec)


async def tests_told(site: StageBuild) -> list[Block]:
    """The tests that must pass, and the interface they assume; never what was held back."""
    red = await pinned_red(site)
    read_files = [(path, await site.session.workspace.read(red.commit, path)) for path in red.files]
    text = "\n\n".join(f"# {path}\n{raw.decode('utf-8', 'replace')}" for path, raw in read_files)
    first = site.run.record.accepted().get("test_suite", {})
    promised = [*first.get("interface", []), *retested(site.run).get("interface", [])]
    return [
        _given("interface the tests assume", as_yaml(promised) if promised else "", 500, 200),
        _given("tests that must pass", text, 2_500, 600),
    ]


def _given(title: str, text: str, cap: int, floor: int) -> Block:
    return Block(title, text, cap, floor=floor, untrusted=True, need=SPECIFICATION)


async def composition(site: StageBuild, handed: JsonObject, exit: ExitReport) -> JsonObject:
    """What was built, as the engine found it."""
    run = site.run
    accept(run, site.stage, exit)
    read(run, CONSTRAINTS)
    accepted = run.record.accepted()
    files = await sources(project(run))
    return {
        "deliverable_type": TYPE,
        "path": ".",
        "title": accepted["intent"]["title"],
        "kind": accepted["proposal"]["language"] or TYPE,
        "parts": list(files),
        "size": sum(map(len, files.values())),
        "open": [],
        "commit": run.record.stage(site.stage.name).commit,
    }
