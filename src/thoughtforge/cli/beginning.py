"""What `think` does: read the brain dump, begin, go as far as it goes without asking."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

from thoughtforge.assembly import make_app
from thoughtforge.cli.chatting import converse
from thoughtforge.cli.thinking import go_on, person_there, tell
from thoughtforge.kernel.errors import Mistake
from thoughtforge.service.thoughts import Thought, begin


def think(
    file: str | None, *, output: Path | None, yes: bool, provider: str | None, as_json: bool, more: dict[str, Any]
) -> None:
    """Begin a thought and take it as far as it goes without asking."""
    app = make_app()
    text = _read(file)
    draft = yes or not person_there()
    given = {key: value for key, value in more.items() if key != "resources" and value is not None}
    thought = Thought(text=text, draft=draft, provider=provider, resources=more["resources"], caps=given)
    if not text.strip() and draft:
        raise Mistake("there is no brain dump", do="Give a file or - for stdin: thoughtforge think notes.md")
    task_id = asyncio.run(begin(app, thought))
    if not as_json:
        click.echo(f"task {task_id}", err=True)
        for warning in app.store.peek(task_id).state.warnings:
            click.echo(f"! {warning}", err=True)
    if text.strip():
        go_on(app, task_id, quiet=as_json)
    if not draft and not as_json:
        converse(app, task_id)
    tell(app, task_id, as_json=as_json, output=output)


def _read(file: str | None) -> str:
    if file is None:
        return "" if person_there() else sys.stdin.read()
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise Mistake(f"{file} cannot be read: {error.strerror}", do="Name a text file that exists.") from error
    except UnicodeDecodeError as error:
        raise Mistake(f"{file} is not UTF-8 text", do="Convert it, or bring it along with --resource.") from error
