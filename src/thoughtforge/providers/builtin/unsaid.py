"""The words for what nobody has said; only this provider may leave them in a slot."""

from __future__ import annotations

NOT_SAID = "not said yet"
