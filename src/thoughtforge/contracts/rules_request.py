"""Rules on what was asked and understood: intake_record and clarification."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtforge.contracts.given import Given
from thoughtforge.contracts.shape import WHOLE, Found, objects, plain, text, texts
from thoughtforge.kernel.model import JsonObject, Problem

SURE = 0.8
"""The least confidence at which an answer found in the repository is taken."""


def request_verbatim(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """The request is recorded character by character."""
    if given.request and artifact.get("original_request") != given.request:
        yield Problem(where="original_request", what="is not the request as it was given, character by character")


def questions_unique(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """No question is asked twice, in intake or in clarification."""
    first: dict[str, str] = {}
    for where, question in texts(artifact, "identified_ambiguities[].question", "questions[].question"):
        key = plain(question)
        if key in first:
            yield Problem(where=where, what=f"asks the same as {first[key]}")
        first.setdefault(key, where)


def ambiguities_answered(artifact: JsonObject, given: Given) -> Iterator[Problem]:
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
            yield Problem(where=f"{where}.question", what="was not asked by intake; answer only its ambiguities")
        else:
            yield from _kept(Found(where, entry), asked[key])
    for key, ambiguity in asked.items():
        if key not in answered:
            yield Problem(where=WHOLE, what=f"no entry for the question {text(ambiguity, 'question')[:80]!r}")


def _kept(answer: Found, ambiguity: JsonObject) -> Iterator[Problem]:
    # Whoever answers must not decide how much the answer matters: that says whether a person is asked.
    for key in ("area", "impact"):
        if key in ambiguity and answer.value.get(key) != ambiguity[key]:
            yield Problem(where=f"{answer.where}.{key}", what=f"expected {str(ambiguity[key])[:80]!r} as in the intake")


def inferences_are_sure(artifact: JsonObject, given: Given) -> Iterator[Problem]:
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


def assumptions_are_minor(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """Only what matters little may be assumed; the rest goes to a person."""
    for where, entry in objects(artifact, "questions[]"):
        if entry.get("source") == "assumption" and entry.get("impact") != "minor":
            yield Problem(where=f"{where}.source", what="only a question of minor impact may be assumed; ask a person")


def human_answers_signed(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """A person's answer says who gave it and when."""
    for where, entry in objects(artifact, "questions[]"):
        for key in ("resolved_by", "resolved_at"):
            if entry.get("source") == "human_escalation" and not text(entry, key).strip():
                yield Problem(where=f"{where}.{key}", what="must be given for a person's answer")
