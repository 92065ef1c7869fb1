"""A plan, section by section as confirmed: what is filled stays, and a build that stopped goes on at the first gap."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.asking import PromptRequest, ask, context_room
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Done, Run, drive
from thoughtforge.agent.tokens import estimate
from thoughtforge.deliverables.plan.showing import section_context
from thoughtforge.deliverables.plan.skeleton import skeleton
from thoughtforge.deliverables.plan.slots import (
    Draft,
    accept,
    framed,
    keep_draft,
    named,
    read_draft,
    render,
    unfinished,
    was_short,
)
from thoughtforge.deliverables.plan.template import Section, Template, choose
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Produced
from thoughtforge.kernel.stops import StopReason
from thoughtforge.think.documents import CONSTRAINTS, PLAN, allow, commit, plan_path, read, write
from thoughtforge.think.locked import Documents, documents
from thoughtforge.think.material import material, resource_texts
from thoughtforge.think.said_since import said_block
from thoughtforge.think.stops import ThoughtStop
from thoughtforge.think.talking import answer, answered, conversation
from thoughtforge.think.texts import without_traces
from thoughtforge.views.phases import DRAFT

TRIES = 2
"""Times a section is asked for until every slot of it holds content."""
TYPE = "plan"


class PlanBuild(NamedTuple):
    """One build of a plan."""

    run: Run
    stage: Stage
    template: Template
    title: str
    documents: Documents
    leaves: str
    """The one phrase an agent that works by rules may leave in a slot."""


class PlanView(NamedTuple):
    """A plan in the making, as the record and its file tell it."""

    left: tuple[str, ...] = ()
    """The sections that are not filled yet."""
    short: bool = False
    """It halted because it was too short, and nothing was filled since."""
    long_enough: bool = False


class SectionTurn(NamedTuple):
    """Fill a section."""

    name: str


class AnewTurn(NamedTuple):
    """Begin all of it anew."""


def next_turn(view: PlanView) -> SectionTurn | AnewTurn | Done:
    """What comes next; a plan a person has made long enough is taken as it is."""
    if view.short:
        return Done("seen to") if view.long_enough else AnewTurn()
    return SectionTurn(view.left[0]) if view.left else Done("filled")


async def compose_plan(run: Run, stage: Stage) -> Produced:
    """Fill every section, write plan.md, commit it."""
    build = await _begin(run, stage)
    sections = {section.name: section for section in build.template.sections}

    def look() -> PlanView:
        left = unfinished(build.template, read_draft(run, stage).slots, allowed=build.leaves)
        enough = _size(plan_path(run)) >= run.library.config.phase3_completeness.plan_characters
        return PlanView(tuple(section.name for section in left), was_short(run, stage), enough)

    async def run_turn(turn: SectionTurn | AnewTurn) -> None:
        if isinstance(turn, AnewTurn):
            await _anew(build)
            return
        draft = read_draft(run, stage)
        filled = await _section(build, sections[turn.name], draft)
        keep_draft(run, stage, draft._replace(slots={**draft.slots, **filled}))

    try:
        done = await drive(look, next_turn, run_turn)
    except Stop as stop:
        if stop.reason != StopReason.aborted:
            await _keep_part(build, read_draft(run, stage).slots)
        raise
    slots = read_draft(run, stage).slots
    if done.how == "filled":
        write(run, PLAN, _text(build, slots), deliverable=TYPE)
    return await _finish(build, slots)


def _text(build: PlanBuild, filled: dict[str, str]) -> str:
    """The document; a draft says so in its title, which no later fix can take away."""
    label = f" ({DRAFT})" if DRAFT in build.run.record.task.labels else ""
    return render(build.template, filled, title=f"{build.title}{label}")


async def _begin(run: Run, stage: Stage) -> PlanBuild:
    allow(run, "agent_text", deliverable=TYPE)
    accepted = run.record.accepted()
    choice = choose(run.library.catalog, accepted["proposal"]["plan_kind"])
    if choice.warning and not answered(conversation(run), "template", 0):
        run.record.journal.append(WarningGiven(text=choice.warning, code="template"))
        answer(run, choice.warning, code="template")
    agent = run.library.agent(stage.role)
    leaves = agent.model.capabilities.placeholder
    texts = await documents(run, stage)
    confirmed = skeleton(choice.template, accepted["proposal"]["structure"])
    return PlanBuild(run, stage, confirmed, accepted["intent"]["title"], texts, leaves)


async def _anew(build: PlanBuild) -> None:
    """A person let it go on: the agent is asked again for all of it. What lies there is kept in a commit."""
    run, stage = build.run, build.stage
    size, least = _size(plan_path(run)), run.library.config.phase3_completeness.plan_characters
    await commit(run, stage.name, message="A plan that was too short", step=f"short-{run.record.journal.state.seq}")
    draft = Draft({}, f"the whole plan had {size} characters, at least {least} are needed: write in full")
    keep_draft(run, stage, draft)


class LastAnswer(NamedTuple):
    """An answer that is asked for once more: what it lacks, and what it was."""

    lacks: tuple[str, ...] = ()
    content: Mapping[str, str] = {}


async def _section(build: PlanBuild, section: Section, draft: Draft) -> dict[str, str]:
    """The content of one section; asked once more for slots that lack content, and for what could be better."""
    begun = {slot: draft.slots[slot] for slot in section.slots if slot in draft.slots}
    last = LastAnswer((draft.short,) if draft.short else (), begun)
    for attempt in range(1, TRIES + 1):
        data = await _ask(build, section, draft.slots, last=last, attempt=attempt)
        if data["stuck"]:
            answer(build.run, f"{section.heading}: {data['reason']}", code="stuck")
            raise Stop(ThoughtStop.stuck, f"{section.heading}: {data['reason']}")
        kept = {slot: text for slot, text in last.content.items() if slot in section.slots}
        content = {**kept, **named(section, data["content"])}  # what was good need not be handed in again
        found = accept(section, content, allowed=build.leaves)
        if not found.missing and (attempt == TRIES or not found.better):
            for warning in found.warnings:
                build.run.record.journal.append(WarningGiven(text=warning, code="unknown_slot"))
            return framed(section, found.content)
        last = LastAnswer((*found.missing, *found.better), content)
    keep_draft(build.run, build.stage, draft._replace(slots={**draft.slots, **found.content}))
    raise Stop(
        ThoughtStop.section_unfilled, f"{section.heading} lacks something after {TRIES} tries: {'; '.join(last.lacks)}"
    )


async def _ask(
    build: PlanBuild, section: Section, filled: dict[str, str], *, last: LastAnswer, attempt: int
) -> JsonObject:
    run, stage = build.run, build.stage
    given = conversation(run).asked("provide", stage.name)
    room = context_room(run, run.library.agent(stage.role))
    budget = room // 2
    shown = section_context(
        build.template,
        section,
        filled=filled,
        spec=without_traces(build.documents.spec),
        title=build.title,
        fits=lambda text: estimate(text) <= budget,
    )
    if shown.warning and shown.warning not in run.record.journal.state.warnings:
        run.record.journal.append(WarningGiven(text=shown.warning, code="cut"))
    accepted = run.record.accepted()
    blocks = [
        Block(
            f"the section {section.heading}, its slots and what there is",
            shown.text,
            budget,
            floor=budget,
            untrusted=True,
        ),
        *build.documents.blocks(room),
        said_block(run),
        Block("your last answer", as_yaml(last.content) if last.content else "", 3_000, floor=800, untrusted=True),
        Block("what your last answer lacks", "\n".join(f"- {text}" for text in last.lacks), 500, floor=500),
    ]
    about = f"{section.heading} {section.purpose}"
    job = PromptRequest(
        name="plan_section",
        prompt="plan-build",
        contract="plan_section",
        key=f"{stage.name}/{run.record.stage(stage.name).round}/{section.name}/{len(given)}/{attempt}{build.documents.mark}",
        blocks=blocks,
        fill=material(run, about),
        material={
            "section": {
                "heading": section.heading,
                "purpose": section.purpose,
                "slots": list(section.slots),
                "holds": list(section.holds),
            },
            "intent": accepted["intent"],
            "proposal": accepted["proposal"],
            "resources": await resource_texts(run),
        },
    )
    return (await ask(run, stage, job)).data


async def _keep_part(build: PlanBuild, filled: dict[str, str]) -> None:
    """What is filled is committed before the task rests."""
    if filled:
        run = build.run
        write(run, PLAN, _text(build, filled), deliverable=TYPE)
        await commit(run, build.stage.name, message="Part of the plan", step=f"build-part-{len(filled)}")


async def _finish(build: PlanBuild, filled: dict[str, str]) -> Produced:
    run, stage = build.run, build.stage
    size = check_output(plan_path(run), run.library.config.phase3_completeness.plan_characters)
    read(run, CONSTRAINTS)
    made = await commit(run, stage.name, message="Plan", step=stage.name)
    unsaid = [
        f"{section.heading}: {slot.rpartition('_')[2]}"
        for section in build.template.sections
        for slot in section.slots
        if build.leaves and build.leaves.casefold() in filled.get(slot, "").casefold()
    ]
    composition = {
        "deliverable_type": TYPE,
        "path": PLAN,
        "title": build.title,
        "kind": build.template.kind,
        "parts": [section.heading for section in build.template.sections],
        "size": size,
        "open": unsaid,
        "commit": made,
    }
    return Produced(run.record.put(composition))


def check_output(path: Path, least: int) -> int:
    """The engine looks for itself whether there is a plan, and enough of it."""
    if not path.is_file():
        raise Stop(ThoughtStop.phase3_output_missing, f"{path} is not there")
    size = _size(path)
    if size < least:
        raise Stop(
            ThoughtStop.phase3_output_incomplete,
            f"{path} has {size} characters, at least {least} are needed (phase3_completeness.plan_characters)",
        )
    return size


def _size(path: Path) -> int:
    return len(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else 0
