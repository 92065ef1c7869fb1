"""A data file with its lines: every problem of a definition is shown at the file and line it comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from thoughtforge.contracts.lines import Parsed, parse
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Digest, Problem

_STEP = re.compile(r"""\.?(?P<key>[A-Za-z_][A-Za-z0-9_-]*)|\[(?P<number>\d+)\]|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]""")


class Source(NamedTuple):
    """One file a definition is made of."""

    path: str
    digest: Digest
    layer: str
    parsed: Parsed

    @property
    def data(self) -> dict[str, Any]:
        """The file as a mapping; a file that is none is refused by its contract, so it counts as empty here."""
        return self.parsed.data if isinstance(self.parsed.data, dict) else {}

    def depth(self, path: Sequence[str | int]) -> int:
        """How many steps of `path` this file has."""
        here: Any = self.parsed.data
        for number, step in enumerate(path):
            inside = (isinstance(here, dict) and step in here) or (
                isinstance(here, list) and isinstance(step, int) and step < len(here)
            )
            if not inside:
                return number
            here = here[step]
        return len(path)


def read(text: str, *, path: str, digest: Digest, layer: str) -> Source:
    """The file with its lines. Raises a Mistake when it is not YAML."""
    return Source(path, digest, layer, parse(text, source=path))


def located(problems: Iterable[Problem], sources: Sequence[Source]) -> tuple[Problem, ...]:
    """The problems with file and line; a value stands where the most special file that has it says so."""
    return tuple(_locate(problem, sources) for problem in problems)


def refusal(what: str, problems: Sequence[Problem], *, do: str) -> Mistake:
    """One error for all problems, each on its own line."""
    return Mistake(what, do=do, details=tuple(f"{problem.where}: {problem.what}" for problem in problems))


def steps(where: str) -> tuple[str | int, ...]:
    """The keys and numbers of a place such as `stages[2].role`; the whole file is the empty path."""
    found: list[str | int] = []
    for match in _STEP.finditer("" if where.startswith("(") else where):
        if match["number"]:
            found.append(int(match["number"]))
        else:
            found.append(match["key"] or json.loads(match["quoted"]))
    return tuple(found)


def _locate(problem: Problem, sources: Sequence[Source]) -> Problem:
    path = steps(problem.where)
    source = max(sources, key=lambda source: source.depth(path))
    return problem.model_copy(update={"where": f"{source.path}:{source.parsed.line(path)}: {problem.where}"})
