"""What red holds back from whoever writes the code: cases as data and, where data cannot say it, test files."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.suites.cases import AnyCase, HeldBackFile, read_cases
from thoughtforge.suites.held_back import Tried, add_file, try_cases
from thoughtforge.workshop.workshop import Workshop


class Held(NamedTuple):
    """Everything held back."""

    cases: tuple[AnyCase, ...] = ()
    files: tuple[HeldBackFile, ...] = ()

    @property
    def some(self) -> bool:
        """Whether there is anything."""
        return bool(self.cases or self.files)

    def data(self) -> JsonObject:
        """As it is kept in the store."""
        return {
            "held_back": [case.model_dump(mode="json", exclude_unset=True) for case in self.cases],
            "held_back_tests": [file._asdict() for file in self.files],
        }


def read_held(data: JsonObject) -> tuple[Held, tuple[str, ...]]:
    """What was handed in or kept, with everything that cannot be read."""
    cases, problems = read_cases(data.get("held_back", []))
    files = tuple(HeldBackFile(f["criterion"], f["path"], f["text"], f["why"]) for f in data.get("held_back_tests", []))
    return Held(cases, files), problems


async def try_all(workshop: Workshop, held: Held, tree: str) -> tuple[Tried, ...]:
    """Try everything on fresh files of a tree."""
    if not held.some:
        return ()
    async with workshop.checkout(tree) as root:
        tried = await try_cases(
            held.cases,
            root=root,
            environment=workshop.environment,
            sandbox=workshop.sandbox,
            config=workshop.config,
        )
    return (*tried, *await asyncio.gather(*(_try_file(workshop, file, tree) for file in held.files)))


async def _try_file(workshop: Workshop, file: HeldBackFile, tree: str) -> Tried:
    """A held-back test file: it holds when it has tests and every one of them passes."""
    async with workshop.checkout(tree) as root:
        add_file(root, file)
        report = await workshop.test_at(root, files=(file.path,))
    if report.broken:
        return Tried(file.criterion, "broken", report.broken)
    mine = [result for id, result in report.results.items() if id.startswith(f"{file.path}::")]
    bad = [f"{result.id}: {result.error}" for result in mine if result.outcome != "passed"]
    bad += [f"{item.path}: {item.error}" for item in report.unreadable if item.path == file.path]
    return Tried(file.criterion, "pass" if mine and not bad else "fail", "; ".join(bad) or "no test ran")
