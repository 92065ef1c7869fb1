"""A boxed command gets what its box names, gives back what it said, and leaves nothing behind."""

import asyncio
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from harness.place import until
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import REPORT_FD, Mount, ResourceLimits, SandboxResult, SandboxSpec
from thoughtforge.sandbox.sandbox import SEARCH_PATH, Sandbox, find, run

REPORT = f"import os; report = os.fdopen(int(os.environ['{REPORT_FD}']), 'wb', 0)\n"


def test_output_errors_and_exit_code_come_back(either):
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    assert either(code) == SandboxResult(3, b"out\n", b"err\n", b"", "", False)


def test_the_command_reads_exactly_what_it_is_given(either):
    data = bytes(range(256)) * 4096
    assert either("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", stdin=data).stdout == data


def test_big_output_is_cut_and_the_command_still_ends(either):
    code = "import sys; sys.stdout.write('o' * 5_000_000); sys.stderr.write('e' * 5_000_000); sys.exit(7)"
    assert either(code, max_output=10) == SandboxResult(7, b"o" * 10, b"e" * 10, b"", "", True)


def test_a_command_ended_by_a_signal_answers_128_and_its_number(either):
    assert either("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)").code == 128 + 11


def test_the_environment_is_what_the_box_gives_and_five_words(inside, tmp_path):
    ended = inside("import os; print(sorted(os.environ.items()))", env={"ONLY": "this"})
    wanted = {"ONLY": "this", "PATH": SEARCH_PATH, "HOME": "/tmp/home", "TMPDIR": "/tmp", "LANG": "C.UTF-8"}
    wanted["PWD"] = str(tmp_path)
    assert ended.stdout.decode() == f"{sorted(wanted.items())}\n"


def test_a_box_may_say_where_programs_and_home_are(inside, tmp_path):
    ended = inside("import os; print(os.environ['PATH'], os.environ['HOME'])", env={"PATH": "/bin", "HOME": "/here"})
    assert ended.stdout == b"/bin /here\n"


def test_the_report_arrives_in_order_and_whole(either):
    code = REPORT + "for number in range(20_000): report.write(b'%d\\n' % number)"
    assert either(code, report=True).report.split() == [b"%d" % number for number in range(20_000)]


def test_the_report_arrives_also_when_the_command_drops_dead(either):
    assert either(REPORT + "report.write(b'said'); os._exit(0)", report=True) == SandboxResult(
        0, b"", b"", b"said", "", False
    )


def test_the_report_arrives_also_when_the_box_is_ended(either):
    code = REPORT + "import time; report.write(b'said'); time.sleep(600)"
    ended = either(code, report=True, limits=ResourceLimits(wall_seconds=1.0))
    assert ended == SandboxResult(137, b"", b"", b"said", "wall_seconds", False)


def test_the_report_is_heard_while_the_command_runs(inside, tmp_path):
    (tmp_path / "heard").mkdir()
    heard = []

    def hear(data: bytes) -> None:
        heard.append(data)
        (tmp_path / "heard" / "it").touch()

    code = REPORT + "report.write(b'one')\nwhile not os.path.exists('heard/it'): pass\nreport.write(b'two')"
    assert inside(code, report=True, on_report=hear).report == b"onetwo"
    assert heard == [b"one", b"two"]


def test_an_endless_report_is_cut_at_the_limit(either):
    code = REPORT + "report.write(b'r' * 3_000_000)"
    assert either(code, report=True, max_output=1000) == SandboxResult(0, b"", b"", b"r" * 1000, "", True)


def test_no_report_pipe_is_there_unless_asked_for(either):
    code = "import os; print(len(os.listdir('/proc/self/fd')), [name for name in os.environ if 'REPORT' in name])"
    assert either(code).stdout == b"4 []\n"  # three streams and the listing itself


def test_twenty_boxes_at_once_do_not_mix(strong, tmp_path):
    async def all_of_them() -> list[SandboxResult]:
        box = SandboxSpec(cwd=Path("/"))
        words = ["sh", "-c", f'echo "$0" > /tmp/same; read line < /tmp/same; echo "$line" >/dev/fd/${REPORT_FD}']
        return await asyncio.gather(*(run(strong, box, [*words, str(number)], report=True) for number in range(20)))

    ended = asyncio.run(all_of_them())
    assert [one.report for one in ended] == [b"%d\n" % number for number in range(20)]


def test_a_cancelled_caller_leaves_no_box(strong, weak, tmp_path, processes_left):
    async def cancelled(sandbox: Sandbox, word: str) -> None:
        box = SandboxSpec(cwd=tmp_path, mounts=(Mount(tmp_path, writable=True),))
        task = asyncio.create_task(run(sandbox, box, ["sh", "-c", f"touch {word}; sleep 600; : {word}"]))
        while not (tmp_path / word).exists():
            await asyncio.sleep(0.001)
        assert processes_left(word, looks=1) != []
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    for sandbox in (strong, weak):
        word = f"cancelled-{sandbox.kind}-{os.getpid()}"
        asyncio.run(cancelled(sandbox, word))
        assert processes_left(word) == []


@pytest.mark.parametrize("turns", [0, 1, 3, 5, 8, 12])
def test_a_caller_cancelled_while_the_box_is_built_leaves_none(strong, processes_left, turns):
    async def cancelled(word: str) -> None:
        task = asyncio.create_task(run(strong, SandboxSpec(cwd=Path("/")), ["sh", "-c", f"sleep 600; : {word}"]))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    word = f"early-{turns}-{os.getpid()}"
    asyncio.run(cancelled(word))
    assert processes_left(word) == []


@pytest.mark.parametrize("kind", ["bubblewrap", "weak"])
def test_our_own_sudden_death_ends_the_box_and_the_next_start_takes_its_group_away(kind, tmp_path, processes_left):
    search_path = os.environ["PATH"] if kind == "bubblewrap" else "/nowhere"
    word = f"orphan-{kind}-{os.getpid()}"
    code = f"""
        import asyncio
        from pathlib import Path
        from thoughtforge.sandbox.box import Mount, SandboxSpec
        from thoughtforge.sandbox.sandbox import find, run
        async def main():
            sandbox = await find({search_path!r}, allow_weak=True)
            box = SandboxSpec(cwd=Path({str(tmp_path)!r}), mounts=(Mount(Path({str(tmp_path)!r}), writable=True),))
            command = "setsid sh -c 'touch daemon; sleep 600; : {word}' & touch up; sleep 600; : {word}"
            await run(sandbox, box, ["sh", "-c", command])
        asyncio.run(main())
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)]) as engine:
        while not ((tmp_path / "up").exists() and (tmp_path / "daemon").exists()):
            os.sched_yield()
        engine.kill()
    assert processes_left(word) == []
    found = asyncio.run(find(search_path, allow_weak=True))
    assert found.kind == kind
    if found.groups:
        # a start in another process may be sweeping it this moment, and then has its lock: that counts too
        place = found.groups.processes
        until(lambda: not list(place.glob(f"thoughtforge-{engine.pid}-*")), "the group of the killed engine is gone")


@pytest.mark.skipif(os.getuid() != 0, reason="an ordinary user is bound without control groups")
def test_root_without_control_groups_is_refused_unless_a_person_allows_it(tmp_path):
    code = f"""
        import asyncio
        from thoughtforge.kernel.errors import UserError
        from thoughtforge.sandbox.sandbox import find
        path = {os.environ["PATH"]!r}
        try:
            asyncio.run(find(path, allow_weak=False))
        except UserError as error:
            print(error.what, error.do, sep="\\n")
        for place in (path, "/nowhere"):
            print(asyncio.run(find(place, allow_weak=True)).note)
    """
    hide = 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"'
    argv = ["unshare", "--mount", "sh", "-c", hide, "sh", sys.executable, "-c", textwrap.dedent(code)]
    what, do, strong, weak = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    why = "as root only a cgroup can limit the number of processes, and this process cannot create one here"
    assert what == f"commands cannot run in a sandbox: {why}"
    assert "Run as an ordinary user" in do
    assert "sandbox.allow_weak: true" in do
    assert strong.startswith("bubblewrap: ")
    assert weak.startswith("no isolation: ")
    assert [note.endswith(f"watched but not limited: {why}") for note in (strong, weak)] == [True, True]


def test_no_file_descriptor_stays_open(either):
    before = sorted(Path("/proc/self/fd").iterdir())
    for _ in range(3):
        either("print(1)", report=True)
    assert sorted(Path("/proc/self/fd").iterdir()) == before


def test_a_program_that_is_not_in_the_box_is_a_mistake(strong, weak):
    with pytest.raises(UserError, match="could not start in its sandbox: execvp no-such-program"):
        asyncio.run(run(strong, SandboxSpec(cwd=Path("/")), ["no-such-program"]))
    with pytest.raises(UserError, match="the program no-such-program was not found"):
        asyncio.run(run(weak, SandboxSpec(cwd=Path("/")), ["no-such-program"]))


def test_a_folder_that_is_not_in_the_box_is_a_mistake(strong, weak, tmp_path):
    with pytest.raises(UserError, match="Can't chdir to"):
        asyncio.run(run(strong, SandboxSpec(cwd=tmp_path), ["true"]))
    with pytest.raises(UserError, match="the folder .* does not exist"):
        asyncio.run(run(weak, SandboxSpec(cwd=tmp_path / "nowhere"), ["true"]))


def test_a_mount_that_does_not_exist_is_a_mistake(strong, weak, tmp_path):
    box = SandboxSpec(cwd=Path("/"), mounts=(Mount(tmp_path / "nowhere"),))
    with pytest.raises(UserError, match="nowhere"):
        asyncio.run(run(strong, box, ["true"]))
    with pytest.raises(UserError, match="nowhere does not exist"):
        asyncio.run(run(weak, box, ["true"]))


def test_a_working_bubblewrap_is_found(strong):
    assert (strong.kind, strong.program) == ("bubblewrap", Path("/usr/bin/bwrap").resolve())


def test_without_bubblewrap_the_mistake_names_the_package_and_the_setting(tmp_path):
    with pytest.raises(UserError, match="bubblewrap is not installed") as caught:
        asyncio.run(find(str(tmp_path), allow_weak=False))
    assert "apt install bubblewrap" in caught.value.do
    assert "sandbox.allow_weak: true" in caught.value.do


def test_a_bubblewrap_that_is_refused_namespaces_is_not_taken(tmp_path):
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    with pytest.raises(UserError, match="setting up uid map: Permission denied"):
        asyncio.run(find(str(tmp_path), allow_weak=False))


def test_a_bubblewrap_that_only_pretends_is_not_taken(tmp_path):
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "bwrap").chmod(0o755)
    with pytest.raises(UserError, match="does not work here"):
        asyncio.run(find(str(tmp_path), allow_weak=False))


def test_the_weak_sandbox_says_what_it_does_not_keep_apart(tmp_path):
    found = asyncio.run(find(str(tmp_path), allow_weak=True))
    assert (found.kind, found.program) == ("weak", None)
    assert "the network, the home folder and every file" in found.note
    assert "bubblewrap is not installed" in found.note


def test_lines_are_heard_while_the_command_runs(either):
    heard = []
    code = "import sys; sys.stdout.write('one\\ntw'); sys.stdout.flush(); print('o'); sys.stdout.write('rest')"
    assert either(code, on_line=heard.append).stdout == b"one\ntwo\nrest"
    assert heard == [b"one", b"two"]


def test_lines_are_heard_also_when_the_output_is_too_large_to_keep(either):
    heard = []
    ended = either("for number in range(1000): print(number)", on_line=heard.append, max_output=10)
    assert (ended.cut, len(ended.stdout)) == (True, 10)
    assert heard == [b"%d" % number for number in range(1000)]


def test_a_silent_command_is_ended(either):
    code = "import time; print('said', flush=True); time.sleep(600)"
    ended = either(code, limits=ResourceLimits(wall_seconds=60.0, idle_seconds=1.0))
    assert ended == SandboxResult(137, b"said\n", b"", b"", "idle_seconds", False)


def test_a_command_that_talks_is_not_silent(either):
    code = "import sys, time\nfor _ in range(4): time.sleep(0.6); sys.stderr.write('x'); sys.stderr.flush()"
    ended = either(code, limits=ResourceLimits(wall_seconds=60.0, idle_seconds=2.0))
    assert (ended.code, ended.stopped) == (0, "")


def test_other_signs_of_life_count_too(either):
    ended = either(
        "import time; time.sleep(2)",
        limits=ResourceLimits(wall_seconds=60.0, idle_seconds=1.0),
        alive=lambda: asyncio.get_running_loop().time(),
    )
    assert (ended.code, ended.stopped) == (0, "")
