"""Which moments of a run are chosen to kill it at."""

from __future__ import annotations

from harness.boundaries import Boundary, chosen

RECORD = [
    {"type": "task_created"},
    {"type": "stage_started"},
    {"type": "measured", "what": "edit"},
    {"type": "stage_started"},
    {"type": "measured", "what": "exit"},
    {"type": "stage_started"},
]


def test_kind_after_kind_is_killed_before_its_first_and_after_its_last_event() -> None:
    found = [(2, "before"), (3, "after"), (5, "before")]
    assert chosen(RECORD, after=1, every=False) == found


def test_every_boundary_is_both_moments_of_every_event() -> None:
    found = chosen(RECORD, after=4, every=True)
    assert found == [(5, "before"), (5, "after"), (6, "before"), (6, "after")]
    assert found[0].at == "os.rename head 5 before" == Boundary(5, "before").at
