"""The lines of an agent's output that are JSON objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def records(data: bytes) -> Iterator[dict[str, Any]]:
    """One record per line; whatever else an agent prints between them is not for us."""
    for line in data.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record
