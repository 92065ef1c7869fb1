"""Rules on what was asked and understood, from intake_record and intent to specification and proposal."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtforge.catalog import extension_names
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.dependencies import circles, normalise_dependencies
from thoughtforge.contracts.shorthand import WHOLE, ValueAt, find, objects, plain, text, texts, words
from thoughtforge.kernel.model import JsonObject, Problem

SURE = 0.8
"""The least confidence at which an answer found in the repository is taken."""


def request_verbatim(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """The request is recorded character by character."""
    if given.request and artifact.get("original_request") != given.request:
        yield Problem(where="original_request", what="differs from the request; copy it character by character")


def questions_unique(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """No question is asked twice, in intake or in clarification."""
    first: dict[str, str] = {}
    for where, question in texts(artifact, "identified_ambiguities[].question", "questions[].question"):
        key = plain(question)
        if key in first:
            yield Problem(where=where, what=f"asks the same as {first[key]}")
        first.setdefault(key, where)


def ambiguities_answered(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """Exactly the ambiguities of the intake are answered, each as important as intake found it."""
    intake = given.artifacts.get("intake_record")
    if intake is None:
        return
    asked = {plain(text(found.value, "question")): found.value for found in objects(intake, "identified_ambiguities[]")}
    answered = set()
    for where, entry in objects(artifact, "questions[]"):
        key = plain(text(entry, "question"))
        answered.add(key)
        if key not in asked:
            yield Problem(where=f"{where}.question", what="is no question of the intake; answer only its ambiguities")
        else:
            yield from _kept(ValueAt(where, entry), asked[key])
    for key, ambiguity in asked.items():
        if key not in answered:
            yield Problem(where=WHOLE, what=f"no entry for the question {text(ambiguity, 'question')[:80]!r}")


def _kept(answer: ValueAt, ambiguity: JsonObject) -> Iterator[Problem]:
    # Whoever answers must not decide how much the answer matters: that says whether a person is asked.
    for key in ("area", "impact"):
        if key in ambiguity and answer.value.get(key) != ambiguity[key]:
            yield Problem(where=f"{answer.where}.{key}", what=f"expected {str(ambiguity[key])[:80]!r} as in the intake")


def inferences_are_sure(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """An answer the agent found counts only with high confidence and something to show for it."""
    for where, entry in objects(artifact, "questions[]"):
        if entry.get("source") != "agent_inference":
            continue
        if confidence(entry) < SURE:
            what = f"an inference needs at least {SURE}; below that it is an assumption or a person's answer"
            yield Problem(where=f"{where}.confidence", what=what)
        if not any(objects(entry, "evidence[]")):
            yield Problem(where=f"{where}.evidence", what="an inference needs at least one file as evidence")


def confidence(entry: JsonObject) -> float:
    """The stated confidence; -1 for one that is missing or no number."""
    value = entry.get("confidence")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1 else -1.0


def assumptions_are_minor(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """Only what matters little may be assumed; the rest goes to a person."""
    for where, entry in objects(artifact, "questions[]"):
        if entry.get("source") == "assumption" and entry.get("impact") != "minor":
            yield Problem(where=f"{where}.source", what="only a question of minor impact may be assumed; ask a person")


def human_answers_signed(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """A person's answer says who gave it and when."""
    for where, entry in objects(artifact, "questions[]"):
        for key in ("resolved_by", "resolved_at"):
            if entry.get("source") == "human_escalation" and not text(entry, key).strip():
                yield Problem(where=f"{where}.{key}", what="is required for a person's answer")


QUOTES = "\"'“”‘’«»„"
SHORTEST_QUOTE = 3


def criteria_given(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """Every requirement has a criterion, and no criterion is blank."""
    for where, requirement in objects(artifact, "requirements[]"):
        criteria = list(texts(requirement, "acceptance_criteria[]"))
        if not criteria:
            yield Problem(where=f"{where}.acceptance_criteria", what="a requirement needs at least one criterion")
        for place, criterion in criteria:
            if not criterion.strip():
                yield Problem(where=f"{where}.{place}", what="the criterion is blank")


def requirements_traced(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
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


def _sources(given: ValidationContext) -> Iterator[str]:
    yield given.request
    yield from words(given.artifacts.get("intake_record"), "original_request")
    yield from words(given.artifacts.get("clarification"), "questions[].answer")


def dependencies_acyclic(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
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
        yield Problem(where="dependencies", what=f"form a cycle: {' → '.join((*circle, circle[0]))[:200]}")


def interfaces_resolve(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """A contract_ref names a contract, a file that is or will be there, or a requirement as #REQ-001."""
    requirements = words(artifact, "requirements[].id")
    planned = words(artifact, "files_to_create[]")
    for where, reference in texts(artifact, "interfaces[].contract_ref"):
        name, _, fragment = reference.partition("#")
        if not name:
            if fragment not in requirements:
                yield Problem(where=where, what=f"there is no requirement {fragment[:80]!r} in this specification")
        elif name not in planned and _is_unknown(name, given):
            what = f"{name[:80]!r} is neither a contract, nor a file of the repository, nor a file to create"
            yield Problem(where=where, what=what)


def _is_unknown(name: str, given: ValidationContext) -> bool:
    """Whether it is certain that nothing has this name; not certain while one of the lists is unknown."""
    if not given.contracts or given.paths is None:
        return False
    return name not in given.contracts and name not in given.paths


SETTLED = ("resolved[].id", "open[].id")
ASKED = ("unknowns[].id", "open_questions[].id")


def deliverable_type_known(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """The type of the deliverable is one this installation can build."""
    known = extension_names("deliverables")
    found = artifact.get("deliverable_type")
    if isinstance(found, str) and found not in known:
        yield Problem(where="deliverable_type", what=f"must be one of {', '.join(known)}, not {found[:40]!r}")


def settled_ids_known(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """What is resolved or open is something the intent left open, or a challenge of this proposal."""
    intent = given.artifacts.get("intent")
    if intent is None:
        return
    known = words(intent, *ASKED) | words(artifact, "challenges[].id")
    for where, identity in texts(artifact, *SETTLED):
        if identity not in known:
            yield Problem(where=where, what=f"{identity[:20]!r} is neither in the intent nor a challenge")


def intent_accounted_for(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """Every unknown and question of the intent is resolved or said to be open; none is forgotten."""
    settled = words(artifact, *SETTLED)
    for _, identity in texts(given.artifacts.get("intent", {}), *ASKED):
        if identity not in settled:
            yield Problem(where=WHOLE, what=f"{identity[:20]} of the intent is neither resolved nor open")


def stuck_explained(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """Whoever is stuck says on what."""
    if artifact.get("stuck") is True and not text(artifact, "reason").strip():
        yield Problem(where="reason", what="must say which decision is needed, because stuck is true")


def filled_unless_stuck(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """A section that is not stuck has text."""
    if artifact.get("stuck") is False and not any(found.value.strip() for found in texts(artifact, "content.*")):
        yield Problem(where="content", what="has no text although stuck is false")


def failure_explained(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """A plan that does not pass says why."""
    if artifact.get("pass") is False and not any(True for _ in find(artifact, "reasons[]")):
        yield Problem(where="reasons", what="must say what is missing, because pass is false")
