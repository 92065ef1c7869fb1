"""The words by which a sentence is sorted, from library/builtin/cues.yaml; what none of them catches is context."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from thoughtforge.catalog import LIBRARY

FILE = LIBRARY / "builtin" / "cues.yaml"


@cache
def data() -> dict[str, Any]:
    """The whole file."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loaded: dict[str, Any] = yaml.load(FILE.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506
    return loaded


def words(alternatives: Sequence[str]) -> re.Pattern[str]:
    """A pattern for any of these, each as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.IGNORECASE)


@cache
def cue(name: str) -> re.Pattern[str]:
    """The pattern of one list."""
    return words(data()[name])


@cache
def cues(name: str) -> dict[str, re.Pattern[str]]:
    """The patterns of a list of lists, by name."""
    return {key: words(alternatives) for key, alternatives in data()[name].items()}
