"""The weak sandbox has no walls, but it gives little, limits and cleans up."""

import asyncio
import os
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import Mount, ResourceLimits, SandboxSpec
from thoughtforge.sandbox.sandbox import SEARCH_PATH, run


def test_the_environment_is_what_the_box_gives_and_four_words(weakly):
    ended = weakly("import os; print(sorted(os.environ), os.environ['PATH'])", env={"ONLY": "this"})
    assert ended.stdout.decode() == f"{['HOME', 'LANG', 'ONLY', 'PATH', 'TMPDIR']} {SEARCH_PATH}\n"


def test_the_temporary_folder_is_private_and_gone_afterwards(weakly):
    code = (
        "import os; open(os.environ['TMPDIR'] + '/x', 'w'); print(os.environ['HOME'], os.listdir(os.environ['HOME']))"
    )
    home, rest = weakly(code).stdout.decode().split(" ", 1)
    assert rest == "[]\n"
    assert not Path(home).parent.exists()


def test_a_daemon_in_a_session_of_its_own_is_ended_too(weakly, daemon, processes_left):
    assert weakly(daemon.code).stdout == b"b'up'\n"
    assert processes_left(daemon.word) == []


def test_a_command_that_stops_its_launcher_is_still_ended(weakly, processes_left):
    word = f"stopper-{os.getpid()}"
    code = f"import os, signal, time; os.kill(os.getppid(), signal.SIGSTOP); time.sleep(600)  # {word}"
    assert weakly(code, limits=ResourceLimits(wall_seconds=0.5)).stopped == "wall_seconds"
    assert processes_left(word) == []


def test_a_folder_cannot_be_shown_at_another_place(weak, tmp_path):
    box = SandboxSpec(cwd=tmp_path, mounts=(Mount(tmp_path, target=Path("/elsewhere")),))
    with pytest.raises(UserError, match="cannot be shown as /elsewhere without bubblewrap"):
        asyncio.run(run(weak, box, ["true"]))


def test_a_program_of_the_folder_itself_is_found(weak, tmp_path):
    (tmp_path / "own").write_text("#!/bin/sh\necho own\n")
    (tmp_path / "own").chmod(0o755)
    assert asyncio.run(run(weak, SandboxSpec(cwd=tmp_path), ["./own"])).stdout == b"own\n"


def test_the_command_finds_its_signals_as_every_program_does(weakly):
    code = "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, ()), signal.getsignal(signal.SIGTERM))"
    assert weakly(code).stdout == b"set() 0\n"
