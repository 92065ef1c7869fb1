"""Where a person wants a copy of the finished plan: it holds for the whole thought, and for its further rounds."""

from __future__ import annotations

from thoughtforge.definitions.drivers import may_be_thought
from thoughtforge.kernel.events import Record
from thoughtforge.kernel.state import Projection, register
from thoughtforge.people.events import CopyWanted


def apply(kept: str, record: Record) -> str:
    """The path that was named last; empty while nobody wants a copy."""
    return record.event.path if isinstance(record.event, CopyWanted) else kept


COPY_TO: Projection[str] = register(Projection("copy_to", "", apply, (CopyWanted,), about=may_be_thought))
