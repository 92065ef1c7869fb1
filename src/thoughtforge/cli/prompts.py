"""thoughtforge prompts list|show|edit|reset."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from thoughtforge.cli.flags import json_flag

if TYPE_CHECKING:
    from thoughtforge.catalog import Catalog

repository_flag = click.option(
    "--repository", is_flag=True, help="Change it for this repository only; it counts once it is committed."
)


@click.group("prompts")
def command() -> None:
    """The words agents are given. Changes are kept in your own folder and count from the next call on."""


@command.command("list")
@json_flag
def list_(as_json: bool) -> None:
    """Every prompt in force and where it comes from."""
    from thoughtforge.cli.ends import print_json
    from thoughtforge.service.prompts import listed

    files = listed(_known())
    if as_json:
        shown = ("name", "layer", "path", "digest")
        rows = [{key: getattr(file, key) for key in shown} for file in files]
        print_json({"ok": True, "exit_code": 0, "prompts": rows})
        return
    for file in files:
        click.echo(f"{file.name:<20} {file.layer:<9} {file.path}")


@command.command("show")
@click.argument("name")
@json_flag
def show(name: str, as_json: bool) -> None:
    """The text of one prompt as it is in force."""
    from thoughtforge.cli.ends import print_json

    file = _known().find("prompts", name)
    if as_json:
        print_json({"ok": True, "exit_code": 0, "prompt": file._asdict()})
        return
    click.echo(file.text, nl=not file.text.endswith("\n"))


@command.command("edit")
@click.argument("name")
@click.option("--file", "-f", type=click.Path(path_type=Path), help="Take the text from a file; - is stdin.")
@repository_flag
@json_flag
def edit(name: str, file: Path | None, repository: bool, as_json: bool) -> None:
    """Change a prompt in your editor ($VISUAL or $EDITOR), or take a new text from a file."""
    from thoughtforge.service.prompts import save

    catalog, path = _target(name, repository)
    before = next((one.text for one in catalog.all("prompts", name)), "")
    text = _edited(before) if file is None else _given(file)
    if text is None:
        _tell("kept", path, "Nothing was changed.", as_json)
        return
    changed = save(name, text, path, catalog=catalog)
    _tell("saved", changed.path, changed.note, as_json)


@command.command("reset")
@click.argument("name")
@repository_flag
@json_flag
def reset_(name: str, repository: bool, as_json: bool) -> None:
    """Take your change of a prompt back."""
    from thoughtforge.service.prompts import reset

    catalog, path = _target(name, repository)
    changed = reset(name, path, catalog=catalog)
    _tell("removed", changed.path, changed.note, as_json)


def _known() -> Catalog:
    """What is in force here."""
    from thoughtforge.cli.here import known_here

    return known_here().catalog


def _target(name: str, repository: bool) -> tuple[Catalog, Path]:
    from thoughtforge.kernel.errors import Mistake
    from thoughtforge.service.prompts import place
    from thoughtforge.settings.environment import find_repository, user_folder

    catalog = _known()
    if not repository:
        return catalog, place(name, user_folder())
    root = find_repository(Path.cwd())
    if root is None:
        raise Mistake("there is no repository here", do="Leave --repository out: your own folder is used then.")
    return catalog, place(name, root / ".thoughtforge")


def _edited(before: str) -> str | None:
    """What the person made of it; None when they left it as it was."""
    after = click.edit(before, extension=".md")
    return None if after is None or after == before else after


def _given(file: Path) -> str:
    from thoughtforge.cli.files import read_text

    return sys.stdin.read() if str(file) == "-" else read_text(file)


def _tell(word: str, path: Path, note: str, as_json: bool) -> None:
    from thoughtforge.cli.ends import print_json

    if as_json:
        print_json({"ok": True, "exit_code": 0, word: str(path), "note": note})
        return
    click.echo(f"{path}: {word}. {note}")
