"""The stage that reviews and repairs in turn until the guards end it, or a person does."""

from __future__ import annotations

from thoughtforge.drivers.polish.stage import work

__all__ = ["work"]
