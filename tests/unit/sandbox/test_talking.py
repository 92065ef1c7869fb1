"""A boxed command can be talked with; leaving the conversation ends it with everything it started."""

import asyncio
import sys
from pathlib import Path

import pytest

from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxSpec
from thoughtforge.sandbox.talking import talking

PYTHON = Path(sys.executable).resolve()
ECHO = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)\n"


def box(folder, **limits):
    return SandboxSpec(
        folder, (Mount(Path(sys.base_prefix)), Mount(folder)), limits=ResourceLimits(**{"wall_seconds": 60.0, **limits})
    )


def test_lines_go_both_ways(either_sandbox, tmp_path):
    async def talk():
        async with talking(either_sandbox, box(tmp_path), [PYTHON, "-c", ECHO]) as talk:
            said = []
            for word in (b"one\n", b"two\n"):
                talk.writer.write(word)
                await talk.writer.drain()
                said.append(await talk.reader.readline())
            talk.writer.close()
            return said, await talk.reader.read(), await talk.stopped

    assert asyncio.run(talk()) == ([b"ONE\n", b"TWO\n"], b"", "")


def test_a_long_line_arrives_whole(either_sandbox, tmp_path):
    async def talk():
        async with talking(either_sandbox, box(tmp_path), [PYTHON, "-c", ECHO]) as talk:
            talk.writer.write(b"x" * 3_000_000 + b"\n")
            return await talk.reader.readline()

    assert asyncio.run(talk()) == b"X" * 3_000_000 + b"\n"


def test_leaving_ends_everything(either_sandbox, tmp_path, processes_left):
    code = (
        "import subprocess, sys, time\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(600)', 'talk-left']\n"
        "subprocess.Popen(sleep, start_new_session=True)\n"
        "print('up', flush=True)\ntime.sleep(600)"
    )

    async def talk():
        async with talking(either_sandbox, box(tmp_path), [PYTHON, "-c", code]) as talk:
            return await talk.reader.readline()

    assert asyncio.run(talk()) == b"up\n"
    assert processes_left("talk-left") == []


@pytest.mark.parametrize(
    ("limits", "stopped"), [({"wall_seconds": 1.0}, "wall_seconds"), ({"idle_seconds": 1.0}, "idle_seconds")]
)
def test_a_limit_ends_the_conversation(either_sandbox, tmp_path, limits, stopped):
    code = "import sys, time; sys.stderr.write('said'); sys.stderr.flush(); time.sleep(600)"

    async def talk():
        async with talking(either_sandbox, box(tmp_path, **limits), [PYTHON, "-c", code]) as talk:
            return await talk.reader.read(), await talk.stopped, talk.errors()

    assert asyncio.run(talk()) == (b"", stopped, b"said")


def test_a_command_that_says_more_than_is_heard_has_to_wait(strong, tmp_path):
    code = "import sys\nfor _ in range(100): sys.stdout.write('x' * 1_000_000)\nprint('end', file=sys.stderr)"

    async def talk():
        async with talking(strong, box(tmp_path), [PYTHON, "-c", code]) as talk:
            done, _ = await asyncio.wait([talk.stopped], timeout=2)
            waited = not done
            size = 0
            while data := await talk.reader.read(1_000_000):
                size += len(data)
            return waited, size, await talk.stopped, talk.errors()

    assert asyncio.run(talk()) == (True, 100_000_000, "", b"end\n")
