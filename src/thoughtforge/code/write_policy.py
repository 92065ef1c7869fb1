"""What no agent may write, and the paths a role is held to; a path is made plain or refused.

A constraint is a comma list of patterns: `*` and `?` stay within a folder, `**` crosses folders, a leading `!` forbids.
With patterns that allow, a path must fit one of them; with only `!`, everything else is allowed; a forbidding pattern
always wins, and it counts in any case of letters, because on some disks `Tests/` and `tests/` are one folder.

Composed and decomposed spellings (é as one or two characters) are the same name and become the composed one. A
character that would turn into a different one (the Kelvin sign into K) is refused: whoever reads the two cannot tell
them apart, a file system can. Invisible characters and direction marks are refused for the same reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import PurePosixPath

from thoughtforge.catalog import declared
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Stage
from thoughtforge.workspaces.patterns import any_matches, covering, glob, led

GIT_NAMES = re.compile(r"(\.git|git~\d+)[ .]*(:.*)?", re.IGNORECASE | re.DOTALL)
"""`.git` and every other spelling under which NTFS or HFS+ would open it."""
TESTS = ("tests/**", "tests/**/*")
"""Patterns that stand for the repository's tests, wherever its runner finds them."""
INVISIBLE = {"Cc": "a control character", "Cf": "an invisible character", "Cs": "a broken character"}
INVISIBLE |= {"Zl": "a line break", "Zp": "a line break"}


def clean(path: str) -> str:
    """The plain form of a path inside the repository; everything wrong with another path is said at once."""
    problems = [*_bad_characters(path), *_bad_shape(path)]
    if problems:
        raise UserError(
            f"the path {path!r} is invalid: {'; '.join(problems)}",
            do="Name a file by its path from the root of the repository, such as src/app.py.",
            details=tuple(problems),
        )
    return "/".join(part for part in unicodedata.normalize("NFC", path).split("/") if part not in ("", "."))


def allowed(path: str, constraint: str, is_test: Callable[[str], bool] | None = None) -> bool:
    """Whether a clean path satisfies a constraint; `tests/**` means the files the test runner calls tests."""
    permits, forbids = split(constraint)
    if any(_fits(path, pattern, is_test, fold=True) for pattern in forbids):
        return False
    return not permits or any(_fits(path, pattern, is_test) for pattern in permits)


def _fits(path: str, pattern: str, is_test: Callable[[str], bool] | None, *, fold: bool = False) -> bool:
    if pattern in TESTS and is_test is not None:
        return is_test(path) or (fold and (is_test(path.casefold()) or glob(pattern, fold=True).matches(path)))
    return glob(pattern, fold=fold).matches(path)


def split(constraint: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The allowing and the forbidding patterns of a constraint; one that can fit no clean path is a UserError."""
    patterns = [part.strip() for part in constraint.split(",") if part.strip()]
    plain = [pattern.removeprefix("!").strip() for pattern in patterns]
    wrong = [pattern for pattern, body in zip(patterns, plain, strict=True) if not _usable(body)]
    if wrong:
        raise UserError(
            f"the path constraint {constraint!r} has invalid patterns: {', '.join(wrong)}",
            do="Write patterns from the root of the repository, such as tests/**/* or !docs/**.",
            details=tuple(wrong),
        )
    forbids = tuple(body for pattern, body in zip(patterns, plain, strict=True) if pattern.startswith("!"))
    return tuple(body for pattern, body in zip(patterns, plain, strict=True) if not pattern.startswith("!")), forbids


def _usable(pattern: str) -> bool:
    return "\\" not in pattern and all(part not in ("", ".", "..") for part in pattern.split("/"))


def _bad_shape(path: str) -> list[str]:
    parts = path.split("/")
    names = [part for part in parts if part not in ("", ".")]
    problems = [] if names else ["it names no file"]
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        problems.append("it is absolute")
    if ".." in parts:
        problems.append("it contains ..")
    if "\\" in path:
        problems.append("it contains a backslash")
    visible = ["".join(char for char in part if unicodedata.category(char) != "Cf") for part in parts]
    if any(GIT_NAMES.fullmatch(part) for part in visible):
        problems.append("it is in a git directory")
    return problems


def _bad_characters(path: str) -> list[str]:
    """Each kind of character that must not be in a path, once."""
    found = {f"it contains {INVISIBLE[kind]}" for char in path if (kind := unicodedata.category(char)) in INVISIBLE}
    found |= {f"it contains {char}, which is not {other}" for char in path if (other := _other(char)) is not None}
    return sorted(found)


def _other(char: str) -> str | None:
    """The different character that normalising would put in place of this one."""
    normal = unicodedata.normalize("NFC", char)
    return normal if normal != char and len(normal) == 1 else None


NEVER = (
    ".thoughtforge/**",
    "**/.gitattributes",
    "**/.gitmodules",
    "**/.githooks/**",
    "**/.husky/**",
)
"""Judges and hooks. Providers add what configures agents, languages the files that run code nobody asked for."""

ASKED_FOR = ("**/.github/**", "**/.gitlab-ci.yml", "**/.circleci/**", "**/.envrc", "**/.vscode/**", "**/.idea/**")
"""Files that other machines or programs run by themselves: written only when the specification names them."""


ROOT = PurePosixPath("/repository")
"""Stands for the repository's folder while links are worked out."""
ANY = "\0"
"""A name no file has: whether it would be hidden says whether a whole folder is."""


def agents_own() -> tuple[str, ...]:
    """What would configure or instruct an agent's own program, as each provider declares it."""
    return (*declared("providers", "REPOSITORY_FILES"), *declared("providers", "REPOSITORY_RULES"))


@cache
def never_written() -> tuple[str, ...]:
    """Every pattern of files that no agent writes, whatever a specification says."""
    from thoughtforge.testing.language import languages  # a task that writes no code needs no language

    return (*NEVER, *agents_own(), *(pattern for each in languages().values() for pattern in each.never_written))


def hidden_in(paths: Iterable[str], ignored: Callable[[str], object]) -> tuple[str, ...]:
    """Every path of a tree that a caged agent's program must not find; a folder stands for all that is below it."""
    # its rules are in the prompt, as far as they count
    own = (*(pattern.removesuffix("/**") for pattern in agents_own()), "**/AGENTS.md")

    def unseen(path: str) -> bool:
        return bool(ignored(path)) or any_matches(path, own)

    hidden, seen = set[str](), set[str]()
    for path in paths:
        if unseen(path):
            hidden.add(path)
        else:
            seen.update(_above(path))

    def outermost(path: str) -> str:
        return next((above for above in _above(path) if above not in seen and unseen(f"{above}/{ANY}")), path)

    return tuple(sorted({outermost(path) for path in hidden}))


def behind(links: Mapping[str, str]) -> dict[str, str]:
    """Where links lead whose names are never written: place in the tree → link. Other links are only followed."""
    found = {}
    never = never_written()
    for link in links:
        if not covering(link, never, fold=True):
            continue
        place = led(ROOT, link, lambda at: links.get(str(at.relative_to(ROOT))) if ROOT in at.parents else None)
        if place is not None and ROOT in place.parents:
            found[str(place.relative_to(ROOT))] = link
    return found


def refusal(
    path: str,
    stage: Stage,
    guarded: Callable[[str], str],
    *,
    named: Collection[str] = frozenset(),
    linked: Mapping[str, str] | None = None,
) -> str:
    """Why this stage may not write a clean path; empty when it may.

    `named` are the files of the specification, `linked` the places behind links that are never written; `guarded` says
    why a path that is free so far is not this stage's to write.
    """
    if broken := covering(path, never_written(), fold=True):
        return f"{path} is never written by an agent ({broken})"
    if link := next(
        (link for place, link in (linked or {}).items() if path == place or path.startswith(f"{place}/")), ""
    ):
        return f"{path} is never written by an agent: {link} leads there"
    if path not in named and any(glob(pattern, fold=True).matches(path) for pattern in ASKED_FOR):
        return f"{path} is run by other programs and is only written when the specification names it"
    if stage.write_paths and not allowed(path, stage.write_paths):
        return f"{path} is outside what the stage {stage.name} writes: {stage.write_paths}"
    return guarded(path)


def only_tests(stage: Stage, is_test: Callable[[str], bool]) -> Callable[[str], str]:
    """For a stage that writes tests and nothing else."""
    return lambda path: (
        "" if is_test(path) else f"{path} is no test file of this repository; {stage.name} writes tests only"
    )


def no_tests(stage: Stage, is_test: Callable[[str], bool]) -> Callable[[str], str]:
    """For a stage that leaves the tests as they are; on some disks Tests/ and tests/ are one folder."""
    return lambda path: (
        f"{path} belongs to the tests; {stage.name} leaves them as they are"
        if is_test(path) or is_test(path.casefold())
        else ""
    )


def _above(path: str) -> list[str]:
    """The folders a path is in, the outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
