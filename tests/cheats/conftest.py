"""Counts cheats and twins over all workers, for the line a run ends with."""

from __future__ import annotations

from typing import Any


def pytest_unconfigure(config: Any) -> None:
    """The last line: what was tried, what escaped, what was delivered. Workers have nobody to tell."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = [report for some in reporter.stats.values() for report in some] if reporter else []
    told = [word for one in reports if getattr(one, "when", "") == "call" for word, _ in one.user_properties]
    tried, refused, delivered = (told.count(word) for word in ("tried", "refused", "delivered"))
    if tried:
        reporter.write_line(f"cheats: {tried} tried, {tried - refused} escaped; twins: {delivered} delivered")
