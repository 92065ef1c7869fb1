"""An answer that only accepts what was proposed holds the proposal: later readers see no proposal beside a "yes"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import product

import yaml

from thoughtforge.catalog import LIBRARY
from thoughtforge.kernel.model import Escalation

SURE = re.compile(r" \(confidence [01]\.\d\d(?:; .*)?\)\Z", re.DOTALL)
"""What a proposal tells the person about itself; it is no part of the answer."""


@cache
def _accepts() -> frozenset[str]:
    """Every whole answer that accepts: one way to say so, or two after each other."""
    data = yaml.safe_load((LIBRARY / "assent.yaml").read_text(encoding="utf-8"))
    words = [str(word) for word in data["accepts"]]
    return frozenset((*words, *(f"{one} {other}" for one, other in product(words, words))))


def accepts(answer: str) -> bool:
    """Whether an answer says yes to a proposal and nothing else."""
    said = " ".join(re.findall(r"\w+", answer.lower()))
    return re.sub(r" (?:please|thanks|thank you)\Z", "", said) in _accepts()


def with_proposals(escalation: Escalation, answers: Mapping[str, str]) -> dict[str, str]:
    """The answers, with the proposal and the person's own words where they accept it."""
    found = dict(answers)
    if escalation.reason != "ambiguity":  # elsewhere a proposal is an advice on how to answer
        return found
    for question in escalation.questions:
        said = answers.get(question.id, answers.get("*", ""))
        if question.proposal and accepts(said):
            found[question.id] = f'as proposed: {SURE.sub("", question.proposal)} (the answer was "{said.strip()}")'
    if all(question.id in found for question in escalation.questions):
        found.pop("*", None)
    return found
