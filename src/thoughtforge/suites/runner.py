"""What a runner adapter is, and which of them fits a repository."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol, cast

from thoughtforge.catalog import extension, extension_names
from thoughtforge.sandbox.box import Boxed
from thoughtforge.suites.result import Command, Job, Report


class Runner(Protocol):
    """What a file in runners/ offers. Its name is the file's name.

    A test's id is `path::name` where the runner knows the file; further names and parameters come behind the name,
    parameters in square brackets.
    """

    DESCRIPTION: str
    LANGUAGE: str
    RANK: int
    """When several fit a repository, the smallest one is used."""
    PROGRAMS: tuple[str, ...]
    """Programs of the machine it needs."""
    CONFIG: tuple[str, ...]
    """Globs of the files that say how the tests are run; a job carries them as the base commit has them."""
    COMPILES_TOGETHER: bool
    """Whether one test file that does not compile takes the others with it."""

    def applies(self, paths: Collection[str], read: Callable[[str], str]) -> bool:
        """Whether the repository's tests are run this way."""
        ...

    def is_test(self, path: str) -> bool:
        """Whether a file is a test or belongs to the tests."""
        ...

    def names(self, path: str, text: str) -> tuple[str, ...]:
        """Ids without parameters of the tests in a file that cannot be run yet, as far as its text shows them."""
        ...

    def command(self, job: Job) -> Command:
        """How to run a job."""
        ...

    def read(self, job: Job, ended: Boxed) -> Report:
        """What a command came to."""
        ...


def runner(name: str) -> Runner:
    """The adapter of that name; a wrong name lists what exists."""
    return cast(Runner, extension("runners", name))


def fitting(paths: Collection[str], read: Callable[[str], str]) -> tuple[str, ...]:
    """The names of the runners that fit a repository, the preferred one first."""
    known = sorted((runner(name).RANK, name) for name in extension_names("runners"))
    return tuple(name for _, name in known if runner(name).applies(paths, read))
