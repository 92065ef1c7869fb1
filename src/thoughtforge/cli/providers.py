"""thoughtforge providers list|test."""

from __future__ import annotations

import asyncio

import click

from thoughtforge.cli.flags import json_flag


@click.group("providers")
def command() -> None:
    """How models and coding agents are reached, and how each of them stands."""


@command.command("list")
@json_flag
def list_(as_json: bool) -> None:
    """Every provider of the configuration, and every coding agent that could be one; nothing is sent."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.service.app import App
    from thoughtforge.service.providers import Standing, known_agents, standing

    async def look(app: App) -> tuple[list[Standing], list[Standing]]:
        ours = [await standing(app, name) for name in app.loaded.config.providers]
        return ours, await known_agents(app)

    app = make_app()
    configured, agents = asyncio.run(look(app))
    waiting = not app.loaded.trust.in_effect
    if as_json:
        rows = {"configured": [one._asdict() for one in configured], "agents": [one._asdict() for one in agents]}
        print_json({"ok": True, "exit_code": 0, **rows, "trusted": not waiting})
        return
    click.echo("configured:" if configured else "configured: none")
    if waiting:
        click.echo(f"  providers in {app.loaded.path} wait for your trust\n  → Read them: thoughtforge trust")
    for one in configured:
        click.echo(f"  {one.name:<16} {one.kind:<14} {one.state:<15} {one.model}  {one.version}  {one.detail}".rstrip())
    click.echo("coding agents on this machine:")
    for one in agents:
        click.echo(f"  {one.name:<16} {one.kind:<14} {one.state:<15} {one.version}".rstrip())


@command.command("test")
@click.argument("name")
@json_flag
def test(name: str, as_json: bool) -> None:
    """Ask one provider of the configuration a tiny question and say what came of it."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import DONE, FAILED, Leave, print_json
    from thoughtforge.service.providers import tried

    found = asyncio.run(tried(make_app(), name))
    code = DONE if found.state == "working" else FAILED
    if as_json:
        print_json({"ok": code == DONE, "exit_code": code, "provider": found._asdict()})
        raise Leave(code)
    price = "" if found.usd is None else f", ${found.usd:.6f}"
    click.echo(f"{found.name}: {found.state}: {found.detail}{price}" + (f"\n    → {found.do}" if found.do else ""))
    raise Leave(code)
