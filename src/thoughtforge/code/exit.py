"""The exit of a stage: conditions the engine measured, each with how it stands."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from thoughtforge.code.session import CodeSession
from thoughtforge.kernel.model import Criterion, JsonObject
from thoughtforge.testing.cases import AnyCase, HeldBackFile, read_cases
from thoughtforge.testing.held_back import CaseResult, add_file, try_cases

SHOWN = 8
"""Problems of one condition that are told; the record has all."""


@dataclass
class ExitReport:
    """Filled while a stage's exit is measured."""

    tree: str
    criteria: list[Criterion] = field(default_factory=list)
    facts: dict[str, bool | int | float | str] = field(default_factory=dict)
    report: JsonObject = field(default_factory=dict)
    """Everything in full, for the record."""

    def require(self, name: str, problems: Iterable[str], *, good: str = "") -> bool:
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
        idle = "; ".join(f"{c.name}: not run, {c.detail}" for c in self.criteria if c.outcome == "not_run")
        told = f"{passed} of {len(self.criteria)} exit conditions hold"
        return told + (f"; not: {bad}" if bad else "") + (f"; {idle}" if idle else "")


class HeldBack(NamedTuple):
    """Everything held back."""

    cases: tuple[AnyCase, ...] = ()
    files: tuple[HeldBackFile, ...] = ()
    names: tuple[str, ...] = ()
    """What each is called when a person is asked about it: H-1, H-2 …, the files last."""
    dropped: tuple[tuple[str, str], ...] = ()
    """Name and criterion of those a person dropped."""

    @property
    def some(self) -> bool:
        """Whether there is anything."""
        return bool(self.cases or self.files)

    def data(self) -> JsonObject:
        """As it is kept in the store."""
        return {
            "held_back": [case.model_dump(mode="json", exclude_unset=True) for case in self.cases],
            "held_back_tests": [file._asdict() for file in self.files],
            "names": list(self.names),
        }


def read_held(data: JsonObject) -> tuple[HeldBack, tuple[str, ...]]:
    """What was handed in or kept, with everything that cannot be read."""
    cases, problems = read_cases(data.get("held_back", []))
    files = tuple(HeldBackFile(f["criterion"], f["path"], f["text"], f["why"]) for f in data.get("held_back_tests", []))
    names = data.get("names") or [f"H-{number + 1}" for number in range(len(cases) + len(files))]
    return HeldBack(cases, files, tuple(names)), problems


async def try_all(session: CodeSession, held: HeldBack, tree: str) -> tuple[CaseResult, ...]:
    """Try everything on fresh files of a tree."""
    if not held.some:
        return ()
    async with session.checkout(tree) as root:
        tried = await try_cases(
            held.cases,
            root=root,
            environment=session.environment,
            sandbox=session.sandbox,
            config=session.config,
        )
    found = (*tried, *await asyncio.gather(*(_try_file(session, file, tree) for file in held.files)))
    return tuple(one._replace(name=name) for one, name in zip(found, held.names, strict=True)) if held.names else found


async def _try_file(session: CodeSession, file: HeldBackFile, tree: str) -> CaseResult:
    """A held-back test file: it holds when it has tests and every one of them passes."""
    async with session.checkout(tree) as root:
        add_file(root, file)
        report = await session.test_at(root, files=(file.path,))
    if report.broken:
        return CaseResult(file.criterion, "fail", report.broken)  # the code under test can end a run, too
    mine = [result for id, result in report.results.items() if id.startswith(f"{file.path}::")]
    bad = [f"{result.id}: {result.error}" for result in mine if result.outcome != "passed"]
    bad += [f"{item.path}: {item.error}" for item in report.unreadable if item.path == file.path]
    return CaseResult(file.criterion, "pass" if mine and not bad else "fail", "; ".join(bad) or "no test ran")
