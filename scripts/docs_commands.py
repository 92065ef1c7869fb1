"""Every command of the command line, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

import click
from docs_fields import table

from thoughtforge.cli.main import COMMANDS, cli


def commands() -> Iterator[str]:
    """Every command with its arguments and options."""
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        if isinstance(command, click.Group):
            for below in command.commands.values():
                yield from one_command(f"{name} {below.name}", below)
        elif command is not None:
            yield from one_command(name, command)


def one_command(name: str, command: click.Command) -> Iterator[str]:
    """A command as a section. Not click's own help text: its line breaks change from version to version."""
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    words = [argument_word(argument) for argument in arguments]
    yield f"### thoughtforge {' '.join([name, *words])}\n"
    yield f"{' '.join((command.help or '').split())}\n"
    options = [p for p in command.params if isinstance(p, click.Option)]
    if options:
        rows = [(option_word(option), option.help or "") for option in options]
        yield from table(("option", "what it does"), rows)
        yield ""


def argument_word(argument: click.Argument) -> str:
    """An argument as the usage line shows it."""
    word = (argument.metavar or argument.name or "").upper()
    return word if argument.required else f"[{word}]"


def option_word(option: click.Option) -> str:
    """An option's names with what follows them."""
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} {' / '.join(map(str, option.type.choices))}"
    return f"{names} {option.metavar or VALUES.get(type(option.type).__name__, 'TEXT')}"


VALUES = {"Path": "FILE", "IntRange": "N", "IntParamType": "N", "FloatRange": "NUMBER", "FloatParamType": "NUMBER"}
