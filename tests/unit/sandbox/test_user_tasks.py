"""An ordinary user's boxes are bound by the kernel also where no control group can be made."""

import os
import subprocess
import sys
import textwrap

import pytest

from thoughtforge.sandbox import watch
from thoughtforge.sandbox.box import ResourceLimits

AS_NOBODY = """
    import asyncio, ctypes, encodings.idna, os, platform, resource, subprocess, sys
    from pathlib import Path
    from thoughtforge.sandbox import sandbox, watch
    from thoughtforge.sandbox.box import ResourceLimits, SandboxSpec
    platform.release()  # the interpreter's own files may be out of reach from here on
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    before = watch.user_tasks()
    with subprocess.Popen(["sleep", "600"]) as sleeper:
        print(watch.user_tasks() - before)
        sleeper.kill()
    FORKS = "for one in $(seq 40); do sleep 600 & done; sleep 600"
    async def main():
        found = await sandbox.find(sys.argv[1], allow_weak=False)
        spec = SandboxSpec(cwd=Path("/"), limits=ResourceLimits(processes=2, wall_seconds=60.0))
        told = await sandbox.run(found, spec, ["grep", "Max processes", "/proc/self/limits"])
        ended = await sandbox.run(found, spec, ["sh", "-c", FORKS])
        # Whoever is first: the shell gives up when the kernel refuses, or we see too many and end it.
        held = ended.stopped == "processes" or b"fork" in ended.stderr
        print(found.kind, found.groups, told.stdout.split()[2:4], held)
    asyncio.run(main())
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_a_box_of_an_ordinary_user_is_bound_without_a_group():
    argv = [sys.executable, "-c", textwrap.dedent(AS_NOBODY), os.environ["PATH"]]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("1\nbubblewrap None [b'16', b'16'] True\n", "")


def test_root_is_bound_by_nothing_of_the_kind_and_others_are():
    bound = watch.bound(ResourceLimits(processes=5), own_namespace=True)
    assert bound == 0 if os.getuid() == 0 else bound >= 40
    shared = watch.bound(ResourceLimits(processes=5), own_namespace=False)
    assert shared == 0 if os.getuid() == 0 else shared > 40
