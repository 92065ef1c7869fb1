"""The processes below one are found, measured and ended."""

import os
import subprocess
import sys

import pytest

from thoughtforge.sandbox import watch

CHILD = "import os, sys; kept = b'x' * int(sys.argv[1]); print('up', flush=True); sys.stdin.read()"


@pytest.fixture
def child():
    """A process of ours with a child of its own, holding 50 MB."""
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}, '50000000'])"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"up\n"
        yield started.pid
        started.kill()
        watch.end_tree(started.pid)


def test_children_of_children_are_found_and_the_root_is_not(child):
    found = watch.below(child)
    assert (len(found.pids), found.threads, child in found.pids) == (1, 1, False)
    assert set(found.pids) < set(watch.below(os.getpid()).pids)


def test_looking_stops_above_the_most(child):
    assert len(watch.below(os.getpid(), most=0).pids) == 1


def test_memory_is_measured(child):
    pids = watch.below(child).pids
    assert 50_000_000 < watch.proportional(pids) <= watch.resident(pids) < 200_000_000


def test_what_is_written_to_disk_is_measured(tmp_path):
    before = watch.written([os.getpid()])
    (tmp_path / "file").write_bytes(b"x" * 3_000_000)
    assert watch.written([os.getpid()]) - before >= 3_000_000


def test_everything_below_is_ended():
    with subprocess.Popen(["sh", "-c", "sleep 600; exit 5"], stdout=subprocess.PIPE) as shell:
        while not watch.below(shell.pid).pids:
            os.sched_yield()
        assert watch.end_tree(shell.pid) is True
        # The shell itself goes on once its child is gone.
        assert shell.wait() == 5


def test_a_process_that_is_gone_has_nothing_and_uses_nothing():
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert watch.below(gone.pid) == watch.ProcessTree((), 0)
    assert (watch.resident([gone.pid]), watch.proportional([gone.pid]), watch.written([gone.pid])) == (0, 0, 0)
    assert watch.end_tree(gone.pid) is False
