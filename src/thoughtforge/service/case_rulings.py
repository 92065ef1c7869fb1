"""A person's ruling on held-back cases, checked before it goes on record: every case it names is one that fails."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.state import State
from thoughtforge.people.rulings import read
from thoughtforge.store.port import Reader
from thoughtforge.think.stops import ThoughtStop

REASON = "held_back"
ALL = re.compile(r"(drop|keep)(?:\s+(?:it|them|all|both|the cases?|this case))?\W*", re.IGNORECASE)
VALUE = re.compile(r"=\s*(.+)")


def named(task: Reader, text: str) -> str:
    """The answer with each ruling naming its cases; the text as it is where nobody was asked about any."""
    if not _asked(task.state):
        return text
    failing = _failing(task)
    plain = "\n".join(_line(line, failing) for line in text.splitlines())
    if unknown := sorted({one.case for one in read(plain)} - {*failing}):
        raise UserError(f"no held-back case {', '.join(unknown)} fails", do=f"Those that fail: {', '.join(failing)}")
    return plain


def _asked(state: State) -> bool:
    return state.stop == ThoughtStop.held_back or any(one.reason == REASON for one in state.escalations.values())


def _failing(task: Reader) -> list[str]:
    reports = [one.report for stage in task.state.stages.values() if (one := stage.measured.get("exit")) and one.report]
    rows = [row for digest in reports for row in json.loads(task.blobs.get(digest)).get("held_back", ())]
    return [row["name"] for row in rows if row["outcome"] != "pass" and row.get("name")]


def _line(line: str, failing: Sequence[str]) -> str:
    plain = line.strip()
    if failing and (word := ALL.fullmatch(plain)):
        return f"{word[1].lower()} {', '.join(failing)}"
    if len(failing) == 1 and (value := VALUE.fullmatch(plain)):
        return f"{failing[0]} = {value[1]}"
    return line
