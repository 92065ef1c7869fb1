"""What the engine knows beyond the artifact itself; rules judge with it and never guess without it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject


class Given(NamedTuple):
    """Facts for the rules. What is unknown is left at its default and then not judged."""

    artifacts: Mapping[str, JsonObject] = MappingProxyType({})
    """Contract name → the accepted artifact upstream."""
    paths: frozenset[str] | None = None
    """Files of the repository at the base commit; None means nobody looked."""
    request: str = ""
    """The whole request as the person gave it; empty for an artifact that belongs to another request."""
    contracts: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    measures: frozenset[str] = frozenset()
    """Names that exist; an empty set means the names were not looked up."""


NOTHING_GIVEN = Given()
