"""How often a command reads the log of a task: once, whatever it does with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness import REQUEST, environment, thoughtforge

ENTRY = """
import sys
reads = []

def hook(name, args):
    if name == "open" and str(args[0]).endswith("events.jsonl") and args[1] == "r":
        reads.append(args[0])

sys.addaudithook(hook)
sys.argv[0] = "thoughtforge"
from thoughtforge.cli.main import main
try:
    main()
finally:
    print("reads:", len(reads), file=sys.stderr)
"""
"""What the installed command does, and then how often it opened a log to read it."""


@pytest.fixture(scope="module")
def shelf_with_task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a task that waits for a decision."""
    from harness import configure, sample_repository

    place = tmp_path_factory.mktemp("reads") / "shelf"
    place.mkdir()
    sample_repository(place)
    configure(place)
    ended = thoughtforge("design", REQUEST, "--supervised", "--json", cwd=place, home=place.parent)
    assert ended.code == 3, ended.err
    return place


@pytest.mark.parametrize(
    "args",
    [
        ("status", "last"),
        ("inspect", "last"),
        ("inspect", "last", "--steps"),
        ("diff", "last"),
        ("hint", "last", "be brief"),
        ("verify", "last"),
        ("approve", "last"),
        ("continue", "last", "--json"),
        ("abort", "last"),
    ],
    ids=lambda args: " ".join(args),
)
def test_a_command_reads_a_log_once(shelf_with_task: Path, args: tuple[str, ...]) -> None:
    argv = [sys.executable, "-P", "-c", ENTRY, *args]
    home = environment(shelf_with_task.parent)
    ended = subprocess.run(argv, cwd=shelf_with_task, env=home, capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines()[-1] == "reads: 1", ended.stderr
