"""The stage that builds what was specified: a plan section by section, or code with its tests."""

from __future__ import annotations

from thoughtforge.drivers.compose.stage import work

__all__ = ["work"]
