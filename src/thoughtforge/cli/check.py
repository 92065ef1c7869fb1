"""thoughtforge check: the gate on this repository."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag

FORMATS = ("text", "json", "sarif", "junit", "github")


@click.command("check", epilog="Exit codes: 0 clean, 1 findings, 2 usage or configuration, 5 a check could not run.")
@click.argument("paths", nargs=-1)
@click.option("--new-since", "new_since", metavar="REV", help="Count only findings that this commit does not have.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How to print the findings.")
@json_flag
def check(paths: tuple[str, ...], new_since: str | None, form: str, as_json: bool) -> None:
    """Run every check on the files of this repository as they are now, or only on PATHS.

    It reads the configuration from the newest commit, or from REV; uncommitted configuration does not count.
    """
    import asyncio

    from thoughtforge import __version__
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import BROKEN, DONE, FAILED, Leave, print_value
    from thoughtforge.service.check import check as run
    from thoughtforge.service.check import report_data, report_text

    checked = asyncio.run(run(make_app(), paths, new_since=new_since))
    verdict = checked.verdict
    code = BROKEN if verdict.broken else FAILED if verdict.new else DONE
    for warning in checked.warnings:
        click.echo(f"! {warning}", err=True)
    if as_json or form == "json":
        print_value(report_data(checked), code=code)
    else:
        click.echo(report_text(checked, form, version=__version__), nl=False)
    raise Leave(code)
