"""What it takes to install a repository's dependencies, as values: the question a language is asked, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from thoughtforge.suites.interpreter import Interpreter

FOLDER = "{folder}"
"""Stands for the environment's folder in commands."""
ASKED = "asked"
"""Where the files a command reads are put, inside the folder."""


class InstallStep(NamedTuple):
    """One command of a set-up."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    network: bool = True
    starts: tuple[str, ...] = ()
    """Programs it starts itself, which lie beside it on this machine."""


class InstallPlan(NamedTuple):
    """Everything that decides what an environment becomes."""

    steps: tuple[InstallStep, ...]
    files: Mapping[str, str] = {}
    """What the commands read: path below the folder → text."""
    notes: tuple[str, ...] = ()
    links: Mapping[str, str] = {}
    """What a checkout is given as a link: path in the checkout → path below the folder."""
    programs: tuple[str, ...] = ()
    """Programs of this machine that the steps need."""
    bins: tuple[str, ...] = ()
    """Folders of programs that the steps install, below the folder."""
    needs_root: bool = False
    """Whether the commands read the checkout itself."""


class ToInstall(NamedTuple):
    """The files of a repository, and what else decides how its dependencies are installed."""

    paths: Collection[str]
    read: Callable[[str], str]
    extra: Sequence[str]
    """Requirements that the specification adds."""
    interpreter: Interpreter
    which: Callable[[str], str | None]
    """Where a program of this machine is; None when it is not installed."""
    variables: Mapping[str, str] = {}
    """How packages are reached, as environment variables of the person's."""


def venv_step(interpreter: Interpreter, *, pip: bool) -> InstallStep:
    """An empty virtual environment; it needs no network."""
    return InstallStep(
        (str(interpreter.python), "-I", "-m", "venv", *(() if pip else ("--without-pip",)), FOLDER), network=False
    )
