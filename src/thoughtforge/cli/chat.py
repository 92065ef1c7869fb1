"""A conversation with a thought on a terminal: words go into it, a word behind a slash is a decision."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from thoughtforge.cli.flags import json_flag
from thoughtforge.kernel.errors import UserError

if TYPE_CHECKING:
    from thoughtforge.service.app import App

DECISIONS = ("say", "distill", "confirm", "provide", "override", "terminate")
HELP = "Type what you want to say. /distill, /confirm, /provide TEXT, /override, /terminate, /resume, /quit"


@click.command("chat")
@click.argument("task")
@json_flag
def chat(task: str, as_json: bool) -> None:
    """Talk with a thought on a terminal; elsewhere print the conversation so far. TASK is an id or `last`."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.render import leave_with_thought
    from thoughtforge.service.show import conversation, is_thought

    app = make_app()
    task_id = app.store.find(task)
    if not is_thought(app, task_id):
        raise UserError(f"task {task_id} is no thought", do="Start one: thoughtforge think notes.md")
    if as_json:
        said = conversation(app, task_id)
        leave_with_thought(app, task_id, as_json=True, conversation=said.messages)
    _print_conversation(app, task_id)
    if sys.stdin.isatty():
        converse(app, task_id)
    leave_with_thought(app, task_id, as_json=False)


def converse(app: App, task_id: str) -> None:
    """Talk until the person leaves or the thought is over."""
    from thoughtforge.cli.render import print_thought
    from thoughtforge.service.show import thought_report

    click.echo(HELP, err=True)
    while True:
        report = thought_report(app, task_id)
        print_thought(report)
        task = report.overview.overview
        if task.phase == "done" or task.halt_reason == "human_terminated":
            return
        try:
            line = click.prompt("you", prompt_suffix="> ", err=True)
        except (click.Abort, EOFError):
            return
        if line.strip() == "/quit":
            return
        try:
            _turn(app, task_id, line)
        except UserError as mistake:
            click.echo("\n".join([mistake.what, *mistake.details, mistake.do]), err=True)


def _turn(app: App, task_id: str, line: str) -> None:
    """One thing a person does."""
    import asyncio

    from thoughtforge.cli.foreground import run_here
    from thoughtforge.service.respond import Decision, asks, respond

    word, _, rest = line.strip().partition(" ")
    if word == "/resume":
        run_here(app, task_id, quiet=False)
        return
    slash = word.startswith("/")
    action = word.removeprefix("/") if slash else "say"
    if action not in DECISIONS:
        raise UserError(f"there is no action {word}", do=HELP)
    if asks(app, task_id, action) and not click.confirm(f"{action} {task_id}?", err=True):
        return
    if asyncio.run(respond(app, task_id, Decision(action, text=rest if slash else line))).runs:
        run_here(app, task_id, quiet=False)


def _print_conversation(app: App, task_id: str) -> None:
    """The conversation so far; a realign marks what it put aside."""
    from thoughtforge.service.show import conversation

    for message in conversation(app, task_id).messages:
        aside = " (put aside)" if message.excluded else ""
        click.echo(f"[{message.timestamp[:19]} {message.phase}] {message.role}{aside}: {message.content}\n")
