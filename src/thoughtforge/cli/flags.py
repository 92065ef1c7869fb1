"""Options that several commands share, each written once, and the texts people give with them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from thoughtforge.kernel.errors import UserError

F = TypeVar("F", bound=Callable[..., Any])

json_flag = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else there."
)
yes_flag = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
task_argument = click.argument("task", default="last", metavar="TASK")

_CAPS = (
    click.option("--budget-usd", "usd", type=click.FloatRange(min=0), help="The most money the whole task may cost."),
    click.option("--budget-tokens", "tokens", type=click.IntRange(min=0), help="The most tokens it may use."),
    click.option("--max-steps", "steps", type=click.IntRange(min=0), help="The most model calls it may make."),
    click.option("--max-wall", "wall_seconds", type=click.FloatRange(min=0), help="The most seconds it may run."),
    click.option(
        "--allow-unknown-cost",
        "unknown_usd",
        is_flag=True,
        default=None,
        help="Run under a cap on money although the price of a call is unknown.",
    ),
)

_START = (
    click.argument("request", required=False),
    click.option(
        "--file", "-f", "file", type=click.Path(path_type=Path), help="Read the request from a file; - is stdin."
    ),
    click.option("--provider", help="An entry of providers in config.yaml that fills every role."),
    click.option("--through", "--exit-after", "through", metavar="STAGE", help="End after this stage."),
    click.option(
        "--depth",
        type=click.Choice(["auto", "quick", "full"]),
        default="auto",
        show_default=True,
        help="quick hands in at once what belongs together, full stage by stage; auto begins quick.",
    ),
    click.option("--supervised", is_flag=True, help="Ask you after every stage."),
    click.option("--approve", "approve", multiple=True, metavar="STAGE", help="Ask you after this stage; repeatable."),
    click.option("--iterate/--no-iterate", default=False, help="Ask you after every stage that you can revise."),
    click.option("--interactive", is_flag=True, help="Ask you before every action of an agent."),
    click.option("--dry-run", is_flag=True, help="Show stages, providers, caps and an estimate; start nothing."),
    click.option("--detach", is_flag=True, help="Run in the background."),
)


def caps(command: F) -> F:
    """The budget of a task."""
    return _all(command, _CAPS)


def start_options(command: F) -> F:
    """Everything `design` and `start` have in common."""
    return json_flag(caps(_all(command, _START)))


def _all(command: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def given_caps(options: dict[str, Any]) -> dict[str, Any]:
    """The caps a person set."""
    names = ("usd", "tokens", "steps", "wall_seconds", "unknown_usd")
    return {name: options[name] for name in names if options.get(name) is not None}


def read_request(request: str | None, file: Path | None) -> str:
    """The request from the argument, a file or stdin; exactly one of them."""
    if (request is None) == (file is None):
        raise UserError(
            "give the request once: as text or with --file", do='Example: thoughtforge design "Add a --json flag"'
        )
    return text_of(request) if request is not None else read_text(Path(str(file)))


def text_of(text: str) -> str:
    """The text as given, or stdin for a dash."""
    return sys.stdin.read() if text == "-" else text


def read_text(file: Path) -> str:
    """The text of a file a person named; a dash is stdin."""
    if str(file) == "-":
        return sys.stdin.read()
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}", do="Name a text file that exists.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8 text", do="Save it as UTF-8.") from error


def person_there() -> bool:
    """Whether somebody at a terminal can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()
