"""thoughtforge config show."""

from __future__ import annotations

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
        print_json({"ok": True, "exit_code": 0, "path": str(app.loaded.path), "config": data})
        return
    click.echo("# defaults" if defaults else f"# {app.loaded.path}{' (created from the example)' * app.loaded.created}")
    click.echo(to_yaml(data), nl=False)
