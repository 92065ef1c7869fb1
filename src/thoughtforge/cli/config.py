"""The commands for the configuration: config and trust."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thoughtforge.cli.flags import json_flag, person_there, read_text

if TYPE_CHECKING:
    from thoughtforge.service.app import App
    from thoughtforge.service.trusting import TrustView


@click.group("config")
def config() -> None:
    """The configuration. Every command reads it again."""


@config.command("show")
@click.option("--defaults", is_flag=True, help="Show what holds when nothing is set.")
@json_flag
def show(defaults: bool, as_json: bool) -> None:
    """Print the configuration in force, with every default filled in."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.trusting import config_view
    from thoughtforge.views.yaml_text import to_yaml

    view = config_view(make_app(), defaults=defaults)
    if as_json:
        print_value(view)
        return
    click.echo("# defaults" if defaults else f"# {view.path}{' (created from the example)' * view.created}")
    if not defaults and view.waiting:
        click.echo(f"# no effect until you trust them: {', '.join(view.waiting)} (thoughtforge trust)")
    click.echo(to_yaml(view.config), nl=False)


@config.command("edit")
@click.option("--file", "-f", type=click.Path(path_type=Path), help="Take the text from a file; - is stdin.")
@json_flag
def edit(file: Path | None, as_json: bool) -> None:
    """Change config.yaml in your editor ($VISUAL or $EDITOR), or take a new text from a file.

    A text with a mistake in it is not saved. You trust what you write; settings that waited for your trust before still
    wait for it.
    """
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.cli.home import TRUST
    from thoughtforge.service.trusting import save_config

    app = make_app()
    before = read_text(app.loaded.path)
    text = (click.edit(before, extension=".yaml") or before) if file is None else read_text(file)
    if text != before:
        app = save_config(app, text)
    trusted = app.loaded.trust.in_effect
    if as_json:
        print_value({"path": str(app.loaded.path), "changed": text != before, "trusted": trusted})
        return
    click.echo(f"{app.loaded.path}: {'saved' if text != before else 'not changed'}")
    if not trusted:
        click.echo(TRUST)


@click.command("trust")
@click.option("--yes", is_flag=True, help="Allow them without asking you.")
@click.option("--revoke", is_flag=True, help="Withdraw your trust.")
@json_flag
def trust(yes: bool, revoke: bool, as_json: bool) -> None:
    """Show the settings of this repository's config.yaml that need your trust, and allow them.

    Providers, endpoints, key variables, channels, connectors and commands of a file that came with a repository take
    effect only after you allowed that very content. Without a terminal or --yes the command only shows them; it then
    exits with 2, unless you trust them already.
    """
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import DONE, USAGE, Leave, print_value
    from thoughtforge.service import trusting

    app = make_app()
    if revoke:
        trusting.revoke(app)
        app = app.anew()
    view = trusting.trust_view(app.loaded.trust)
    if not as_json:
        _print_trust(view)
    if not revoke and not view.trusted and (yes or (not as_json and _asked())):
        trusting.allow(app)
        view = trusting.after_allowing(app)
    code = DONE if view.trusted or revoke else USAGE
    if as_json:
        print_value(view, code=code, **({} if view.trusted else _error(app)))
    elif view.keys:
        click.echo(f"trusted by {view.by}" if view.trusted else "not trusted: these settings have no effect")
    raise Leave(code)


def _asked() -> bool:
    if not person_there():
        click.echo("  → Allow them: thoughtforge trust --yes", err=True)
        return False
    return click.confirm("Trust these settings?", err=True)


def _print_trust(view: TrustView) -> None:
    click.echo(view.path)
    if not view.keys:
        click.echo("no setting here needs your trust")
        return
    for key in view.keys:
        click.echo(f"  {key}: {view.why[key]}")
    click.echo(f"\n{view.settings}")
    if view.diff:
        click.echo(f"changed since you trusted them:\n\n{view.diff}\n")
    for file in view.files:
        click.echo(f"! they name {file}: you trust the path, whatever the repository puts there")
    for line in view.problems:
        click.echo(f"! {line}")
    click.echo(f"digest {view.digest}")


def _error(app: App) -> dict[str, Any]:
    """What a command that needs these settings would report."""
    from thoughtforge.kernel.errors import UserError

    try:
        app.require_trust()
    except UserError as mistake:
        return {"error": {"what": mistake.what, "do": mistake.do, "details": list(mistake.details)}}
    return {}
