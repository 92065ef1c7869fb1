"""thoughtforge doctor."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag

SIGNS = {"ok": "✔", "warn": "!", "bad": "✘"}


@click.command("doctor")
@click.option("--ask", is_flag=True, help="Ask each configured provider a tiny question too.")
@json_flag
def command(ask: bool, as_json: bool) -> None:
    """Check this machine, the home folder, the configuration and the providers; without --ask nothing is sent."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import DONE, USAGE, Leave, plain, print_json
    from thoughtforge.service.doctor import examine

    findings = examine(make_app(), ask=ask)
    code = USAGE if any(finding.level == "bad" for finding in findings) else DONE
    if as_json:
        print_json({"ok": code == DONE, "exit_code": code, "findings": [f._asdict() for f in findings]})
        raise Leave(code)
    for finding in findings:
        text = f"{SIGNS[finding.level]} {finding.what}" + (f"\n    → {finding.do}" if finding.do else "")
        click.echo(plain(text))
    raise Leave(code)
