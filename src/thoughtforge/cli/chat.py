"""A conversation with a thought on a terminal: words go into it, a word behind a slash is a decision."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from thoughtforge.cli.flags import json_flag
from thoughtforge.kernel.errors import UserError

if TYPE_CHECKING:
    from thoughtforge.service.app import App
    from thoughtforge.service.respond import Decision
    from thoughtforge.views.values import NextAction, ThoughtReport

DECISIONS = ("say", "distill", "confirm", "provide", "override", "terminate")
HELP_WORDS = ("help", "/help", "?")
ANSWERED = ("human_review", "spec_building")
"""Phases in which open questions are asked one by one."""
BY_RULES = "builtin"
"""The label of a thought without a model: nobody but the person can settle anything."""
LINE = 65_536
"""The most a terminal hands over at once."""
LEAVE_OPEN, UNKNOWN_COST = "--leave-open", "--allow-unknown-cost"
HELP = (
    f"Type what you want to say. /distill, /confirm [{LEAVE_OPEN}], "
    "/provide TEXT, /override, /terminate, /resume, /quit"
)


@click.command("chat")
@click.argument("task", required=False)
@json_flag
def chat(task: str | None, as_json: bool) -> None:
    """Talk with a thought on a terminal; elsewhere print the conversation so far. TASK is an id or `last`.

    Without TASK it takes lines that begin with !plan, !forge or !stop, also from stdin.
    """
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.render import leave_with_thought
    from thoughtforge.service.show import conversation, is_thought

    app = make_app()
    if task is None:
        command_lines(app)
        return
    task_id = app.store.find(task)
    if not is_thought(app, task_id):
        raise UserError(f"task {task_id} is no thought", do="Start one: thoughtforge think notes.md")
    if as_json:
        said = conversation(app, task_id)
        leave_with_thought(app, task_id, as_json=True, copies=False, conversation=said.messages)
    _print_conversation(app, task_id)
    if sys.stdin.isatty():
        converse(app, task_id)
    leave_with_thought(app, task_id, as_json=False, copies=sys.stdin.isatty())


def command_lines(app: App) -> None:
    """Carry out lines for change plans until there are no more; a line that does not fit is answered, not fatal."""
    import asyncio

    from thoughtforge.kernel.errors import TaskLocked
    from thoughtforge.service.plan_words import carry_out

    forging = ""
    for line in _lines():
        try:
            reply = asyncio.run(carry_out(app, line, forging=forging))
        except UserError as mistake:
            click.echo("\n".join([mistake.what, *mistake.details, mistake.do]), err=True)
            continue
        except TaskLocked as held:
            click.echo(str(held), err=True)
            continue
        forging = reply.forging or forging
        click.echo(reply.text)


def _lines() -> Iterator[str]:
    """What a person types until they leave, or the lines of stdin."""
    if not sys.stdin.isatty():
        yield from (line for line in sys.stdin if line.strip())
        return
    while True:
        try:
            line = str(click.prompt("you", prompt_suffix="> ", err=True))
        except (click.Abort, EOFError):
            return
        if line.strip() == "/quit":
            return
        yield line


def converse(app: App, task_id: str) -> None:
    """Talk until the person leaves or the thought is over."""
    from thoughtforge.cli.render import print_thought
    from thoughtforge.service.show import thought_report

    click.echo(HELP, err=True)
    asked: set[str] = set()
    while True:
        ahead = typed_ahead()
        report = thought_report(app, task_id)
        print_thought(report, hint=chat_words(report.overview.overview.next_actions))
        if ahead:
            if any(line.strip() == "/quit" for line in ahead):
                return
            with _told_mistakes():
                _take_up_ahead(app, task_id, ahead)
            continue
        task = report.overview.overview
        if task.phase == "done" or task.halt_reason == "human_terminated":
            return
        try:
            by_rules = BY_RULES in task.labels and task.phase in ANSWERED
            line = (ask_each(report, asked) if by_rules else "") or _prompt("you")
        except (click.Abort, EOFError):
            return
        if line.strip() == "/quit":
            return
        with _told_mistakes():
            _turn(app, task_id, line)


@contextmanager
def _told_mistakes() -> Iterator[None]:
    """What a person did wrong is told, and the talk goes on."""
    try:
        yield
    except UserError as mistake:
        click.echo("\n".join([mistake.what, *mistake.details, mistake.do]), err=True)


def typed_ahead() -> list[str]:
    """Lines that wait at the terminal: they were typed before what is shown next."""
    lines: list[str] = []
    while select.select([sys.stdin], [], [], 0)[0]:
        data = os.read(sys.stdin.fileno(), LINE)
        if not data:
            return [*lines, "/quit"]
        lines += [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines


def _take_up_ahead(app: App, task_id: str, lines: Sequence[str]) -> None:
    """Words typed ahead are said. A decision typed ahead is none: it would be about something nobody has seen."""
    for line in lines:
        if line.lstrip().startswith("/"):
            click.echo(f"{line.strip()} was typed before you saw this and counts for nothing; type it again", err=True)
    words = [line for line in lines if not line.lstrip().startswith("/")]
    if words:
        from thoughtforge.service.respond import Decision

        _decide(app, task_id, Decision("say", text="\n".join(words), ahead=True))


SHELL = "thoughtforge "
GOES_ON = ("resume", "continue")


def chat_words(actions: Sequence[NextAction]) -> str:
    """What a person can do, in the words of the chat; a command with options stays one for the shell."""
    parts: dict[str, list[str]] = {}
    for action in actions:
        parts.setdefault(action.label, []).append(_chat_word(action.command))
    return "; ".join(f"{label}: {' | '.join(words)}" for label, words in parts.items())


def _chat_word(command: str) -> str:
    word, _, rest = command.removeprefix(SHELL).partition(" ")
    more = rest.partition(" ")[2]
    if word == "say":
        return "type what you want to say"
    if word in GOES_ON and not more:
        return "/resume"
    return f"/{word} {more}".rstrip() if word in DECISIONS else f"{command} (in a shell)"


def _prompt(label: str, **more: Any) -> str:
    """A line a person types; a wish for help is answered and is no content."""
    while True:
        line = str(click.prompt(label, prompt_suffix="> ", err=True, **more))
        if line.strip().lower() not in HELP_WORDS:
            return line
        click.echo(HELP, err=True)


def ask_each(report: ThoughtReport, asked: set[str]) -> str:
    """The open questions nobody was asked yet, one by one: the answers as one message, or the action typed instead."""
    from thoughtforge.service.forms import MOST_ASKED, answer_lines

    fresh = [one for one in report.questions if one["id"] not in asked][: max(0, MOST_ASKED - len(asked))]
    answers: dict[str, str] = {}
    if fresh:
        click.echo("\nAnswer each question, or press Enter to leave it open.", err=True)
    for one in fresh:
        asked.add(one["id"])
        click.echo(f"\n{one['id']}: {one['text']}", err=True)
        line = _prompt("answer", default="", show_default=False).strip()
        if line.startswith("/"):
            return line
        if line:
            answers[one["id"]] = line
    return answer_lines(answers)


def _turn(app: App, task_id: str, line: str) -> None:
    """One thing a person does."""
    from thoughtforge.cli.foreground import run_here
    from thoughtforge.cli.render import print_accepted
    from thoughtforge.service.respond import Decision, asks
    from thoughtforge.service.run import ResumeOptions

    word, _, rest = line.strip().partition(" ")
    if line.strip().startswith(SHELL):
        raise UserError("that is a command for a shell; nothing was said", do=HELP)
    if word == "/resume":
        wishes = ResumeOptions(caps={"unknown_usd": True} if rest.strip() == UNKNOWN_COST else {})
        run_here(app, task_id, quiet=False, wishes=wishes)
        return
    slash = word.startswith("/")
    action = word.removeprefix("/") if slash else "say"
    if action not in DECISIONS:
        raise UserError(f"there is no action {word}", do=HELP)
    if action == "override":
        print_accepted(app, task_id)
    if asks(app, task_id, action) and not click.confirm(f"{action} {task_id}?", err=True):
        return
    leave_open = action == "confirm" and rest.strip() == LEAVE_OPEN
    _decide(app, task_id, Decision(action, text=rest if slash else line, leave_open=leave_open))


def _decide(app: App, task_id: str, decision: Decision) -> None:
    """Send it, and let the thought go on where it can;"""
    import asyncio

    from thoughtforge.cli.foreground import run_here
    from thoughtforge.service.respond import respond

    if asyncio.run(respond(app, task_id, decision)).runs:
        run_here(app, task_id, quiet=False)


def _print_conversation(app: App, task_id: str) -> None:
    """The conversation so far; a realign marks what it put aside."""
    from thoughtforge.service.show import conversation

    for message in conversation(app, task_id).messages:
        aside = " (put aside)" if message.excluded else ""
        click.echo(f"[{message.timestamp[:19]} {message.phase}] {message.role}{aside}: {message.content}\n")
