"""Boxes to run Python in: a strong one and a weak one, on this machine's own kernel."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from thoughtforge.sandbox import cgroups
from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxResult, SandboxSpec
from thoughtforge.sandbox.cgroups import CgroupPlace
from thoughtforge.sandbox.sandbox import Sandbox, find, run

PYTHON = Path(sys.executable).resolve()
WITH_PYTHON = (Mount(Path(sys.base_prefix)),)
"""The interpreter may live in a home folder, which a box does not show."""
QUICK = ResourceLimits(wall_seconds=60.0)
Inside = Callable[..., SandboxResult]


@pytest.fixture(scope="session")
def strong() -> Sandbox:
    """bubblewrap; a machine that cannot build its boxes cannot run these tests."""
    return asyncio.run(find(os.environ["PATH"], allow_weak=False))


@pytest.fixture(scope="session")
def weak() -> Sandbox:
    """What is found where bubblewrap is not."""
    return asyncio.run(find("/nowhere", allow_weak=True))


@pytest.fixture(scope="session")
def place() -> CgroupPlace:
    """Where control groups can be made; on a machine where they cannot there is nothing to test."""
    found = cgroups.find()
    if found is None:
        pytest.skip("no control groups can be made here")
    return found


def python(
    sandbox: Sandbox, folder: Path, code: str, *words: str, mounts: tuple[Mount, ...] = (), **more
) -> SandboxResult:
    """Run Python code in a box that shows a folder read-only, starting in it."""
    fields = {name: more.pop(name) for name in ("env", "limits", "network") if name in more}
    box = SandboxSpec(cwd=folder, mounts=(*WITH_PYTHON, Mount(folder), *mounts), **{"limits": QUICK} | fields)
    return asyncio.run(run(sandbox, box, [PYTHON, "-c", code, *words], **more))


@pytest.fixture
def inside(strong: Sandbox, tmp_path: Path) -> Inside:
    return lambda code, *words, **more: python(strong, tmp_path, code, *words, **more)


@pytest.fixture
def weakly(weak: Sandbox, tmp_path: Path) -> Inside:
    return lambda code, *words, **more: python(weak, tmp_path, code, *words, **more)


@pytest.fixture(params=["strong", "weak"])
def either_sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """One after the other."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def either(either_sandbox: Sandbox, tmp_path: Path) -> Inside:
    """What must hold in every sandbox."""
    return lambda code, *words, **more: python(either_sandbox, tmp_path, code, *words, **more)


@pytest.fixture
def processes_left() -> Callable[..., list[int]]:
    """The living processes with a word on their command line; asks again for a while until there are none."""

    def left(word: str, looks: int = 2_000) -> list[int]:
        found: list[int] = []
        for _ in range(looks):
            found = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and has(entry, word)]
            if not found:
                break
            os.sched_yield()
        return found

    return left


def has(entry: Path, word: str) -> bool:
    try:
        return word.encode() in (entry / "cmdline").read_bytes() and int(entry.name) != os.getpid()
    except (FileNotFoundError, ProcessLookupError):
        return False


class Daemon(NamedTuple):
    """A program that leaves a child behind in a session of its own, and the word it is found by."""

    code: str
    word: str


@pytest.fixture
def daemon() -> Daemon:
    word = f"daemon-{os.getpid()}"
    code = f"""
import os, time
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(writing, b"up")
        time.sleep(600)  # {word}
    os._exit(0)
print(os.read(reading, 2))
"""
    return Daemon(code, word)
