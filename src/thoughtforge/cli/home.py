"""The commands for this machine and its home folder: init, doctor, prune and completion."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag

SIGNS = {"ok": "✔", "warn": "!", "bad": "✘"}
TRUST = "  → Read and allow the settings that came with it: thoughtforge trust"


@click.command("init")
@json_flag
def init(as_json: bool) -> None:
    """Prepare a ThoughtForge home for this repository: folders, .gitignore and config.yaml."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value

    app = make_app()
    loaded = app.loaded
    if as_json:
        data = {"home": str(app.home.root), "config": str(loaded.path), "created": loaded.created}
        print_value({**data, "trusted": loaded.trust.in_effect})
        return
    click.echo(f"home {app.home.root}")
    click.echo(f"{'created' if loaded.created else 'kept'} {loaded.path}")
    if not loaded.trust.in_effect:
        click.echo(TRUST)
    elif loaded.config.provider is None:
        click.echo("  → Name a provider: thoughtforge config edit, then: thoughtforge doctor")


@click.command("doctor")
@click.option("--ask", is_flag=True, help="Send each configured provider a tiny question too.")
@json_flag
def doctor(ask: bool, as_json: bool) -> None:
    """Check this machine, the home folder, the configuration and the providers; without --ask it sends nothing."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import DONE, USAGE, Leave, plain, print_value
    from thoughtforge.service.doctor import examine

    findings = asyncio.run(examine(make_app(), ask=ask))
    code = USAGE if any(finding.level == "bad" for finding in findings) else DONE
    if as_json:
        print_value({"findings": findings}, code=code)
        raise Leave(code)
    for finding in findings:
        text = f"{SIGNS[finding.level]} {finding.what}" + (f"\n    → {finding.do}" if finding.do else "")
        click.echo(plain(text))
    raise Leave(code)


@click.command("prune")
@click.option(
    "--older-than",
    "days",
    type=click.FloatRange(min=0),
    default=30,
    show_default=True,
    help="Days since the last event.",
)
@click.option("--halted", is_flag=True, help="Halted tasks too, not only finished ones.")
@click.option("--yes", is_flag=True, help="Remove them; without it the command only lists them.")
@json_flag
def prune(days: float, halted: bool, yes: bool, as_json: bool) -> None:
    """Remove finished tasks nobody has touched for a while; without --yes the command only lists them."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.prune import Pruned, prunable
    from thoughtforge.service.prune import prune as remove

    app = make_app()
    tasks = prunable(app, days=days, halted=halted)
    removed, kept = asyncio.run(remove(app, tasks)) if yes else Pruned([], {})
    if as_json:
        print_value({"tasks": tasks, "removed": removed, "kept": kept})
        return
    for task in tasks:
        if task in kept:
            click.echo(f"kept {task}: {kept[task]}")
        else:
            click.echo(f"{'removed' if yes else 'would remove'} {task}")
    do = "" if yes or not tasks else "\n  → Do it: thoughtforge prune --yes"
    click.echo(f"{len(removed) if yes else len(tasks)} tasks{do}")


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of SHELL, for example: eval "$(thoughtforge completion bash)"."""
    from click.shell_completion import get_completion_class

    from thoughtforge.cli.main import cli

    found = get_completion_class(shell)
    if found is not None:
        click.echo(found(cli, {}, "thoughtforge", "_THOUGHTFORGE_COMPLETE").source())
