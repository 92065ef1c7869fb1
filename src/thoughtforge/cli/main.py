"""The command line: one file per command, loaded only when it is called; every end has its exit code."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from thoughtforge import __version__

COMMANDS: dict[str, str] = {
    "design": "Turn a request about this repository into a verified specification.",
    "start": "Take a request as far as its goal asks for.",
    "think": "Turn a brain dump into a plan or code.",
    "chat": "Talk with a thought.",
    "say": "Say something to a thought; it answers.",
    "distill": "Everything is said; put it in order.",
    "confirm": "Accept what a thought shows you and go on.",
    "provide": "Give a stuck build what it needs.",
    "override": "Go on, or end, in spite of what was found.",
    "terminate": "End a thought for good; what it made is kept.",
    "status": "Show all tasks, or one in full.",
    "continue": "Go on with a task (also: resume).",
    "pause": "Ask a running task to rest after its current step.",
    "hint": "Tell a task something; it enters the next context.",
    "abort": "End a task for good; what it made is kept.",
    "escalations": "List the questions that wait for a person.",
    "resolve": "Answer a question.",
    "approve": "Accept the version a task shows you.",
    "feedback": "Ask for a revision of it.",
    "reject": "Send it back to the stage before.",
    "diff": "Show what a task has changed.",
    "apply": "Bring a task's result onto the branch you are on.",
    "discard": "Take the branch a task delivered out of your repository.",
    "attach": "Continue a task in this repository after you moved or copied it.",
    "check": "Run the gate on this repository.",
    "fix": "Remove one finding of the gate.",
    "inspect": "Look at a task's result, record or one step in full.",
    "verify": "Prove that a task's record is whole and unchanged.",
    "cost": "Show what a task used, by stage, role and model.",
    "init": "Prepare a ThoughtForge home for this repository.",
    "doctor": "Check this machine and configuration.",
    "trust": "Show and allow the settings that came with this repository.",
    "providers": "List models and coding agents, and try one.",
    "config": "Show or edit the configuration.",
    "contracts": "List, show and apply the contracts of artifacts.",
    "schema": "Print the JSON Schema of a contract, event or setting.",
    "pipelines": "List, show and check pipelines.",
    "roles": "List, show and check roles.",
    "polish": "Try the guards of the polish loop on a recorded history.",
    "prompts": "List, show and change the words agents are given.",
    "notify": "Try the channels people are told on.",
    "demo": "Carry a request to a branch of a sample repository, with scripted replies.",
    "prune": "Remove old finished tasks.",
    "completion": "Print the shell completion script.",
}
"""Name → one line of help. A command is the file of its name."""

ALIASES = {"resume": "continue"}
FILES = {"continue": "continue_"}


class Lazy(click.Group):
    """Imports a command's file when the command is called, so that --help and --version stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name or alias, imported now."""
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"thoughtforge.cli.{FILES.get(name, name)}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of --help, without importing a command for its own words."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As usual, but an unknown word is told together with the nearest known one."""
        word = args[0] if args else ""
        if word and not word.startswith("-") and word not in COMMANDS and word not in ALIASES:
            import difflib

            near = difflib.get_close_matches(word, [*COMMANDS, *ALIASES], n=1)
            raise click.UsageError(f"there is no command {word!r}{f'; did you mean {near[0]}?' if near else ''}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Lazy,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed or halted, 2 usage or configuration, "
    "3 needs a person, 4 budget, 5 a check could not run, 130 interrupted.",
)
@click.version_option(__version__, prog_name="thoughtforge")
@click.option("-v", "--verbose", count=True, help="Tell on stderr what happens at the edges; -vv tells more.")
def cli(verbose: int) -> None:
    """ThoughtForge carries a thought to a verified deliverable: the engine measures, it never believes."""
    if verbose:
        from thoughtforge.cli.diagnostics import tell

        tell(verbose)


def main() -> None:
    """Run a command and leave with its exit code."""
    from thoughtforge.cli.ends import guarded

    sys.exit(guarded(cli))
