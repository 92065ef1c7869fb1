"""Results that need not be worked out again: in memory for the last states, in a folder for base commits.

A key names everything a result depends on, so that an entry is right or is not found; nothing is ever updated.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from thoughtforge.gate.finding import Finding, Outcome

MOST = 2_000
"""Results kept in memory."""


class Cache:
    """Outcomes by key."""

    def __init__(self) -> None:
        self.known: OrderedDict[str, Outcome] = OrderedDict()

    def get(self, key: str) -> Outcome | None:
        """What is known, marked as not measured just now."""
        found = self.known.get(key)
        if found is None:
            return None
        self.known.move_to_end(key)
        return found._replace(cached=True, seconds=0.0)

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep a result; one that is broken is tried again."""
        if outcome.outcome == "broken":
            return
        self.known[key] = outcome
        if len(self.known) > MOST:
            self.known.popitem(last=False)


def key_of(*parts: object) -> str:
    """Names everything a result depends on."""
    text = json.dumps(parts, default=_plain, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read_findings(file: Path) -> tuple[Finding, ...] | None:
    """Findings kept in a file; None when there are none or the file is damaged."""
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return tuple(Finding(**row) for row in rows)
    except (FileNotFoundError, ValueError, TypeError):
        return None


def write_findings(file: Path, findings: Iterable[Finding]) -> None:
    """Keep findings in a file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(json.dumps([finding._asdict() for finding in findings]), encoding="utf-8")
    fresh.replace(file)


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset | set):
        return sorted(value)
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)
