"""What a runner adapter is, and which of them fits a repository."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from types import ModuleType
from typing import Protocol, cast

from thoughtforge.catalog import added_extensions
from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox.box import Boxed
from thoughtforge.suites.language import languages
from thoughtforge.suites.result import Command, Job, Report


class Runner(Protocol):
    """What a file in languages/NAME/runners/ offers. Its name is the file's name.

    A test's id is `path::name` where the runner knows the file; further names and parameters come behind the name,
    parameters in square brackets.
    """

    DESCRIPTION: str
    LANGUAGE: str
    """The folder in languages/ it belongs to."""
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
    folders = _folders()
    if name not in folders:
        raise Mistake(f"there is no runner {name!r}", do=f"Known: {', '.join(folders)}")
    return cast(Runner, folders[name][name])


def runner_names() -> tuple[str, ...]:
    """Every runner, in the order of their names."""
    return tuple(_folders())


def fitting(paths: Collection[str], read: Callable[[str], str]) -> tuple[str, ...]:
    """The names of the runners that fit a repository, the preferred one first."""
    return tuple(name for name in preferred() if runner(name).applies(paths, read))


def preferred() -> tuple[str, ...]:
    """Every runner, the one that is used first when several fit first."""
    return tuple(sorted(runner_names(), key=lambda name: (runner(name).RANK, name)))


@cache
def _folders() -> Mapping[str, Mapping[str, ModuleType]]:
    """Name of a runner → the runners of its language; those that other distributions add come first."""
    known = [*(each.runners for each in languages().values()), added_extensions("runners")]
    return dict(sorted((name, runners) for runners in known for name in runners))
