"""thoughtforge prompts list|show|edit|reset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from thoughtforge.cli.flags import json_flag, read_text

if TYPE_CHECKING:
    from thoughtforge.service.app import App
    from thoughtforge.service.library import Definitions

repository_flag = click.option(
    "--repository", is_flag=True, help="Change it for this repository only; it counts once you commit it."
)


@click.group("prompts")
def prompts() -> None:
    """The prompts of the agents. Your changes go to your own folder and count from the next call on."""


@prompts.command("list")
@json_flag
def list_prompts(as_json: bool) -> None:
    """Every prompt in force and where it comes from."""
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.definitions import listed

    files = listed(_here()[1].catalog)
    if as_json:
        shown = ("name", "layer", "path", "digest")
        print_value({"prompts": [{key: getattr(file, key) for key in shown} for file in files]})
        return
    for file in files:
        click.echo(f"{file.name:<20} {file.layer:<9} {file.path}")


@prompts.command("show")
@click.argument("name")
@json_flag
def show(name: str, as_json: bool) -> None:
    """The text of one prompt as it is in force."""
    from thoughtforge.cli.exit_codes import print_value

    file = _here()[1].catalog.find("prompts", name)
    if as_json:
        print_value({"prompt": file})
        return
    click.echo(file.text, nl=not file.text.endswith("\n"))


@prompts.command("edit")
@click.argument("name")
@click.option("--file", "-f", type=click.Path(path_type=Path), help="Take the text from a file; - is stdin.")
@repository_flag
@json_flag
def edit(name: str, file: Path | None, repository: bool, as_json: bool) -> None:
    """Change a prompt in your editor ($VISUAL or $EDITOR), or take a new text from a file."""
    from thoughtforge.service.definitions import save, target

    app, known = _here()
    path = target(app, name, repository=repository)
    before = next((one.text for one in known.catalog.all("prompts", name)), "")
    text = _edited(before) if file is None else read_text(file)
    if text is None:
        _print("kept", path, "You changed nothing.", as_json)
        return
    changed = save(name, text, path, catalog=known.catalog)
    _print("saved", changed.path, changed.note, as_json)


@prompts.command("reset")
@click.argument("name")
@repository_flag
@json_flag
def reset(name: str, repository: bool, as_json: bool) -> None:
    """Undo your change of a prompt."""
    from thoughtforge.service.definitions import reset as undo
    from thoughtforge.service.definitions import target

    app, known = _here()
    changed = undo(name, target(app, name, repository=repository), catalog=known.catalog)
    _print("removed", changed.path, changed.note, as_json)


def _here() -> tuple[App, Definitions]:
    """The program and the definitions in force where the person stands."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.service.definitions import known_here

    app = make_app()
    return app, asyncio.run(known_here(app))


def _edited(before: str) -> str | None:
    """What the person made of it; None when they left it as it was."""
    after = click.edit(before, extension=".md")
    return None if after is None or after == before else after


def _print(word: str, path: Path, note: str, as_json: bool) -> None:
    from thoughtforge.cli.exit_codes import print_value

    if as_json:
        print_value({word: str(path), "note": note})
        return
    click.echo(f"{path}: {word}. {note}")
