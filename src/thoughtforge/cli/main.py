"""The command line: a table of commands, each loaded only when it is called; every end has its exit code."""

from __future__ import annotations

import importlib
import sys
from typing import Any, NamedTuple

import click

from thoughtforge import __version__


class CommandEntry(NamedTuple):
    """One command: its line of help, and where it is: `module.function` in this folder."""

    help: str
    place: str


COMMANDS: dict[str, CommandEntry] = {
    "design": CommandEntry("Turn a request about this repository into a verified specification.", "start.design"),
    "start": CommandEntry("Take a request as far as its goal asks for.", "start.start"),
    "think": CommandEntry("Turn a brain dump into a plan or code.", "start.think"),
    "forge": CommandEntry("Write a change plan that a second agent attacks.", "forge.forge"),
    "plan": CommandEntry("Show, approve and implement change plans.", "plan.plan"),
    "chat": CommandEntry("Talk with a thought.", "chat.chat"),
    "say": CommandEntry("Say something to a task: request changes, answer, or hint.", "decide.say"),
    "distill": CommandEntry("End the brain dump and put it in order.", "decide.distill"),
    "confirm": CommandEntry("Accept the version a task shows you and continue.", "decide.confirm"),
    "provide": CommandEntry("Answer a task or give a stuck build what it needs, and continue.", "decide.provide"),
    "override": CommandEntry("Accept what is open and continue, or end.", "decide.override"),
    "terminate": CommandEntry("End a task for good; it keeps what it made.", "decide.terminate"),
    "status": CommandEntry("Show all tasks, or one in full.", "status.status"),
    "continue": CommandEntry("Continue a task (also: resume).", "resume.resume"),
    "pause": CommandEntry("Ask a running task to stop after its current step.", "decide.pause"),
    "hint": CommandEntry("Give a task a hint for its next step.", "decide.hint"),
    "abort": CommandEntry("End a task for good, without asking.", "decide.abort"),
    "escalations": CommandEntry("List the questions that wait for a person.", "inspect.escalations"),
    "resolve": CommandEntry("Answer a question.", "decide.resolve"),
    "approve": CommandEntry("Accept the version a task shows you.", "decide.approve"),
    "feedback": CommandEntry("Request changes to it.", "decide.feedback"),
    "reject": CommandEntry("Send it back to the stage before.", "decide.reject"),
    "diff": CommandEntry("Show what a task has changed.", "result.diff"),
    "apply": CommandEntry("Bring a task's result onto your current branch.", "result.apply"),
    "discard": CommandEntry("Remove the branch a task delivered from your repository.", "result.discard"),
    "attach": CommandEntry("Continue a task in this repository after you moved or copied it.", "result.attach"),
    "check": CommandEntry("Run the gate on this repository.", "check.check"),
    "fix": CommandEntry("Remove one finding of the gate.", "start.fix"),
    "inspect": CommandEntry("Look at a task's result, record or one step in full.", "inspect.inspect"),
    "verify": CommandEntry("Prove that a task's record is complete and unchanged.", "inspect.verify"),
    "cost": CommandEntry("Show what a task used, by stage, role and model.", "inspect.cost"),
    "init": CommandEntry("Prepare a ThoughtForge home for this repository.", "home.init"),
    "doctor": CommandEntry("Check this machine and configuration.", "home.doctor"),
    "trust": CommandEntry("Show and allow the settings that came with this repository.", "config.trust"),
    "providers": CommandEntry("List models and coding agents, and try one.", "providers.providers"),
    "config": CommandEntry("Show or edit the configuration.", "config.config"),
    "contracts": CommandEntry("List, show and apply the contracts of artifacts.", "definitions.contracts"),
    "schema": CommandEntry("Print the JSON Schema of a contract, event or setting.", "definitions.schema"),
    "pipelines": CommandEntry("List, show and check pipelines.", "definitions.pipelines"),
    "roles": CommandEntry("List, show and check roles.", "definitions.roles"),
    "polish": CommandEntry("Try the guards of the polish loop on a recorded history.", "polish.polish"),
    "prompts": CommandEntry("List, show and change the prompts of the agents.", "prompts.prompts"),
    "notify": CommandEntry("Try the channels that notify people.", "providers.notify"),
    "demo": CommandEntry("Carry a request to a branch of a sample repository, with scripted replies.", "demo.demo"),
    "prune": CommandEntry("Remove old finished tasks.", "home.prune"),
    "completion": CommandEntry("Print the shell completion script.", "home.completion"),
}
"""In the order people meet them."""

ALIASES = {"resume": "continue"}


class Lazy(click.Group):
    """Imports a command's module when the command is called, so that --help and --version stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name or alias, imported now."""
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        module, _, function = COMMANDS[name].place.partition(".")
        command: click.Command = getattr(importlib.import_module(f"thoughtforge.cli.{module}"), function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of --help, without importing a command for its help text."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As usual, but the error for an unknown word names the nearest known one."""
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
@click.option("-v", "--verbose", count=True, help="Print diagnostic lines on stderr; -vv prints more.")
def cli(verbose: int) -> None:
    """ThoughtForge carries a thought to a verified deliverable: it measures results and trusts no agent."""
    if verbose:
        from thoughtforge.cli.diagnostics import show_diagnostics

        show_diagnostics(verbose)


def main() -> None:
    """Run a command and leave with its exit code."""
    from thoughtforge.cli.exit_codes import guarded

    sys.exit(guarded(cli))
