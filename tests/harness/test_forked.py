"""A forked run is a run of the command: what it says, how it ends and how it dies."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

import harness
from flows.crash_support import SITE
from harness import forked


@pytest.mark.parametrize(
    "args", [("--version",), ("nonsense",), ("status", "--json"), ("verify", "last"), ("contracts",)]
)
def test_it_says_and_leaves_what_the_installed_command_does(shelf: Path, person: Path, args: tuple[str, ...]) -> None:
    there = {"cwd": shelf, "home": person}
    assert forked.thoughtforge(*args, **there) == harness.thoughtforge(*args, **there)


def test_it_reads_its_input_and_its_environment(shelf: Path, person: Path) -> None:
    there = {"cwd": shelf, "home": person, "stdin": "Plan a garden.\n", "COLUMNS": "50"}
    args = ("think", "-", "--max-steps", "0", "--json")
    ends = [run(*args, **there) for run in (forked.thoughtforge, harness.thoughtforge)]
    assert ends[0].code == ends[1].code
    assert len(ends[0].out) == len(ends[1].out) > 0


def test_it_dies_where_it_is_told_and_the_next_one_lives(shelf: Path, person: Path) -> None:
    there = {"cwd": shelf, "home": person}
    at = {"PYTHONPATH": str(SITE), "CRASH": "open config.yaml 1 before"}
    assert forked.thoughtforge("config", "show", **there, **at) == (-signal.SIGKILL, "", "")
    assert forked.thoughtforge("config", "show", **there).code == 0


def test_it_is_ended_when_it_takes_too_long(shelf: Path, person: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        forked.thoughtforge("status", cwd=shelf, home=person, timeout=0.0001)
    assert forked.thoughtforge("--version", cwd=shelf, home=person).code == 0
