"""Rules on paths and ids that several contracts share; each is made for the places of one contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from thoughtforge.contracts.given import Given
from thoughtforge.contracts.shape import find, texts
from thoughtforge.kernel.model import JsonObject, Problem

Rule = Callable[[JsonObject, Given], Iterator[Problem]]

DRIVE = re.compile(r"[A-Za-z]:")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def path_problem(path: str) -> str:
    """Why a path is not a normalised relative path inside the repository; empty when it is one."""
    segments = path.split("/")
    if not path.strip():
        return "is empty"
    if CONTROL.search(path) or path != path.strip():
        return "has control characters or white space at its ends"
    if "\\" in path:
        return "has a backslash; write / between folders"
    if path.startswith(("/", "~")) or DRIVE.match(path):
        return "is absolute; give it relative to the repository"
    if ".." in segments:
        return "leaves the repository"
    if ".git" in (segment.lower() for segment in segments):
        return "lies in a git directory"
    if "" in segments or "." in segments:
        return "is not normalised; leave out empty and . parts"
    return ""


def paths_inside(*places: str) -> Rule:
    """Every path at the places is relative, normalised and inside the repository."""

    def rule(artifact: JsonObject, given: Given) -> Iterator[Problem]:
        for where, path in texts(artifact, *places):
            problem = path_problem(path)
            if problem:
                yield Problem(where=where, what=f"the path {path[:80]!r} {problem}")

    return rule


def files_exist(*places: str) -> Rule:
    """Every path at the places is a file of the repository."""

    def rule(artifact: JsonObject, given: Given) -> Iterator[Problem]:
        for where, path in texts(artifact, *places):
            if given.paths is not None and path not in given.paths:
                yield Problem(where=where, what=f"the repository has no file {path[:80]!r}")

    return rule


def files_new(*places: str) -> Rule:
    """No path at the places is a file of the repository yet; tests that were brought along may be."""

    def rule(artifact: JsonObject, given: Given) -> Iterator[Problem]:
        brought = {path for _, path in texts(given.artifacts.get("test_suite", {}), "test_files[].path")}
        for where, path in texts(artifact, *places):
            if given.paths is not None and path in given.paths and path not in brought:
                yield Problem(where=where, what=f"the repository already has the file {path[:80]!r}")

    return rule


def unique(*places: str) -> Rule:
    """No text occurs twice at the places taken together."""

    def rule(artifact: JsonObject, given: Given) -> Iterator[Problem]:
        first: dict[str, str] = {}
        for where, value in texts(artifact, *places):
            if value in first:
                yield Problem(where=where, what=f"{value[:80]!r} is used already at {first[value]}")
            first.setdefault(value, where)

    return rule


def refers(place: str, *, contract: str, key: str) -> Rule:
    """The reference at the place names the artifact upstream, when there is one."""

    def rule(artifact: JsonObject, given: Given) -> Iterator[Problem]:
        wanted = given.artifacts.get(contract, {}).get(key)
        for where, value in find(artifact, place):
            if isinstance(wanted, str) and value != wanted:
                yield Problem(where=where, what=f"expected {wanted!r}, the {key} of the {contract}")

    return rule


def names_known(*places: str, kind: str) -> Rule:
    """Every name at the places is one the engine has; `kind` is a field of Given. An empty text names nothing."""

    def rule(artifact: JsonObject, given: Given) -> Iterator[Problem]:
        known: frozenset[str] = getattr(given, kind)
        for where, name in texts(artifact, *places):
            if known and name and name not in known:
                yield Problem(where=where, what=f"{name[:80]!r} is unknown; the {kind} are {', '.join(sorted(known))}")

    return rule
