"""How a thought ended: what polishing came to, where the deliverable lies, and what is left for a person to say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import State
from thoughtforge.outside.notice import EventType
from thoughtforge.review.finding import Counts

HOW = {
    "converged": "Converged",
    "plateau": "Ended on a plateau",
    "accepted_by_person": "Accepted by a person, not converged,",
}
"""What the polishing came to, in words."""


class Ending(NamedTuple):
    """The same facts for the terminal, a script and a notice."""

    how: str
    place: str
    open: tuple[str, ...]
    """Findings of the last review that nobody has fixed."""
    unanswered: tuple[str, ...]
    """Ids of questions, and how many slots wait for a person's word."""
    event: EventType

    def summary(self) -> str:
        """All of it in a line or two."""
        told = [self.how, f"It lies in {self.place}."]
        told += [f"Still open: {'; '.join(self.open)}."] if self.open else []
        told += [f"Unanswered: {', '.join(self.unanswered)}."] if self.unanswered else []
        return " ".join(told)


def artifacts_of(state: State, blobs: Blobs) -> dict[str, JsonObject]:
    """Contract → what was accepted so far."""
    return {name: json.loads(blobs.get(digest)) for name, digest in state.artifacts().items()}


def questions(artifacts: dict[str, JsonObject]) -> list[JsonObject]:
    """What nobody has settled: by the proposal once there is one, by the intent before."""
    if "proposal" in artifacts:
        return [{"id": row["id"], "text": row["question"]} for row in artifacts["proposal"]["open"]]
    intent = artifacts.get("intent", {"unknowns": [], "open_questions": []})
    return [*intent["unknowns"], *intent["open_questions"]]


def unsaid(artifacts: dict[str, JsonObject]) -> list[str]:
    """Slots for which the person's notes hold nothing."""
    return list(artifacts["composition"]["open"]) if "composition" in artifacts else []


def deliverable(state: State, artifacts: dict[str, JsonObject]) -> str | None:
    """Where the plan lies, or the folder of the code; nothing before it is built."""
    made = artifacts.get("composition")
    return str(Path(state.the_task().repository) / made["path"]) if made else None


def ending(state: State, artifacts: dict[str, JsonObject]) -> Ending | None:
    """How it ended; nothing while it has not."""
    if state.exited is None:
        return None
    polished = artifacts.get("polished")
    missing = len(unsaid(artifacts))
    slots = [f"{missing} slot{'s' * (missing != 1)} of the plan"] if missing else []
    left = (*(row["id"] for row in questions(artifacts)), *slots)
    return Ending(
        how=_how(polished),
        place=deliverable(state, artifacts) or state.the_task().repository,
        open=tuple(polished["open"]) if polished else (),
        unanswered=left,
        event=_event(polished, left),
    )


def _how(polished: JsonObject | None) -> str:
    if polished is None:
        return "Written by rules and not reviewed."
    number = polished["iterations"]
    after = f"after {number} review{'s' * (number != 1)}"
    counts = Counts(**polished["counts"]).words()
    return f"{HOW[polished['outcome']]} {after}: {counts}. The best iteration is {polished['best_iteration']}."


def _event(polished: JsonObject | None, left: tuple[str, ...]) -> EventType:
    """Only a guard's word that it is good is a success of the loop; what is unanswered waits for a person."""
    if left:
        return "human_needed"
    good = polished is not None and polished["outcome"] != "accepted_by_person"
    return "convergence_success" if good else "milestone_complete"
