"""What a language and its test runners offer to the engine, and which of them fits a repository."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any, NamedTuple, Protocol, cast

from thoughtforge.catalog import added_extensions, extension, extension_names
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.install import InstallPlan, LockPlan, ToInstall
from thoughtforge.testing.report import Environment, RunnerCommand, SuiteReport, SuiteRun
from thoughtforge.workspaces.text import FileText


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

    def command(self, job: SuiteRun) -> RunnerCommand:
        """How to run a job."""
        ...

    def read(self, job: SuiteRun, ended: SandboxResult) -> SuiteReport:
        """What a command came to."""
        ...


def runner(name: str) -> Runner:
    """The adapter of that name; a wrong name lists what exists."""
    folders = _folders()
    if name not in folders:
        raise UserError(f"there is no runner {name!r}", do=f"Known: {', '.join(folders)}")
    return cast(Runner, folders[name][name])


def runner_name(adapter: Runner) -> str:
    """What an adapter is called: the name of its file."""
    return str(getattr(adapter, "__name__", "")).rpartition(".")[2]


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


Requirement = tuple[str, str]
"""A package's name and the versions asked for."""


class ChangedTests(NamedTuple):
    """A test file with other expected values."""

    text: str
    tests_without: tuple[str, ...]
    """Tests in which nothing could be changed, as `path::Class::name`: they assert nothing the engine knows."""
    tests_weak: tuple[str, ...] = ()
    """Tests whose statements could only be turned round: they expect no value."""


class FileImports(NamedTuple):
    """What a file of the tests says of itself."""

    names: frozenset[str]
    has_tests: bool


class ModuleImports(NamedTuple):
    """Who imports whom among the files of a language."""

    internal: dict[str, tuple[str, ...]]
    """Module → the modules of the project it imports."""
    files: dict[str, str]
    """Module → its file."""
    skipped: tuple[str, ...]
    """Files that could not be read, each with the reason."""


class Reached(NamedTuple):
    """How packages are reached beyond variables: settings a person has in files."""

    env: Mapping[str, str]
    """Variables that name these files, where they are not found in a box by themselves."""
    files: tuple[Path, ...]


class Declaring(NamedTuple):
    """A file that declares dependencies, and its new text."""

    path: str
    text: str


class PlainNeeds(NamedTuple):
    """What the files of a new project ask the engine to install, when an agent wrote them."""

    names: tuple[str, ...] = ()
    """Packages that the usual index has, by name."""
    refused: tuple[str, ...] = ()
    """Everything that is more than a name and a version, with its file: addresses, other indexes, programs."""


class Dependencies(NamedTuple):
    """How a language's projects declare and install what they need."""

    declares: Mapping[str, Callable[[str], Iterable[Requirement]]]
    """Pattern of a file's name → what its text declares."""
    install: Callable[[ToInstall], InstallPlan | None]
    """How the dependencies are installed; None when the repository asks for nothing."""
    plain: Callable[[Collection[str], Callable[[str], str]], PlainNeeds] | None = None
    """What `install` would install, by paths and texts. Without this it installs nothing that an agent declared."""
    locks: tuple[str, ...] = ()
    """Names of files that package managers write about what is declared."""
    lock: Callable[[Collection[str], Callable[[str], str]], LockPlan | None] | None = None
    """How the lock is made that `install` needs, by paths and texts; None when it is there and fits, or none is needed.
    A language that has this lets no agent write its locks."""
    variables: tuple[str, ...] = ()
    """Patterns of environment variables that say how packages are reached: indexes, proxies, certificates."""
    own_places: tuple[str, ...] = ()
    """Variables among them that say where to write; the engine decides that."""
    reached: Callable[[Mapping[str, str], Path, Path], Reached] | None = None
    """The person's settings in files: variables, home folder, folder of the system's settings."""
    manifests: tuple[str, ...] = ()
    """Files in which `add` declares a dependency; empty when it cannot."""
    add: Callable[[Mapping[str, str], Sequence[str]], Declaring] | None = None
    """Declares further dependencies: path → text of the manifests, lines to add."""
    standard: frozenset[str] = frozenset()
    """Modules of the language itself, which nobody needs to declare."""


class Tools(NamedTuple):
    """What the tools of a language obey: comments that silence them, and files that configure them."""

    silencing: Mapping[str, str] = {}
    """Kind → pattern of a comment that silences a tool, without the comment's mark."""
    silencing_code: Mapping[str, str] = {}
    """Kind → pattern of code that silences a tool."""
    comments: Callable[[str], Mapping[int, str] | None] | None = None
    """The comments of a text by line; None when it cannot be read. Without this every match counts as a comment."""
    files: tuple[str, ...] = ()
    """Patterns of names of files that configure a tool, matched whatever their case."""
    folders: tuple[str, ...] = ()
    """Folders in which everything is configuration."""
    settings: Mapping[str, Callable[[str], dict[str, Any]]] = {}
    """Name of a file that is configuration in parts → how those parts are read."""


class Proofs(NamedTuple):
    """What can be proved for a language beyond running its tests. An empty field is a proof that is not run."""

    spoiled: Callable[[str], str] | None = None
    """The text of a file that cannot be used and says this mark; without it a text that compiles in no language."""
    stubbed: Callable[[str, str], str] | None = None
    """A text whose functions, when they are called, do nothing but say this mark; empty when it cannot be read."""
    idle: Callable[[str], Sequence[str]] | None = None
    """Such a text once for each of several values: its functions do nothing and return it; empty when unreadable."""
    change_expectations: Callable[[Mapping[str, str]], Mapping[str, ChangedTests]] | None = None
    """Test files that belong together, path → text, each with its expected values changed."""
    executable: Callable[[str], frozenset[int]] | None = None
    """The lines of a text that can run; a language that has this measures coverage."""
    import_places: Callable[[SuiteRun], tuple[Path, ...]] | None = None
    """Folders of the tree that held-back cases import from."""
    metadata: Callable[[SuiteRun], Mapping[str, str]] | None = None
    """What an installer would write about the project, for code that asks for its own version: name → text."""
    command_line: Callable[[Sequence[str], SuiteRun], list[str] | None] | None = None
    """A held-back command line whose program is the language's own; None when it is not."""


class Language(NamedTuple):
    """One language, or a family that is built and tested together."""

    title: str
    """As people write it."""
    endings: tuple[str, ...]
    """Endings of files that are its code."""
    comments: Mapping[str, tuple[str, ...]]
    """What begins a comment → endings of the files it is used in, code or not."""
    runners: Mapping[str, ModuleType]
    """Its test runners by name; see `Runner`."""
    words: Mapping[str, str] = {}
    """What people call it, in lower case → the runner to use when its files do not tell."""
    shared: tuple[str, ...] = ()
    """Names of files that configure the runner among other things."""
    building: tuple[str, ...] = ()
    """Names of files that say how a project is built, and sections of shared files that do."""
    never_written: tuple[str, ...] = ()
    """Patterns of files no agent writes: they run code nobody asked for, or belong to a package manager."""
    leaves_behind: tuple[str, ...] = ()
    """Patterns, as in .gitignore, of what running and setting up its code leaves behind; they are nobody's edit."""
    package_files: tuple[str, ...] = ()
    """Patterns of file names that make their folder a package."""
    folder_stems: tuple[str, ...] = ()
    """Names, without ending, of files that stand for their folder."""
    test_names: tuple[str, ...] = ()
    """Patterns of paths of its test files; `module` is the name, without ending, of what such a file tests."""
    fixtures: str = ""
    """Name of a file that serves every test below its folder."""
    imports: Callable[[str, str], FileImports] | None = None
    """What a file imports, by path and text."""
    module_names: Callable[[Collection[str]], Callable[[str], Iterator[str]]] | None = None
    """For all paths of a tree: the names a file can be imported by."""
    modules: Callable[[Mapping[str, FileText]], ModuleImports] | None = None
    """Who imports whom among its files."""
    test_body: Callable[[Sequence[str], str], str] | None = None
    """The text of one test: the names that lead to it, the text of its file. Empty when they lead nowhere."""
    wrong_addition: Callable[[str, str, Collection[str]], Sequence[str]] | None = None
    """What in a text added at the end of a test file could reach the tests above: file, text, names of test modules."""
    dependencies: Dependencies | None = None
    tools: Tools = Tools()
    proofs: Proofs = Proofs()
    script: tuple[str, ...] = ()
    """The command that runs a text as a program, without that text; none where there is no such command."""
    import_line: str = ""
    """The program that only imports `{}`."""
    finding: Callable[[Environment, Mapping[str, str]], Mapping[str, str]] | None = None
    """Variables with which a program in the root finds what tests find: by environment and runner configuration."""
    lacking: str = ""
    """A pattern of the last line of a program that lacks a module; its `name` is the module."""


@cache  # every edit asks again
def languages() -> Mapping[str, Language]:
    """Every language by name: the folders of languages/, and entry points of other distributions."""
    return {name: extension("languages", name).LANGUAGE for name in extension_names("languages")}


def language_of(path: str) -> Language | None:
    """The language a file is written in, by its ending."""
    return by_ending().get(PurePosixPath(path).suffix)


@cache
def by_ending() -> Mapping[str, Language]:
    """Ending of a file → its language."""
    return {ending: each for each in languages().values() for ending in each.endings}


def is_lock(path: str) -> bool:
    """Whether a package manager writes a file about what is declared."""
    return any(PurePosixPath(path).name in rules.locks for rules in dependency_rules())


def locked_by_engine(path: str) -> bool:
    """Whether the engine makes a file where a new project lacks it: what packages it names is nobody's to choose."""
    name = PurePosixPath(path).name
    return any(rules.lock is not None and name in rules.locks for rules in dependency_rules())


def left_behind() -> tuple[str, ...]:
    """What running and setting up code leaves behind, as .gitignore has it, in every language."""
    return tuple(dict.fromkeys(pattern for each in languages().values() for pattern in each.leaves_behind))


def dependency_rules() -> tuple[Dependencies, ...]:
    """Of every language that knows how to install what it needs."""
    return tuple(each.dependencies for each in languages().values() if each.dependencies)
