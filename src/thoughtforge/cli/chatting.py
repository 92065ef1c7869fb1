"""A conversation on a terminal: what the person types is said, a word behind a slash is an action."""

from __future__ import annotations

import click

from thoughtforge.cli.thinking import go_on
from thoughtforge.cli.thought_shown import show, standing
from thoughtforge.intake.conversation import Conversation
from thoughtforge.kernel.errors import Mistake
from thoughtforge.service.acting import ACTIONS, act, asks, conversation_of
from thoughtforge.service.app import App

HELP = "Type what you want to say. /distill, /confirm, /provide TEXT, /override, /terminate, /resume, /quit"


def converse(app: App, task_id: str) -> None:
    """Talk until the person leaves or nothing more can be said."""
    click.echo(HELP, err=True)
    while True:
        now = standing(app, task_id)
        show(now, None, None)
        if now.data["phase"] == "done" or now.data["halt_reason"] == "human_terminated":
            return
        try:
            line = click.prompt("you", prompt_suffix="> ", err=True)
        except (click.Abort, EOFError):
            return
        if line.strip() == "/quit":
            return
        try:
            _turn(app, task_id, line)
        except Mistake as mistake:
            click.echo("\n".join([mistake.what, *mistake.details, mistake.do]), err=True)


def _turn(app: App, task_id: str, line: str) -> None:
    """One thing a person does."""
    word, _, rest = line.strip().partition(" ")
    if word == "/resume":
        go_on(app, task_id, quiet=False)
        return
    action = word.removeprefix("/") if word.startswith("/") else "say"
    if action not in ACTIONS:
        raise Mistake(f"there is no action {word}", do=HELP)
    if asks(app, task_id, action) and not click.confirm(f"{action} {task_id}?", err=True):
        return
    if act(app, task_id, action, rest if word.startswith("/") else line).runs:
        go_on(app, task_id, quiet=False)


def transcript(app: App, task_id: str) -> None:
    """Print the conversation so far, the part that was put aside marked as such."""
    known: Conversation = conversation_of(app, task_id)
    for message in known.messages:
        aside = " (put aside)" if message.excluded else ""
        click.echo(f"[{message.time[:19]} {message.phase}] {message.role}{aside}: {message.text}\n")
