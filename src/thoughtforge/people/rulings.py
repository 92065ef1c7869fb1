"""What a person rules about held-back cases: one that is wrong is dropped or corrected, one that is right is kept.

A ruling is a line of an answer to the question about them: `drop H-2`, `keep H-2`, or `H-2 = VALUE` with what must come
out. The rest of the answer is for whoever writes the code; a ruling never is, for it tells what was held back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from thoughtforge.kernel.events import EscalationResolved, Record
from thoughtforge.kernel.state import Projection, register
from thoughtforge.people.events import ActionAsked

NAMES = r"H-\d+(?:\s*(?:,|and)\s*H-\d+)*"
RULING = re.compile(rf"(drop|keep)\s+({NAMES})\W*|(H-\d+)\s*=\s*(.+)", re.IGNORECASE)
NAME = re.compile(r"H-\d+", re.IGNORECASE)
HIDDEN = "(about a held-back case)"


class CaseRuling(NamedTuple):
    """What a person says of one case."""

    case: str
    word: Literal["drop", "keep", "expect"]
    value: Any = None
    """What must come out, where they correct it."""


Rulings = Mapping[str, CaseRuling]


def read(text: str) -> Iterator[CaseRuling]:
    """The rulings in an answer."""
    for line in text.splitlines():
        found = RULING.fullmatch(line.strip())
        if found and found[1]:
            word: Literal["drop", "keep"] = "drop" if found[1].lower() == "drop" else "keep"
            yield from (CaseRuling(name.upper(), word) for name in NAME.findall(found[2]))
        elif found:
            yield CaseRuling(found[3].upper(), "expect", _value(found[4].strip()))


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def hidden(text: str) -> str:
    """An answer without its rulings: what whoever writes the code may read of it."""
    kept = [line for line in text.splitlines() if not RULING.fullmatch(line.strip().rpartition(" → ")[2])]
    return "\n".join(kept) if len(kept) == len(text.splitlines()) else "\n".join([*kept, HIDDEN])


def apply(kept: Rulings, record: Record) -> Rulings:
    """All rulings after one more record; of two about one case the later one counts."""
    match record.event:
        case ActionAsked() if record.event.action == "provide":
            return {**kept, **{one.case: one for one in read(record.event.text)}}
        case EscalationResolved() if record.event.choice == "answer":
            texts = record.event.answers.values()
            return {**kept, **{one.case: one for text in texts for one in read(text)}}
        case _:
            return kept


RULINGS: Projection[Rulings] = register(Projection("rulings", {}, apply, (ActionAsked, EscalationResolved)))
