"""Whoever crosses a limit is ended with everything it started, and the limit is named."""

import os

import pytest

from thoughtforge.sandbox.box import Mount, ResourceLimits
from thoughtforge.sandbox.sandbox import Sandbox

MB = 1024**2
TIGHT = ResourceLimits(wall_seconds=60.0, memory_bytes=200 * MB, processes=40, file_bytes=10 * MB, temp_bytes=20 * MB)

BOMB = """
import os, time
tokens, filled = os.pipe()
os.write(filled, b"t" * 2000)
os.close(filled)
while os.read(tokens, 1):
    try: os.fork()
    except OSError: pass
time.sleep(600)
"""
"""Everyone it makes goes on forking; all of them together try 2,000 times, should nothing hold them."""
GREEDY = {
    "processes": BOMB,
    "memory_bytes": "import time\nkept = [bytearray(1_000_000) for _ in range(2000)]\ntime.sleep(600)",
    "temp_bytes": """
import os, time
for number in range(2000):
    try:
        open(os.environ["TMPDIR"] + f"/{number}", "wb").write(b"x" * 1_000_000)
        time.sleep(0.02)
    except OSError:
        time.sleep(0.01)
time.sleep(600)
""",
}


@pytest.mark.parametrize("limit", GREEDY)
def test_a_greedy_command_is_ended_and_its_limit_named(either, either_sandbox, processes_left, limit):
    if limit == "processes":
        only_where_the_kernel_binds(either_sandbox)
    word = f"greedy-{os.getpid()}"
    ended = either(GREEDY[limit] + f"\n# {word}", limits=TIGHT)
    assert (ended.code, ended.stopped) == (137, limit)
    assert processes_left(word) == []


def test_a_command_that_was_refused_a_process_and_gave_up_names_the_limit_too(either, either_sandbox):
    only_where_the_kernel_binds(either_sandbox)
    code = """
import os, time
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(600)
except OSError:
    os._exit(0)
time.sleep(600)
"""
    assert either(code, limits=TIGHT._replace(processes=2)).stopped == "processes"


def only_where_the_kernel_binds(sandbox: Sandbox) -> None:
    """A bomb is only lit in a box that holds it; what the sandbox says elsewhere is held against it."""
    if os.getuid() == 0 and sandbox.groups is None:
        assert "watched but not limited" in sandbox.note
        pytest.skip("the kernel binds no number of processes here")


def test_a_sleeper_is_ended_when_its_time_is_over(either):
    ended = either("import time; time.sleep(600)", limits=TIGHT._replace(wall_seconds=0.5))
    assert (ended.code, ended.stopped) == (137, "wall_seconds")


def test_threads_without_end_count_as_processes(either):
    code = """
import threading, time
for _ in range(2000):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
time.sleep(600)
"""
    assert either(code, limits=TIGHT._replace(processes=10)).stopped == "processes"


def test_memory_is_counted_over_all_processes_together(either):
    code = (
        "import os, time\nfor _ in range(3): os.fork()\nkept = bytearray(os.urandom(1)) * 40_000_000\ntime.sleep(600)"
    )
    assert either(code, limits=TIGHT).stopped == "memory_bytes"


def test_memory_that_processes_share_is_counted_once(either):
    code = """
import os, time
kept = bytes(60_000_000).replace(b"\\0", b"x")
children = []
while len(children) < 2:
    children.append(os.fork())
    if children[-1] == 0:
        time.sleep(0.3)
        os._exit(0)
for child in children:
    os.waitpid(child, 0)
print(len(kept))
"""
    ended = either(code, limits=TIGHT._replace(memory_bytes=150 * MB))
    assert (ended.stopped, ended.stdout) == ("", b"60000000\n")


def test_a_file_that_grows_too_large_is_refused_by_the_kernel(either):
    code = """
import os
file = open(os.environ["TMPDIR"] + "/big", "wb", 0)
try:
    for _ in range(1000): file.write(b"x" * 1_000_000)
except OSError as error:
    print(error.strerror, file.tell())
"""
    assert either(code, limits=TIGHT).stdout == b"File too large 10485760\n"


def test_a_program_the_kernel_ends_for_its_file_names_that_limit(either):
    code = "import os; os.execvp('sh', ['sh', '-c', 'exec dd if=/dev/zero of=$TMPDIR/big bs=1M count=99 2>/dev/null'])"
    reset = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
    ended = either(reset + code, limits=TIGHT)
    assert (ended.code, ended.stopped) == (153, "file_bytes")


def test_countless_empty_files_are_noticed(inside):
    code = "for number in range(100_000): open(f'/tmp/{number}', 'w').close()"
    assert inside(code, limits=TIGHT._replace(temp_bytes=4 * MB)).stopped == "temp_bytes"


def test_writing_to_a_disk_without_end_is_noticed(either, tmp_path):
    place = tmp_path / "open"
    place.mkdir()
    code = "import sys\nfor _ in range(5000): open(sys.argv[1] + '/same', 'wb').write(b'x' * 1_000_000)"
    ended = either(code, str(place), limits=TIGHT._replace(file_bytes=2 * MB), mounts=(Mount(place, writable=True),))
    assert ended.stopped == "file_bytes"


def test_a_modest_command_keeps_its_limits_and_ends_by_itself(either):
    code = (
        "import subprocess, sys; print(subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True).stdout)"
    )
    ended = either(code, limits=TIGHT)
    assert (ended.code, ended.stdout, ended.stopped) == (0, b"b'1\\n'\n", "")


def test_no_memory_image_is_left_by_a_crash(either):
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_FSIZE))"
    assert either(code, limits=TIGHT).stdout.decode() == f"(0, 0) ({10 * MB}, {10 * MB})\n"
