"""A control group holds what is in it: it refuses one process too many, and ends whole."""

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import cgroups
from thoughtforge.sandbox.box import ResourceLimits
from thoughtforge.sandbox.cgroups import CgroupPlace

FORKS = """
import errno, os, sys, time
sys.stdin.readline()
made = 0
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(600)
        made += 1
except OSError as error:
    print(made, errno.errorcode[error.errno], flush=True)
time.sleep(600)
"""
DAEMON = """
import os, sys, time
sys.stdin.readline()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(600)
    os._exit(0)
time.sleep(600)
"""


def started(code: str) -> subprocess.Popen:
    """A process that waits for a line before it begins."""
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def told(child: subprocess.Popen, group: cgroups.Cgroup) -> str:
    """What it says once it is in the group and has begun."""
    group.enter(child.pid)
    child.stdin.write("go\n")
    child.stdin.flush()
    return child.stdout.readline()


def test_the_kernel_refuses_one_process_too_many(place):
    async def forked() -> None:
        with started(FORKS) as child:
            async with cgroups.made(place, ResourceLimits(processes=2)) as group:
                assert group.crossed() == ""
                assert told(child, group) == "15 EAGAIN\n"
                assert (group.tasks(), len(group.pids()), group.crossed()) == (16, 16, "processes")

    asyncio.run(forked())


def test_everyone_in_it_is_ended_with_it_and_the_folder_is_gone(place):
    async def ended() -> None:
        with started(DAEMON) as child:
            async with cgroups.made(place, ResourceLimits()) as group:
                daemon = int(told(child, group))
                assert {child.pid, daemon} <= set(group.pids())
            assert [folder.exists() for folder in group.folders] == [False] * len(group.folders)
            assert child.wait() == -signal.SIGKILL
            assert group.pids() == ()

    asyncio.run(ended())


def test_nobody_is_born_in_a_group_that_is_being_ended(place):
    async def ended() -> str:
        with started("import os, sys; sys.stdin.readline(); os.fork()") as child:
            async with cgroups.made(place, ResourceLimits()) as group:
                group.end()
                group.enter(child.pid)
                child.stdin.write("go\n")
                child.stdin.flush()
                return str(child.wait())

    assert asyncio.run(ended()) == "1"


def test_where_no_group_can_be_made_there_is_none():
    async def none() -> cgroups.Cgroup | None:
        async with cgroups.made(None, ResourceLimits()) as group:
            return group

    assert asyncio.run(none()) is None


def test_a_place_that_is_gone_is_a_mistake(tmp_path):
    async def missing() -> None:
        async with cgroups.made(CgroupPlace(tmp_path / "nowhere"), ResourceLimits()):
            pytest.fail("there is nothing to make it in")

    with pytest.raises(UserError, match="this process cannot create a cgroup in .*nowhere"):
        asyncio.run(missing())


def test_a_process_that_has_ended_cannot_enter(place):
    async def entered() -> None:
        with subprocess.Popen(["true"]) as gone:
            gone.wait()
        async with cgroups.made(place, ResourceLimits()) as group:
            with pytest.raises(ProcessLookupError):
                group.enter(gone.pid)

    asyncio.run(entered())


def test_what_a_killed_owner_left_is_swept_and_what_a_living_one_has_is_not(place):
    left = place.processes / f"thoughtforge-left-{os.getpid()}"
    left.mkdir()

    async def swept() -> None:
        async with cgroups.made(place, ResourceLimits()) as group:
            cgroups.sweep(place)
            assert (left.exists(), group.processes.exists()) == (False, True)

    asyncio.run(swept())


def test_many_groups_at_once_have_names_of_their_own(place):
    async def one() -> str:
        async with cgroups.made(place, ResourceLimits()) as group:
            await asyncio.sleep(0)
            return group.processes.name

    async def all_of_them() -> list[str]:
        return await asyncio.gather(*(one() for _ in range(50)))

    assert len(set(asyncio.run(all_of_them()))) == 50


def test_a_group_in_one_tree_gets_its_memory_limit_too(tmp_path):
    # Plain files stand in for version 2, whose group is one folder; not every machine that tests has it.
    group = cgroups.Cgroup(tmp_path, tmp_path)
    for name in ("pids.max", "memory.max", "memory.swap.max", "memory.oom.group"):
        (tmp_path / name).touch()
    cgroups.limit(group, ResourceLimits(memory_bytes=1000, temp_bytes=100, processes=3))
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "pids.max": "24",
        "memory.max": str(1100 + 64 * 1024**2),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
    }
    assert group.folders == (tmp_path,)
    (tmp_path / "memory.events").write_text("low 0\nmax 7\noom 1\noom_kill 2\n")
    assert group.crossed() == "memory_bytes"
    (tmp_path / "pids.events").write_text("max 1\n")
    assert group.crossed() == "processes"
