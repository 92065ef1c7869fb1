"""Rules on paths and ids that several contracts share; each is made for the places of one contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.shorthand import WHOLE, find, objects, place, text, texts, words
from thoughtforge.kernel.model import JsonObject, Problem

Rule = Callable[[JsonObject, ValidationContext], Iterator[Problem]]

DRIVE = re.compile(r"[A-Za-z]:")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def path_problem(path: str) -> str:
    """Why a path is not a normalised relative path inside the repository; empty when it is one."""
    segments = path.split("/")
    if not path.strip():
        return "is empty"
    if CONTROL.search(path) or path != path.strip():
        return "has control characters, or white space at its start or end"
    if "\\" in path:
        return "has a backslash; write / between folders"
    if path.startswith(("/", "~")) or DRIVE.match(path):
        return "is absolute; give it relative to the repository"
    if ".." in segments:
        return "leaves the repository"
    if ".git" in (segment.lower() for segment in segments):
        return "is in a git directory"
    if "" in segments or "." in segments:
        return "is not normalised; leave out empty and . parts"
    return ""


def paths_inside(*places: str) -> Rule:
    """Every path at the places is relative, normalised and inside the repository."""

    def rule(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
        for where, path in texts(artifact, *places):
            problem = path_problem(path)
            if problem:
                yield Problem(where=where, what=f"the path {path[:80]!r} {problem}")

    return rule


def files_exist(*places: str) -> Rule:
    """Every path at the places is a file of the repository."""

    def rule(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
        for where, path in texts(artifact, *places):
            if given.paths is not None and path not in given.paths:
                yield Problem(where=where, what=f"the repository has no file {path[:80]!r}")

    return rule


def files_new(*places: str) -> Rule:
    """No path at the places is a file of the repository yet; tests that were brought along may be."""

    def rule(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
        brought = {path for _, path in texts(given.artifacts.get("test_suite", {}), "test_files[].path")}
        for where, path in texts(artifact, *places):
            if given.paths is not None and path in given.paths and path not in brought:
                yield Problem(where=where, what=f"the repository already has the file {path[:80]!r}")

    return rule


def unique(*places: str) -> Rule:
    """No text occurs twice at the places taken together."""

    def rule(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
        first: dict[str, str] = {}
        for where, value in texts(artifact, *places):
            if value in first:
                yield Problem(where=where, what=f"{value[:80]!r} is already used at {first[value]}")
            first.setdefault(value, where)

    return rule


def refers(place: str, *, contract: str, key: str) -> Rule:
    """The reference at the place names the artifact upstream, when there is one."""

    def rule(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
        wanted = given.artifacts.get(contract, {}).get(key)
        for where, value in find(artifact, place):
            if isinstance(wanted, str) and value != wanted:
                yield Problem(where=where, what=f"expected {wanted!r}, the {key} of the {contract}")

    return rule


def names_known(*places: str, kind: str) -> Rule:
    """Every name at the places is one the engine has; `kind` is a field of Given. An empty text names nothing."""

    def rule(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
        known: frozenset[str] = getattr(given, kind)
        for where, name in texts(artifact, *places):
            if known and name and name not in known:
                yield Problem(where=where, what=f"{name[:80]!r} is unknown; the {kind} are {', '.join(sorted(known))}")

    return rule


def wanted_requirements(given: ValidationContext) -> dict[str, JsonObject] | None:
    """The requirements of the specification by id, without those it says will not be met; None without one."""
    specification = given.artifacts.get("specification")
    if specification is None:
        return None
    found = (entry.value for entry in objects(specification, "requirements[]"))
    return {text(entry, "id"): entry for entry in found if text(entry, "id") and entry.get("priority") != "wont"}


def tested_requirements(specification: JsonObject) -> dict[str, JsonObject]:
    """The requirements a test must prove, by id: wanted, and not left to inspection, analysis or demonstration."""
    wanted = wanted_requirements(ValidationContext(artifacts={"specification": specification})) or {}
    return {id: entry for id, entry in wanted.items() if entry.get("verification_method") == "test"}


ALONE = "AC-"
"""How the id of a criterion begins that stands for itself, without a requirement around it."""


def criteria(specification: JsonObject) -> dict[str, str]:
    """Criterion id → its text, of every requirement that is to be proved by a test."""
    found = {}
    for id, requirement in tested_requirements(specification).items():
        own = id.startswith(ALONE)
        for number, (_, told) in enumerate(texts(requirement, "acceptance_criteria[]"), start=1):
            found[id if own else f"{id}.{number}"] = told
    return found


def guards(specification: JsonObject) -> frozenset[str]:
    """The criteria that hold today and must stay so, by id."""
    return words(specification, "regression_guards[]") & criteria(specification).keys()


def guards_are_criteria(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """A regression guard is a criterion that a test decides, and not every criterion is one."""
    known = criteria(artifact)
    for where, id in texts(artifact, "regression_guards[]"):
        if id not in known:
            yield Problem(where=where, what=f"{id[:20]!r} is no criterion of a requirement verified by test")
    if guards(artifact) and guards(artifact) == known.keys():
        what = "every criterion is a regression guard, so nothing would change; name at least one that fails today"
        yield Problem(where="regression_guards", what=what)


def requirements_tested(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """Every requirement has a test, by the test's own reference or by the coverage mapping."""
    names = _test_names(artifact)
    mapping = artifact.get("coverage_mapping")
    mapped = mapping if isinstance(mapping, dict) else {}
    tested = set(words(artifact, "test_files[].tests[].requirement_ref"))
    tested |= {requirement for requirement in mapped if words(mapped[requirement], "[]") & names}
    specification = given.artifacts.get("specification")
    for requirement in tested_requirements(specification) if specification else ():
        if requirement not in tested:
            yield Problem(where="test_files", what=f"no test for {requirement}")


def tested_requirements_known(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """Tests and mapping speak only of requirements the specification has."""
    if "specification" not in given.artifacts:
        return
    known = words(given.artifacts["specification"], "requirements[].id")
    for where, reference in texts(artifact, "test_files[].tests[].requirement_ref"):
        if reference not in known:
            yield Problem(where=where, what=f"the specification has no requirement {reference[:80]!r}")
    mapping = artifact.get("coverage_mapping")
    for requirement in mapping if isinstance(mapping, dict) else ():
        if requirement not in known:
            where = place("coverage_mapping", requirement)
            yield Problem(where=where, what=f"the specification has no requirement {requirement[:80]!r}")


def mapped_tests_listed(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """The coverage mapping names only tests that are listed, as `name` or `path::name`."""
    names = _test_names(artifact)
    for where, name in texts(artifact, "coverage_mapping.*[]"):
        if name not in names:
            yield Problem(where=where, what=f"no listed test is named {name[:80]!r}")


def _test_names(artifact: JsonObject) -> frozenset[str]:
    names = set(words(artifact, "test_files[].tests[].name"))
    for _, file in objects(artifact, "test_files[]"):
        names |= {f"{text(file, 'path')}::{name}" for name in words(file, "tests[].name")}
    return frozenset(names)


def requirements_reported(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """The report speaks of every requirement of the specification."""
    reported = words(artifact, "requirements[].id")
    for requirement in wanted_requirements(given) or {}:
        if requirement not in reported:
            yield Problem(where=WHOLE, what=f"the report does not mention {requirement}")


def delivered_means_proven(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """A requirement counts as delivered only with a test, and only when all of its tests passed."""
    for where, requirement in objects(artifact, "requirements[]"):
        if requirement.get("status") != "delivered":
            continue
        results = [found.value for found in texts(requirement, "tests[].result")]
        if not results or any(result != "passed" for result in results):
            yield Problem(
                where=f"{where}.status", what="delivered needs at least one test and no test that did not pass"
            )


def ready_means_checked(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """Nothing is ready to deploy while a check failed or could not run."""
    deployment = artifact.get("deployment")
    ready = isinstance(deployment, dict) and deployment.get("ready") is True
    checks = [entry.value for entry in objects(artifact, "checks[]")]
    bad = [text(check, "name") for check in checks if check.get("outcome") in ("fail", "broken")]
    if ready and bad:
        yield Problem(where="deployment.ready", what=f"not ready: {', '.join(bad)[:200]} did not pass")
