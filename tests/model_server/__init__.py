"""A model server on loopback that says what a test tells it, in the vendors' own wire formats."""

from __future__ import annotations

from model_server.answers import Answer, Asked, Cut, Empty, Fail, Hang, Html, Refused, Say, Truncated, Unfinished
from model_server.server import ModelServer

__all__ = [
    "Answer",
    "Asked",
    "Cut",
    "Empty",
    "Fail",
    "Hang",
    "Html",
    "ModelServer",
    "Refused",
    "Say",
    "Truncated",
    "Unfinished",
]
