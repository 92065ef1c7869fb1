"""A command-line agent as its provider file says, run to its end: no cage, so that only its own configuration holds it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from thoughtforge.cages.cli import Cli, Launch, Output

PROGRAMS = Path(__file__).parents[2] / ".make/agents/node_modules"
PATH = "/usr/local/bin:/usr/bin:/bin"
ALONE = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1,localhost"}
"""A proxy nobody listens at: a request to any other machine fails at once."""


def start(cli: Cli, launch: Launch, *, home: Path, work: Path) -> subprocess.Popen[bytes]:
    """The process, with nothing of our environment and in a group of its own."""
    for name, text in launch.files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    scratch = home / "tmp"
    scratch.mkdir(exist_ok=True)
    return subprocess.Popen(
        [cli.program, *launch.argv],
        cwd=work,
        env={**ALONE, "PATH": PATH, "TMPDIR": str(scratch), **launch.env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def run(
    cli: Cli,
    launch: Launch,
    *,
    home: Path,
    work: Path,
    seconds: float = 40,
    begun: Callable[[subprocess.Popen[bytes]], None] = lambda process: None,
) -> Output:
    """Run it to its end, or end it after `seconds`; `begun` is called once it has its prompt."""
    with start(cli, launch, home=home, work=work) as process:
        assert process.stdin is not None
        process.stdin.write(launch.stdin)
        process.stdin.close()
        process.stdin = None
        begun(process)
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        return Output(process.returncode, out, err)
