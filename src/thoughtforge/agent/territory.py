"""What no role may write, what a caged agent must not see, and who may write tests: whatever a role's file says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import PurePosixPath

from thoughtforge.agent.paths import allowed
from thoughtforge.catalog import declared
from thoughtforge.kernel.model import Stage
from thoughtforge.workspaces.globs import any_matches, covering, glob
from thoughtforge.workspaces.links import led

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
    from thoughtforge.suites.language import languages  # a task that writes no code needs no language

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
    is_test: Callable[[str], bool],
    *,
    named: Collection[str] = frozenset(),
    linked: Mapping[str, str] | None = None,
) -> str:
    """Why this stage may not write a clean path; empty when it may.

    `named` are the files of the specification, `linked` the places behind links that are never written.
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
    if stage.output_contract == "test_suite":
        return "" if is_test(path) else f"{path} is no test file of this repository; {stage.name} writes tests only"
    folded = is_test(path) or is_test(path.casefold())  # on some disks Tests/ and tests/ are one folder
    return f"{path} belongs to the tests; {stage.name} leaves them as they are" if folded else ""


def _above(path: str) -> list[str]:
    """The folders a path is in, the outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
