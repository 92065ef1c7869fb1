"""thoughtforge trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from thoughtforge.cli.flags import json_flag

if TYPE_CHECKING:
    from thoughtforge.service.app import App
    from thoughtforge.settings.trust import Trust


@click.command("trust")
@click.option("--yes", is_flag=True, help="Allow them without asking you.")
@click.option("--revoke", is_flag=True, help="Take your trust back.")
@json_flag
def command(yes: bool, revoke: bool, as_json: bool) -> None:
    """Show the settings of this repository's config.yaml that need your trust, and allow them.

    Providers, endpoints, key variables, channels, connectors and commands of a file that came with a repository take
    effect only after you allowed that very content. Without a terminal or --yes they are only shown; the exit code is
    2 then, unless they are trusted already.
    """
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import DONE, USAGE, Leave, print_json
    from thoughtforge.service import trusting

    app = make_app()
    if revoke:
        trusting.revoke(app)
        app = app.anew()
    trust = app.loaded.trust
    if not as_json:
        _show(trust)
    if not revoke and not trust.in_effect and (yes or (not as_json and _asked())):
        trusting.allow(app)
        trust = _after(app)
    code = DONE if trust.in_effect or revoke else USAGE
    if as_json:
        print_json({"ok": code == DONE, "exit_code": code, **_data(trust), **_error(trust)})
    elif trust.keys:
        click.echo(f"trusted by {trust.allowed_by}" if trust.in_effect else "not trusted: these settings do nothing")
    raise Leave(code)


def _after(app: App) -> Trust:
    """What was allowed is what was shown, also when the file has changed meanwhile."""
    return app.loaded.trust._replace(allowed_by=app.who)


def _asked() -> bool:
    import sys

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        click.echo("  → Allow them: thoughtforge trust --yes", err=True)
        return False
    return click.confirm("Trust these settings?", err=True)


def _show(trust: Trust) -> None:
    from thoughtforge.service.trusting import difference, named_files
    from thoughtforge.settings.trust_table import why

    click.echo(f"{trust.path}")
    if not trust.keys:
        click.echo("no setting here needs your trust")
        return
    for key in trust.keys:
        click.echo(f"  {key}: {why(key)}")
    click.echo(f"\n{trust.text}")
    changes = difference(trust)
    if changes:
        click.echo(f"changed since you trusted them:\n\n{changes}\n")
    for file in named_files(trust):
        click.echo(f"! they name {file}: you trust the path, whatever the repository puts there")
    for line in trust.wrong:
        click.echo(f"! {line}")
    click.echo(f"digest {trust.digest}")


def _error(trust: Trust) -> dict[str, object]:
    """What a command would say that needs these settings."""
    from thoughtforge.kernel.errors import Mistake

    try:
        trust.require()
    except Mistake as mistake:
        return {"error": {"what": mistake.what, "do": mistake.do, "details": list(mistake.details)}}
    return {}


def _data(trust: Trust) -> dict[str, object]:
    from thoughtforge.service.trusting import difference, named_files

    return {
        "path": str(trust.path),
        "trusted": trust.in_effect,
        "by": trust.allowed_by or None,
        "keys": list(trust.keys),
        "settings": trust.text,
        "diff": difference(trust),
        "files": list(named_files(trust)),
        "problems": list(trust.wrong),
        "digest": trust.digest if trust.keys else None,
    }
