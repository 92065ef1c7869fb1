"""thoughtforge init."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.command("init")
@json_flag
def command(as_json: bool) -> None:
    """Prepare a ThoughtForge home for this repository: folders, .gitignore and config.yaml."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json

    app = make_app()
    loaded = app.loaded
    if as_json:
        data = {"home": str(app.home.root), "config": str(loaded.path), "created": loaded.created}
        print_json({"ok": True, "exit_code": 0, **data, "trusted": loaded.trust.in_effect})
        return
    click.echo(f"home {app.home.root}")
    click.echo(f"{'created' if loaded.created else 'kept'} {loaded.path}")
    if not loaded.trust.in_effect:
        click.echo("  → Read and allow the settings that came with it: thoughtforge trust")
    elif loaded.config.provider is None:
        click.echo("  → Name a provider: thoughtforge config edit, then: thoughtforge doctor")
