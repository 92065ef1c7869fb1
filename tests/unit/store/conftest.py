"""Task folders for the store's tests, and the other processes that work on them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[2] / "golden" / "v1"
WORKER = Path(__file__).with_name("worker.py")

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """A copy of a complete record."""
    return Path(shutil.copytree(GOLDEN, tmp_path / "a-task"))


@pytest.fixture(scope="module")
def kept_golden() -> Iterator[Path]:
    """A copy of a complete record for many examples; each leaves it as it was."""
    with tempfile.TemporaryDirectory() as place:
        yield Path(shutil.copytree(GOLDEN, Path(place) / "a-task"))


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts `worker.py`; it ends with the test."""
    running: list[subprocess.Popen[str]] = []

    def worker(*args: object) -> subprocess.Popen[str]:
        command = [sys.executable, str(WORKER), *map(str, args)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        running.append(process)
        return process

    yield worker
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()
