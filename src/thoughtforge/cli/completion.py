"""thoughtforge completion SHELL."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL, for example: eval "$(thoughtforge completion bash)"."""
    from click.shell_completion import get_completion_class

    from thoughtforge.cli.main import cli

    found = get_completion_class(shell)
    if found is not None:
        click.echo(found(cli, {}, "thoughtforge", "_THOUGHTFORGE_COMPLETE").source())
