"""Children are started plainly, held to their limits and never left behind."""

import asyncio
import os
import sys
import threading
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.process import ProcessResult, RunningProcess, detach, run

LONG = 60.0


def python(code: str, folder: Path, **more) -> ProcessResult:
    return asyncio.run(run([sys.executable, "-c", code], cwd=folder, env={}, **{"wall_seconds": LONG} | more))


def is_alive(pid: int) -> bool:
    """Whether a process still runs; where /proc tells, one that only waits to be reaped does not."""
    try:
        os.kill(pid, 0)
        if Path("/proc/self/stat").exists():
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
    return True


def wait_until_gone(pid: int) -> bool:
    for _ in range(1_000_000):
        if not is_alive(pid):
            return True
        os.sched_yield()
    return False


def test_output_errors_and_exit_code_come_back(tmp_path):
    ended = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", tmp_path)
    assert ended == ProcessResult(3, b"out\n", b"err\n", timed_out=False, cut=False)


def test_the_child_reads_exactly_what_it_is_given(tmp_path):
    data = bytes(range(256)) * 4096
    code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert python(code, tmp_path, stdin=data) == ProcessResult(0, data, b"", timed_out=False, cut=False)


def test_a_child_that_never_reads_its_input_does_not_block(tmp_path):
    assert python("", tmp_path, stdin=b"x" * 3_000_000) == ProcessResult(0, b"", b"", timed_out=False, cut=False)


def test_the_environment_is_the_given_one_and_nothing_else(tmp_path):
    argv = ["/usr/bin/env"]
    ended = asyncio.run(run(argv, cwd=tmp_path, env={"ONLY": "this"}, wall_seconds=LONG))
    assert ended.stdout == b"ONLY=this\n"


def test_arguments_reach_the_program_unread_by_any_shell(tmp_path):
    ended = asyncio.run(run(["echo", "$HOME; *"], cwd=tmp_path, env={"PATH": os.defpath}, wall_seconds=LONG))
    assert ended.stdout == b"$HOME; *\n"


def test_output_over_the_limit_is_dropped_and_the_child_still_ends(tmp_path):
    code = "import sys; sys.stdout.write('o' * 5_000_000); sys.stderr.write('e' * 5_000_000); sys.exit(7)"
    assert python(code, tmp_path, max_output=10) == ProcessResult(7, b"o" * 10, b"e" * 10, timed_out=False, cut=True)


def test_output_of_exactly_the_limit_is_not_called_cut(tmp_path):
    assert python("print('123456789')", tmp_path, max_output=10) == ProcessResult(0, b"123456789\n", b"", False, False)


def test_time_over_ends_the_whole_group(tmp_path):
    argv = ["sh", "-c", "sleep 600 & echo $!; wait"]
    ended = asyncio.run(run(argv, cwd=tmp_path, env={"PATH": os.defpath}, wall_seconds=1.0))
    assert (ended.code, ended.timed_out) == (-9, True)
    assert wait_until_gone(int(ended.stdout))


def test_a_grandchild_left_in_the_group_is_ended_with_the_child(tmp_path):
    code = (
        "import subprocess, sys\n"
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid, flush=True)"
    )
    ended = python(code, tmp_path)
    assert (ended.code, ended.timed_out) == (0, False)
    assert wait_until_gone(int(ended.stdout))


def test_a_cancelled_caller_leaves_no_child(tmp_path):
    async def cancelled() -> int:
        code = "import os, time; open('pid', 'w').write(str(os.getpid())); os.rename('pid', 'ready'); time.sleep(600)"
        task = asyncio.create_task(run([sys.executable, "-c", code], cwd=tmp_path, env={}, wall_seconds=LONG))
        while not (tmp_path / "ready").exists():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return int((tmp_path / "ready").read_text())

    assert wait_until_gone(asyncio.run(cancelled()))


def test_a_missing_program_is_named(tmp_path):
    with pytest.raises(UserError, match="the program no-such-program was not found"):
        asyncio.run(run(["no-such-program"], cwd=tmp_path, env={"PATH": os.defpath}, wall_seconds=LONG))


def test_a_missing_folder_is_named_and_not_the_program(tmp_path):
    with pytest.raises(UserError, match="the folder .*nowhere does not exist"):
        asyncio.run(run([sys.executable], cwd=tmp_path / "nowhere", env={}, wall_seconds=LONG))


def test_a_file_that_is_no_program_is_named(tmp_path):
    (tmp_path / "notes").write_text("text")
    with pytest.raises(UserError, match="notes could not be started"):
        asyncio.run(run([tmp_path / "notes"], cwd=tmp_path, env={}, wall_seconds=LONG))


def test_children_are_refused_outside_the_main_thread(tmp_path):
    caught = []

    def elsewhere():
        try:
            python("", tmp_path)
        except RuntimeError as error:
            caught.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert caught == ["child processes are started from the main thread only"]


def test_no_file_descriptor_stays_open(tmp_path):
    before = sorted(Path("/dev/fd").iterdir())
    for _ in range(3):
        python("print(1)", tmp_path)
    assert sorted(Path("/dev/fd").iterdir()) == before


def test_a_detached_child_has_its_own_session_and_appends_to_the_log(tmp_path):
    log = tmp_path / "log"
    log.write_text("before\n")
    code = "import os, sys; print(os.getsid(0) == os.getpid(), sys.stdin.read() == '', dict(os.environ)['A'])"
    pid = detach([sys.executable, "-c", code], cwd=tmp_path, env={"A": "b"}, log=log)
    assert os.waitpid(pid, 0) == (pid, 0)
    assert log.read_text() == "before\nTrue True b\n"


def test_detaching_a_missing_program_names_it(tmp_path):
    with pytest.raises(UserError, match="the program no-such-program was not found"):
        detach(["no-such-program"], cwd=tmp_path, env={}, log=tmp_path / "log")


def test_a_lasting_child_answers_until_it_is_closed(tmp_path):
    async def talk() -> tuple[list[bytes], int]:
        child = await RunningProcess.start(["cat"], cwd=tmp_path, env={"PATH": os.defpath})
        answers = []
        for word in (b"one\n", b"two\n"):
            child.requests.write(word)
            await child.requests.drain()
            answers.append(await child.answers.readline())
        await child.close()
        await child.close()
        return answers, child.child.pid

    answers, pid = asyncio.run(talk())
    assert answers == [b"one\n", b"two\n"]
    assert wait_until_gone(pid)
