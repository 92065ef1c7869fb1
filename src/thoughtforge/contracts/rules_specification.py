"""Rules on a specification: testable, traceable, free of circles, and every reference leads somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtforge.contracts.dependencies import circles, normalise_dependencies
from thoughtforge.contracts.given import Given
from thoughtforge.contracts.shape import objects, plain, text, texts, words
from thoughtforge.kernel.model import JsonObject, Problem

QUOTES = "\"'“”‘’«»„"
SHORTEST_QUOTE = 3


def criteria_given(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """Every requirement has a criterion, and no criterion is blank."""
    for where, requirement in objects(artifact, "requirements[]"):
        criteria = list(texts(requirement, "acceptance_criteria[]"))
        if not criteria:
            yield Problem(where=f"{where}.acceptance_criteria", what="a requirement needs at least one criterion")
        for place, criterion in criteria:
            if not criterion.strip():
                yield Problem(where=f"{where}.{place}", what="the criterion is blank")


def requirements_traced(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """Every requirement quotes the request or an answer, or names a constraint of the analysis."""
    sources = [plain(source) for source in _sources(given) if source.strip()]
    constraints = words(given.artifacts.get("analysis"), "constraints[].id")
    for where, requirement in objects(artifact, "requirements[]"):
        trace = text(requirement, "trace")
        quote = plain(trace).strip(QUOTES).strip()
        if len(quote) < SHORTEST_QUOTE:
            yield Problem(where=f"{where}.trace", what="must quote the words that ask for this requirement")
        elif sources and trace.strip() not in constraints and not any(quote in source for source in sources):
            what = f"{trace[:80]!r} is neither in the request, nor in an answer, nor the id of a constraint"
            yield Problem(where=f"{where}.trace", what=what)


def _sources(given: Given) -> Iterator[str]:
    yield given.request
    yield from words(given.artifacts.get("intake_record"), "original_request")
    yield from words(given.artifacts.get("clarification"), "questions[].answer")


def dependencies_acyclic(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """No task waits for itself by any way round, nor for this specification."""
    dependencies = normalise_dependencies(artifact.get("dependencies"))
    for number, task in enumerate(dependencies["tasks"]):
        if not task["id"].strip():
            yield Problem(where=f"dependencies.tasks[{number}].task_id", what="a task needs its id")
    graph: dict[str, list[str]] = {}
    for task in dependencies["tasks"]:
        graph.setdefault(task["id"], []).extend(task["depends_on"])
    outside = [entry["artifact"] for entry in dependencies["external"] if not entry["repo"]]
    own = text(artifact, "spec_id")
    if own:
        graph[own] = [*graph.get(own, []), *graph, *outside]
    for circle in circles(graph):
        yield Problem(where="dependencies", what=f"go round in a circle: {' → '.join((*circle, circle[0]))[:200]}")


def interfaces_resolve(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """A contract_ref names a contract, a file that is or will be there, or a requirement as #REQ-001."""
    requirements = words(artifact, "requirements[].id")
    planned = words(artifact, "files_to_create[]")
    for where, reference in texts(artifact, "interfaces[].contract_ref"):
        name, _, fragment = reference.partition("#")
        if not name:
            if fragment not in requirements:
                yield Problem(where=where, what=f"there is no requirement {fragment[:80]!r} in this specification")
        elif name not in planned and _is_unknown(name, given):
            what = f"{name[:80]!r} is no contract, no file of the repository and no file to create"
            yield Problem(where=where, what=what)


def _is_unknown(name: str, given: Given) -> bool:
    """Whether it is certain that nothing has this name; not certain while one of the lists is unknown."""
    if not given.contracts or given.paths is None:
        return False
    return name not in given.contracts and name not in given.paths
