"""The commands for what a task reaches: providers and notify."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.group("providers")
def providers() -> None:
    """Models and coding agents: which ones there are, and whether they work."""


@providers.command("list")
@json_flag
def list_providers(as_json: bool) -> None:
    """Every provider of the configuration, and every coding agent that could be one; this sends nothing."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.providers import survey_providers

    app = make_app()
    found = asyncio.run(survey_providers(app))
    if as_json:
        print_value(found)
        return
    click.echo("configured:" if found.configured else "configured: none")
    if not found.trusted:
        click.echo(f"  the providers in {app.loaded.path} wait for your trust\n  → Read them: thoughtforge trust")
    for one in found.configured:
        click.echo(f"  {one.name:<16} {one.kind:<14} {one.state:<15} {one.model}  {one.version}  {one.detail}".rstrip())
    click.echo("coding agents on this machine:")
    for one in found.agents:
        click.echo(f"  {one.name:<16} {one.kind:<14} {one.state:<15} {one.version}".rstrip())


@providers.command("test")
@click.argument("name")
@json_flag
def test_provider(name: str, as_json: bool) -> None:
    """Send one provider of the configuration a tiny question and show what it answers."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import DONE, FAILED, Leave, print_value
    from thoughtforge.service.providers import tried

    found = asyncio.run(tried(make_app(), name))
    code = DONE if found.state == "working" else FAILED
    if as_json:
        print_value({"provider": found}, code=code)
        raise Leave(code)
    price = "" if found.usd is None else f", ${found.usd:.6f}"
    click.echo(f"{found.name}: {found.state}: {found.detail}{price}" + (f"\n    → {found.do}" if found.do else ""))
    raise Leave(code)


@click.group("notify")
def notify() -> None:
    """Messages to people: try the channels of config.yaml."""


@notify.command("test")
@click.argument("channel", required=False)
@json_flag
def test_channel(channel: str | None, as_json: bool) -> None:
    """Send a sample notice to CHANNEL, else to the default channel, else to all of them."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import DONE, FAILED, Leave, print_value
    from thoughtforge.service.notify import notify as send
    from thoughtforge.service.notify import sample, wanted

    app = make_app()
    sent = asyncio.run(send(app, sample(app.who), to=wanted(app, channel)))
    code = DONE if all(one.ok for one in sent) else FAILED
    if as_json:
        print_value({"channels": sent}, code=code)
        raise Leave(code)
    for one in sent:
        click.echo(f"{one.channel}: {'sent' if one.ok else one.why}")
    raise Leave(code)
