"""The commands for change plans as lines of a chat: `!plan …`, `!forge …`, `!stop`; runs go on in the background."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from thoughtforge.forge.words import PlanWords, parse_words
from thoughtforge.kernel.errors import UserError
from thoughtforge.service import plan_commands as commands
from thoughtforge.service import plan_show
from thoughtforge.service.app import App
from thoughtforge.service.plan_auto import implement_at_once
from thoughtforge.service.plan_names import find
from thoughtforge.service.plans import PlanRequest, begin
from thoughtforge.service.run import run_in_background

FORM = "Write !plan TEXT, !plan list, !plan show PLAN, !forge TEXT, !forge PLAN or !stop."


class ChatReply(NamedTuple):
    """What a line of a chat came to."""

    text: str
    forging: str = ""
    """The plan whose forge began with this line."""


async def carry_out(app: App, line: str, *, forging: str = "") -> ChatReply:
    """Do what a line says; `forging` is the plan that `!stop` ends."""
    words = parse_words(line)
    if words is None:
        raise UserError("this is no command for change plans", do=FORM)
    if words.problem:
        raise UserError(words.problem, do=FORM)
    if words.group == "stop":
        return _stop(app, words.plan or forging)
    plan = find(app, words.plan) if words.plan else ""
    return await ACTIONS[words.group, words.verb](app, words, plan)


def _stop(app: App, plan: str) -> ChatReply:
    if not plan:
        raise UserError("no forge began in this chat", do="Name one: !forge cancel PLAN")
    return _told(commands.cancel(app, find(app, plan)))


def _told(change: commands.PlanChange) -> ChatReply:
    lines = [f"{change.plan}: {change.what}; it is {change.status}", *(f"- {note}" for note in change.notes)]
    return ChatReply("\n".join([*lines, *([f"→ {change.next_action}"] if change.next_action else [])]))


def _in_background(app: App, change: commands.PlanChange) -> ChatReply:
    if not change.runs:
        return _told(change)
    run_in_background(app, change.plan)
    return ChatReply(f"{change.plan}: {change.what}; see how it goes: !plan show {change.plan}", change.plan)


async def _create(app: App, words: PlanWords, plan: str) -> ChatReply:
    made = await begin(app, PlanRequest(words.text))
    return ChatReply(f"{made}: {commands.path_of(app, made)}\n→ !forge {made}")


async def _start(app: App, words: PlanWords, plan: str) -> ChatReply:
    made = await begin(app, PlanRequest(words.text))
    return _in_background(app, commands.take_up(app, made))


async def _listed(app: App, words: PlanWords, plan: str) -> ChatReply:
    running = words.group == "forge"
    rows = [row for row in plan_show.summaries(app) if row.runner or not running]
    told = [f"{row.plan}  {row.status}  {row.title}" + (f"  run by {row.runner}" * bool(row.runner)) for row in rows]
    return ChatReply("\n".join(told) or ("no change plan runs now" if running else "no change plan yet"))


async def _cancelled(app: App, words: PlanWords, plan: str) -> ChatReply:
    there = [plan] if plan else list(commands.running(app))
    if len(there) != 1:
        raise UserError(
            f"{len(there)} change plans run" if there else "no change plan runs now",
            do="Name one: !forge cancel PLAN",
            details=tuple(there),
        )
    return _told(commands.cancel(app, there[0]))


async def _phases(app: App, words: PlanWords, plan: str) -> ChatReply:
    if words.regenerate:
        return _told(commands.regenerate(app, plan, reset=words.reset))
    return ChatReply(plan_show.phases(app, plan) or f"{plan} has no phases yet")


async def _approved(app: App, words: PlanWords, plan: str) -> ChatReply:
    approved = await commands.approve(app, plan, unaudited=words.text if words.unaudited else "")
    return _in_background(app, await implement_at_once(app, approved))


async def _simple(app: App, words: PlanWords, plan: str) -> ChatReply:
    """What is one call of a command, and at once over."""
    match words.verb:
        case "show":
            return ChatReply(plan_show.text(app, plan))
        case "edit":
            return ChatReply(f"edit {commands.path_of(app, plan)}")
        case "close":
            return _told(commands.close(app, plan))
        case _:
            return _told(commands.skip(app, plan, reason=words.text))


async def _run(app: App, words: PlanWords, plan: str) -> ChatReply:
    """What runs afterwards, in the background."""
    match words.verb:
        case "audit":
            change = commands.audit(app, plan)
        case "resume":
            change = commands.take_up(app, plan)
        case "retry":
            change = commands.retry(app, plan)
        case verb:
            what = {"run": "next", "run-all": "all", "run-one": "one"}[verb]
            change = commands.ask(app, plan, what, phase=words.phase)
    return _in_background(app, change)


Action = Callable[[App, PlanWords, str], Awaitable[ChatReply]]
ACTIONS: dict[tuple[str, str], Action] = {
    ("plan", "create"): _create,
    ("plan", "list"): _listed,
    ("plan", "approve"): _approved,
    ("plan", "cancel"): _cancelled,
    ("plan", "phases"): _phases,
    **{("plan", verb): _simple for verb in ("show", "edit", "close", "skip")},
    **{("plan", verb): _run for verb in ("audit", "run", "run-all", "run-one", "retry")},
    ("forge", "start"): _start,
    ("forge", "resume"): _run,
    ("forge", "status"): _listed,
    ("forge", "cancel"): _cancelled,
}
"""What each command of a chat does."""
