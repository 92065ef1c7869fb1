"""thoughtforge config show|edit."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from thoughtforge.cli.flags import json_flag


@click.group("config")
def command() -> None:
    """The configuration. It is read anew by every command."""


@command.command("show")
@click.option("--defaults", is_flag=True, help="What holds when nothing is set.")
@json_flag
def show(defaults: bool, as_json: bool) -> None:
    """Print the configuration in force, with every default filled in."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.settings.config import Config
    from thoughtforge.store.viewfiles import to_yaml

    app = make_app()
    config = Config() if defaults else app.loaded.config
    data = config.model_dump(mode="json")
    if as_json:
        facts = {"path": str(app.loaded.path), "trusted": app.loaded.trust.in_effect}
        print_json({"ok": True, "exit_code": 0, **facts, "config": data})
        return
    click.echo("# defaults" if defaults else f"# {app.loaded.path}{' (created from the example)' * app.loaded.created}")
    if not defaults and not app.loaded.trust.in_effect:
        click.echo(f"# not in effect until you trust them: {', '.join(app.loaded.trust.keys)} (thoughtforge trust)")
    click.echo(to_yaml(data), nl=False)


@command.command("edit")
@click.option("--file", "-f", type=click.Path(path_type=Path), help="Take the text from a file; - is stdin.")
@json_flag
def edit(file: Path | None, as_json: bool) -> None:
    """Change config.yaml in your editor ($VISUAL or $EDITOR), or take a new text from a file.

    A text with a mistake in it is not saved. You trust what you write; settings that waited for your trust before still
    wait for it.
    """
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.cli.files import read_text
    from thoughtforge.service.trusting import save_config

    app = make_app()
    before = read_text(app.loaded.path)
    if file is None:
        text = click.edit(before, extension=".yaml") or before
    else:
        text = sys.stdin.read() if str(file) == "-" else read_text(file)
    if text != before:
        app = save_config(app, text)
    if as_json:
        facts = {"path": str(app.loaded.path), "changed": text != before, "trusted": app.loaded.trust.in_effect}
        print_json({"ok": True, "exit_code": 0, **facts})
        return
    click.echo(f"{app.loaded.path}: {'saved' if text != before else 'not changed'}")
    if not app.loaded.trust.in_effect:
        click.echo("  → Read and allow the settings that came with it: thoughtforge trust")
