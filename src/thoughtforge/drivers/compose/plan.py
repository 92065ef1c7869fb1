"""A plan, section by section: what is filled stays filled, and a build that stopped goes on at the first gap."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from thoughtforge.agent.asking import Job, ask, by_rules
from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.agent.tokens import estimate
from thoughtforge.deliverables.plan import (
    Section,
    Template,
    accept,
    choose,
    render,
    section_context,
    unfinished,
)
from thoughtforge.drivers.compose.draft import Draft, keep_draft, read_draft, was_short
from thoughtforge.drivers.compose.locked import Documents, documents
from thoughtforge.intake.documents import CONSTRAINTS, PLAN, allow, commit, plan_path, read, write
from thoughtforge.intake.phases import DRAFT
from thoughtforge.intake.stops import ThoughtStop
from thoughtforge.intake.talking import answer, answered, conversation
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Made
from thoughtforge.kernel.stops import StopReason

TRIES = 2
"""Times a section is asked for until every slot of it holds content."""
TYPE = "plan"


class Build(NamedTuple):
    """One build of a plan."""

    means: Means
    stage: Stage
    template: Template
    title: str
    documents: Documents
    leaves: str
    """The one phrase an agent that works by rules may leave in a slot."""


async def compose_plan(means: Means, stage: Stage) -> Made:
    """Fill every section, write plan.md, commit it."""
    build = await _begin(means, stage)
    draft = read_draft(means, stage)
    if was_short(means, stage):
        if _size(plan_path(means)) >= means.completeness.plan_characters:  # a person has seen to it
            return await _finish(build, draft.slots)
        draft = await _anew(build)
    try:
        for section in unfinished(build.template, draft.slots, allowed=build.leaves):
            draft = draft._replace(slots={**draft.slots, **await _section(build, section, draft)})
            keep_draft(means, stage, draft)
    except Stop as stop:
        if stop.reason != StopReason.aborted:
            await _keep_part(build, draft.slots)
        raise
    write(means, PLAN, _text(build, draft.slots), deliverable=TYPE)
    return await _finish(build, draft.slots)


def _text(build: Build, filled: dict[str, str]) -> str:
    """The document; a draft says so in its title, which no later fix can take away."""
    label = f" ({DRAFT})" if DRAFT in build.means.task.labels else ""
    return render(build.template, filled, title=f"{build.title}{label}")


async def _begin(means: Means, stage: Stage) -> Build:
    allow(means, "agent_text", deliverable=TYPE)
    accepted = means.accepted()
    choice = choose(means.catalog, accepted["proposal"]["plan_kind"])
    if choice.warning and not answered(conversation(means), "template", 0):
        means.journal.append(WarningGiven(text=choice.warning, code="template"))
        answer(means, choice.warning, code="template")
    agent = means.agent(stage.role)
    leaves = str(getattr(agent.model, "leaves", "")) if by_rules(agent) else ""
    texts = await documents(means, stage)
    return Build(means, stage, choice.template, accepted["intent"]["title"], texts, leaves)


async def _anew(build: Build) -> Draft:
    """A person let it go on: the agent is asked again for all of it. What lies there is kept in a commit."""
    means, stage = build.means, build.stage
    size, least = _size(plan_path(means)), means.completeness.plan_characters
    await commit(means, stage.name, message="A plan that was too short", step=f"short-{means.journal.state.seq}")
    draft = Draft({}, f"the whole plan had {size} characters, at least {least} are needed: write in full")
    keep_draft(means, stage, draft)
    return draft


async def _section(build: Build, section: Section, draft: Draft) -> dict[str, str]:
    """The content of one section; asked once more for slots that are empty or hold a placeholder."""
    lacking: tuple[str, ...] = (draft.short,) if draft.short else ()
    for attempt in range(1, TRIES + 1):
        data = await _ask(build, section, draft.slots, lacking=lacking, attempt=attempt)
        if data["stuck"]:
            answer(build.means, f"{section.heading}: {data['reason']}", code="stuck")
            raise Stop(ThoughtStop.stuck, f"{section.heading}: {data['reason']}")
        found = accept(section, data["content"], allowed=build.leaves)
        for warning in found.warnings:
            build.means.journal.append(WarningGiven(text=warning, code="unknown_slot"))
        if not found.missing:
            return found.content
        lacking = found.missing
    raise Stop(StopReason.provider_failed, f"not filled after {TRIES} tries: {'; '.join(lacking)}")


async def _ask(
    build: Build, section: Section, filled: dict[str, str], *, lacking: tuple[str, ...], attempt: int
) -> JsonObject:
    means, stage = build.means, build.stage
    given = [action.text for action in conversation(means).asked("provide", stage.name)]
    budget = means.think.context_tokens // 2
    shown = section_context(
        build.template,
        section,
        filled=filled,
        spec=build.documents.spec,
        title=build.title,
        fits=lambda text: estimate(text) <= budget,
    )
    if shown.warning and shown.warning not in means.journal.state.warnings:
        means.journal.append(WarningGiven(text=shown.warning, code="cut"))
    accepted = means.accepted()
    job = Job(
        name="plan_section",
        prompt="plan-build",
        contract="plan_section",
        key=f"{stage.name}/{means.stage(stage.name).round}/{section.name}/{len(given)}/{attempt}{build.documents.mark}",
        blocks=[
            Block(
                f"the section {section.heading}, its slots and what there is",
                shown.text,
                budget,
                floor=budget,
                untrusted=True,
            ),
            *build.documents.blocks(means.think.context_tokens),
            Block(
                "what the person decided", "\n".join(f"- {text}" for text in given), 1_500, floor=1_500, untrusted=True
            ),
            Block("what your last answer lacks", "\n".join(f"- {text}" for text in lacking), 500, floor=500),
        ],
        material={
            "section": {"heading": section.heading, "purpose": section.purpose, "slots": list(section.slots)},
            "intent": accepted["intent"],
            "proposal": accepted["proposal"],
        },
    )
    return (await ask(means, stage, job)).data


async def _keep_part(build: Build, filled: dict[str, str]) -> None:
    """What is filled is committed before the task rests."""
    if filled:
        means = build.means
        write(means, PLAN, _text(build, filled), deliverable=TYPE)
        await commit(means, build.stage.name, message="Part of the plan", step=f"build-part-{len(filled)}")


async def _finish(build: Build, filled: dict[str, str]) -> Made:
    means, stage = build.means, build.stage
    size = check_output(plan_path(means), means.completeness.plan_characters)
    read(means, CONSTRAINTS)
    made = await commit(means, stage.name, message="Plan", step=stage.name)
    unsaid = [
        f"{section.heading}: {slot.rpartition('_')[2]}"
        for section in build.template.sections
        for slot in section.slots
        if build.leaves and build.leaves.casefold() in filled[slot].casefold()
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
    return Made(means.put(composition))


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
