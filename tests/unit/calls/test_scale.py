"""Estimates are corrected by the largest ratio a provider reported, never below one."""

from __future__ import annotations

from thoughtforge.calls.events import CallFailed
from thoughtforge.calls.spending import SCALE
from unit.kernel.making import call, ended, folded


def test_the_largest_ratio_holds() -> None:
    kept = folded(SCALE, call(1), ended(1, tokens=(80, 1)), call(2), ended(2, tokens=(60, 1)))
    assert (dict(kept.ratios), kept.of("m"), kept.of("other"), kept.calls) == ({"m": 2.0}, 2.0, 1.0, {})


def test_a_provider_that_reports_less_than_estimated_or_nothing_changes_nothing() -> None:
    assert folded(SCALE, call(1), ended(1, tokens=(10, 1))).of("m") == 1.0
    assert folded(SCALE, call(1), ended(1, tokens=(None, 1))).of("m") == 1.0
    assert folded(SCALE, call(1), CallFailed(call="C-1", kind="k", error="e")).of("m") == 1.0
