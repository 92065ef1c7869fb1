"""A model server on loopback that says what a test tells it, in the vendors' own wire formats."""

from __future__ import annotations

from model_server.answers import (
    Answer,
    Broken,
    Call,
    Cut,
    Empty,
    Fail,
    Foreign,
    Garbled,
    Hang,
    Html,
    Refused,
    Say,
    Stall,
    Truncated,
    Unfinished,
    Use,
)
from model_server.asked import Asked, Result, Tool
from model_server.server import ModelServer

__all__ = [
    "Answer",
    "Asked",
    "Broken",
    "Call",
    "Cut",
    "Empty",
    "Fail",
    "Foreign",
    "Garbled",
    "Hang",
    "Html",
    "ModelServer",
    "Refused",
    "Result",
    "Say",
    "Stall",
    "Tool",
    "Truncated",
    "Unfinished",
    "Use",
]
