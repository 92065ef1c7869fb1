"""A command-line agent as its provider file says, run to its end: no cage, only its own configuration holds it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from model_server import ModelServer
from thoughtforge.agent_runtime.cli import Ask, Cli, Launch, Output, TurnOutput
from thoughtforge.calls.port import ProviderError

PROGRAMS = Path(__file__).parents[2] / ".make/agents/node_modules"
PATH = "/usr/local/bin:/usr/bin:/bin"
ALONE = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1,localhost"}
"""A proxy nobody listens at: a request to any other machine fails at once."""
KEY = "key-that-must-not-be-told"


class Place(NamedTuple):
    """An agent, its private home and the folder it starts in."""

    cli: Cli
    home: Path
    work: Path
    model: str

    def ask(self, server: ModelServer, **fields: Any) -> Ask:
        """A turn at that server; with a key unless another is given."""
        given = {"system": "You plan.", "prompt": "Plan it.", "model": self.model, "key": KEY}
        given["model_url"] = server.urls[self.cli.api]
        return Ask(home=self.home, work=self.work, **(given | fields))

    def told(self, server: ModelServer, **fields: Any) -> TurnOutput:
        """What a turn said."""
        ask = self.ask(server, **fields)
        return self.cli.read(ask, self.run(self.cli.launch(ask)))

    def start(self, launch: Launch) -> subprocess.Popen[bytes]:
        """The process with its prompt, nothing of our environment, and a group of its own."""
        for name, text in launch.files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        process = subprocess.Popen(
            [self.cli.program, *launch.argv],
            cwd=self.work,
            env={**ALONE, "PATH": PATH, **launch.env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(launch.stdin)
        process.stdin.close()
        process.stdin = None
        return process

    def run(self, launch: Launch, *, seconds: float = 60) -> Output:
        """Run it to its end, or end it after `seconds`."""
        with self.start(launch) as process:
            return _ended(process, seconds)

    def interrupted(self, server: ModelServer, launch: Launch, *, number: signal.Signals) -> Output:
        """Run it until it waits for its model, then send the signal to all of it."""
        with self.start(launch) as process:
            deadline = time.monotonic() + 30
            while not server.asked and time.monotonic() < deadline:
                time.sleep(0.01)
            os.killpg(process.pid, number)
            return _ended(process, 10)


class Failed(NamedTuple):
    """How a turn failed."""

    error: str
    kind: str
    requests: int


def failed(place: Place, server: ModelServer, *, seconds: float = 60, **fields: Any) -> Failed:
    """The failure of a turn; that it is taken for a success is one of the test."""
    ask = place.ask(server, **fields)
    output = place.run(place.cli.launch(ask), seconds=seconds)
    return Failed(*named(place.cli, ask, output), len(server.asked))


def named(cli: Cli, ask: Ask, output: Output) -> tuple[str, str]:
    """The name and kind of the error an output is read as; a key in its words is a failure of the test."""
    with pytest.raises(ProviderError) as caught:
        cli.read(ask, output)
    error = caught.value
    assert KEY not in f"{error.message} {error.do}"
    assert error.do
    return type(error).__name__, error.kind


def nobody() -> str:
    """An address on this machine at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{found.getsockname()[1]}"


def _ended(process: subprocess.Popen[bytes], seconds: float) -> Output:
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return Output(process.returncode, out, err)
