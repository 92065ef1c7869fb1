"""The exit of a stage: conditions the engine measured, each with how it stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from thoughtforge.kernel.model import Criterion, JsonObject

SHOWN = 8
"""Problems of one condition that are told; the record has all."""


@dataclass
class Exit:
    """Filled while a stage's exit is measured."""

    tree: str
    criteria: list[Criterion] = field(default_factory=list)
    facts: dict[str, bool | int | float | str] = field(default_factory=dict)
    report: JsonObject = field(default_factory=dict)
    """Everything in full, for the record."""

    def hold(self, name: str, problems: Iterable[str], *, good: str = "") -> bool:
        """A condition that holds when there is no problem; answers whether it does."""
        found = list(problems)
        self.report.setdefault("problems", {})[name] = found
        more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        detail = "; ".join(found[:SHOWN]) + more
        self.criteria.append(Criterion(name=name, outcome="fail" if found else "pass", detail=detail or good))
        return not found

    def broken(self, name: str, why: str) -> None:
        """A condition that could not be measured."""
        self.criteria.append(Criterion(name=name, outcome="broken", detail=why))

    def not_run(self, name: str, why: str) -> None:
        """A condition that does not apply or was not reached, said and never counted as held."""
        self.criteria.append(Criterion(name=name, outcome="not_run", detail=why))

    def fact(self, **facts: Any) -> None:
        """Figures for the record and for routing."""
        self.facts.update(facts)

    @property
    def outcome(self) -> Literal["pass", "fail", "broken"]:
        """Broken before failed before passed; an exit nothing was measured for has not passed."""
        outcomes = {criterion.outcome for criterion in self.criteria}
        if "broken" in outcomes or not outcomes:
            return "broken"
        return "fail" if "fail" in outcomes else "pass"

    @property
    def failed(self) -> tuple[Criterion, ...]:
        """What stands in the way."""
        return tuple(criterion for criterion in self.criteria if criterion.outcome in ("fail", "broken"))

    def told(self) -> str:
        """For the agent: how each condition stands."""
        return "\n".join(f"- {c.name}: {c.outcome}{f': {c.detail}' if c.detail else ''}" for c in self.criteria)

    def summary(self) -> str:
        """One line."""
        passed = sum(c.outcome == "pass" for c in self.criteria)
        bad = ", ".join(c.name for c in self.failed)
        return f"{passed} of {len(self.criteria)} exit conditions hold" + (f"; not: {bad}" if bad else "")
