"""thoughtforge notify test."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.group("notify")
def command() -> None:
    """Messages to people: try the channels of config.yaml."""


@command.command("test")
@click.argument("channel", required=False)
@json_flag
def test(channel: str | None, as_json: bool) -> None:
    """Send a sample notice to CHANNEL, else to the default channel, else to all of them."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import DONE, FAILED, Leave, print_json
    from thoughtforge.service.notices import sample
    from thoughtforge.service.notify import notify, wanted

    app = make_app()
    sent = asyncio.run(notify(app, sample(app.who), to=wanted(app, channel)))
    code = DONE if all(one.ok for one in sent) else FAILED
    if as_json:
        print_json({"ok": code == DONE, "exit_code": code, "channels": [one._asdict() for one in sent]})
        raise Leave(code)
    for one in sent:
        click.echo(f"{one.channel}: {'sent' if one.ok else one.why}")
    raise Leave(code)
