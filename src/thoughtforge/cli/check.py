"""thoughtforge check."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag

BROKEN = 5
"""A check could not run, so nobody knows whether there are findings."""
FORMATS = ("text", "json", "sarif", "junit", "github")


@click.command("check", epilog="Exit codes: 0 clean, 1 findings, 2 usage or configuration, 5 a check could not run.")
@click.argument("paths", nargs=-1)
@click.option("--new-since", "new_since", metavar="REV", help="Count only what this commit does not have already.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How to print the findings.")
@json_flag
def command(paths: tuple[str, ...], new_since: str | None, form: str, as_json: bool) -> None:
    """Run every check on the files of this repository as they are now, or only on PATHS.

    Configuration is read from the newest commit, or from REV; what is not committed does not count.
    """
    from thoughtforge import __version__
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import DONE, FAILED, Leave, print_json
    from thoughtforge.gate.report import as_data, written
    from thoughtforge.service.check import run_check

    checked = run_check(make_app(), paths, new_since=new_since)
    verdict = checked.verdict
    code = BROKEN if verdict.broken else FAILED if verdict.new else DONE
    for warning in checked.warnings:
        click.echo(f"! {warning}", err=True)
    if as_json or form == "json":
        facts = {"base": checked.base, "files": checked.files, "warnings": list(checked.warnings)}
        print_json({"ok": code == DONE, "exit_code": code, **facts, **as_data(verdict)})
    else:
        click.echo(written(verdict, form, version=__version__), nl=False)
    raise Leave(code)
