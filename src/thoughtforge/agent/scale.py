"""How far estimates of tokens are off: for each model the largest ratio of reported to estimated input tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from thoughtforge.calls.events import CallEnded, CallFailed, CallStarted
from thoughtforge.kernel.events import Record
from thoughtforge.kernel.fold import plus, without
from thoughtforge.kernel.projection import Projection, register
from thoughtforge.kernel.state import NOTHING


class Scale(NamedTuple):
    """The ratios so far, and the calls whose end is not on record."""

    ratios: Mapping[str, float] = NOTHING
    calls: Mapping[str, CallStarted] = NOTHING

    def of(self, model: str) -> float:
        """What to multiply an estimate by."""
        return self.ratios.get(model, 1.0)


def apply(kept: Scale, record: Record) -> Scale:
    """The ratios after one more record."""
    match record.event:
        case CallStarted():
            return kept._replace(calls=plus(kept.calls, record.event.call, record.event))
        case CallEnded() | CallFailed():
            call, left = kept.calls.get(record.event.call), without(kept.calls, record.event.call)
            seen = record.event.usage.input_tokens if isinstance(record.event, CallEnded) else None
            if call is None or not seen or not call.context_tokens:
                return kept._replace(calls=left)
            ratio = max(kept.of(call.model), seen / call.context_tokens)
            return Scale(plus(kept.ratios, call.model, ratio), left)
        case _:
            return kept


SCALE = register(Projection("scale", Scale(), apply))
