"""An ordinary user's boxes are bound by the kernel also where no control group can be made."""

import os
import subprocess
import sys
import textwrap

import pytest

from thoughtforge.sandbox import user_tasks
from thoughtforge.sandbox.box import Limits

AS_NOBODY = """
    import asyncio, ctypes, encodings.idna, os, platform, resource, subprocess, sys
    from pathlib import Path
    from thoughtforge.sandbox import boxes, user_tasks
    from thoughtforge.sandbox.box import Box, Limits
    platform.release()  # the interpreter's own files may be out of reach from here on
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    before = user_tasks.now()
    with subprocess.Popen(["sleep", "600"]) as sleeper:
        print(user_tasks.now() - before)
        sleeper.kill()
    FORKS = "for one in $(seq 40); do sleep 600 & done; sleep 600"
    async def main():
        sandbox = await boxes.find(sys.argv[1], allow_weak=False)
        box = Box(cwd=Path("/"), limits=Limits(processes=2, wall_seconds=60.0))
        told = await boxes.run(sandbox, box, ["grep", "Max processes", "/proc/self/limits"])
        ended = await boxes.run(sandbox, box, ["sh", "-c", FORKS])
        # Whoever is first: the shell gives up when the kernel refuses, or we see too many and end it.
        held = ended.stopped == "processes" or b"fork" in ended.stderr
        print(sandbox.kind, sandbox.groups, told.stdout.split()[2:4], held)
    asyncio.run(main())
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_a_box_of_an_ordinary_user_is_bound_without_a_group():
    argv = [sys.executable, "-c", textwrap.dedent(AS_NOBODY), os.environ["PATH"]]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("1\nbubblewrap None [b'16', b'16'] True\n", "")


def test_root_is_bound_by_nothing_of_the_kind_and_others_are():
    bound = user_tasks.bound(Limits(processes=5), own_namespace=True)
    assert bound == 0 if os.getuid() == 0 else bound >= 40
    shared = user_tasks.bound(Limits(processes=5), own_namespace=False)
    assert shared == 0 if os.getuid() == 0 else shared > 40
