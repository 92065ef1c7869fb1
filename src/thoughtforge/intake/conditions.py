"""The conditions a pipeline file can name to leave a stage out, as data. The engine computes each from the record."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.kernel.route import SKIPS
from thoughtforge.kernel.state import State


class Condition(NamedTuple):
    """An artifact came from outside, or a passed stage measured this."""

    external: str = ""
    stage: str = ""
    measured: str = ""
    equals: bool | int = 0

    def holds(self, state: State) -> bool:
        """Whether it is so now."""
        if self.external:
            return self.external in state.externals
        mine = state.stage(self.stage)
        found = mine.verdict.measured.get(self.measured) if mine.status == "passed" and mine.verdict else None
        return found is not None and found == self.equals and isinstance(found, bool) == isinstance(self.equals, bool)


CONDITIONS = {
    "spec_provided": Condition(external="specification"),
    "tests_provided": Condition(external="test_suite"),
    "no_ambiguities": Condition(stage="intake", measured="ambiguities", equals=0),
    "trivial_change": Condition(stage="green", measured="trivial_change", equals=True),
}
"""Word in a pipeline file → its condition. Tasks on record name these words: none may go."""

SKIPS.update({name: condition.holds for name, condition in CONDITIONS.items()})
