"""A repository with its person: the one object a whole-run test speaks to."""

from __future__ import annotations

import copy
import json
import subprocess
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml

from harness import PLAYBOOK, REQUEST, Done, configure, events, sample_repository, spawn, task_ids
from harness.environments import warm
from harness.forked import thoughtforge
from model_server import Answer, Asked, ModelServer
from model_server.playbooks import from_playbook
from thoughtforge.providers.scripted import load

PATIENCE = 300.0
"""Seconds a test waits for something that must happen; it is a bound, never a measure."""
T = TypeVar("T")
Rule = dict[str, Any]


class Place(NamedTuple):
    """One repository, one person, and the command."""

    repository: Path
    person: Path

    def run(self, *args: str, stdin: str = "", timeout: float = 120, **env: str) -> Done:
        """Run the command to its end."""
        return thoughtforge(*args, cwd=self.repository, home=self.person, stdin=stdin, timeout=timeout, **env)

    def spawn(self, *args: str, **env: str) -> subprocess.Popen[str]:
        """Start the installed command and leave it running."""
        return spawn(*args, cwd=self.repository, home=self.person, **env)

    def design(self, *args: str, **env: str) -> Done:
        """The usual request, as one JSON object."""
        return self.run("design", REQUEST, "--json", *args, **env)

    @property
    def home(self) -> Path:
        """The folder of the tasks and the configuration."""
        return self.repository / ".thoughtforge"

    @property
    def task(self) -> str:
        """The only task there is."""
        (found,) = task_ids(self.repository)
        return found

    @property
    def folder(self) -> Path:
        """The folder of the only task."""
        return self.home / "tasks" / self.task

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        """The record of the only task, or what is in it of one kind."""
        return [event for event in events(self.repository, self.task) if not kind or event["type"] == kind]

    def blob(self, digest: str) -> str:
        """The text of a blob."""
        return (self.folder / "blobs" / digest).read_text()

    def contexts(self, stage: str = "", mode: str = "") -> list[str]:
        """The contexts that were sent, oldest first."""
        started = self.events("call_started")
        return [
            self.blob(e["context"]) for e in started if stage in ("", e["stage"]) and (not mode or mode == e["mode"])
        ]

    def specification(self) -> dict[str, Any]:
        """The final specification."""
        path = self.folder / "artifacts" / "spec" / "specification_final.yaml"
        found: dict[str, Any] = yaml.safe_load(path.read_text())
        return found

    def script(self, *rules: Rule, **config: Any) -> Path:
        """Put these rules before those of the demonstration and configure them."""
        path = self.home / "playbook.yaml"
        self.home.mkdir(exist_ok=True)
        path.write_text(json.dumps({"rules": [*rules, *demo_rules()]}))
        configure(self.repository, providers={"script": {"kind": "scripted", "playbook": str(path)}}, **config)
        return path

    def serve(
        self, server: ModelServer, api: str = "openai", *, config: dict[str, Any] | None = None, **more: Any
    ) -> None:
        """Configure a model server on loopback as the only provider."""
        free = {"input_per_million": 0, "output_per_million": 0}
        entry = {"kind": "http", "api": api, "base_url": server.urls[api], "model": "tester-1", "price": free, **more}
        configure(self.repository, providers={"wire": entry}, **(config or {}))


def make_place(folder: Path, extra: dict[str, str] | None = None) -> Place:
    """A fresh sample repository, with further files, the scripted replies of the demonstration configured."""
    repository, person = folder / "shelf", folder / "person"
    repository.mkdir(parents=True)
    person.mkdir()
    sample_repository(repository, extra)
    warm(configure(repository).parent)
    return Place(repository, person)


def demo_rules() -> list[Rule]:
    """The rules of the demonstration, to be changed at will."""
    rules: list[Rule] = yaml.safe_load(PLAYBOOK.read_text())["rules"]
    return rules


def demo_reply(number: int) -> dict[str, Any]:
    """The reply of one rule of the demonstration."""
    reply: dict[str, Any] = copy.deepcopy(demo_rules()[number]["reply"])
    return reply


INTAKE, SEARCH, ANSWERS, READ_REPORT, ANALYSIS, READ_CLI, BLOCKED, CLEAN, REVISED, SPEC = range(10)
"""The rules of the demonstration by what they say."""


def from_demo(folder: Path, *rules: Rule) -> Callable[[Asked], Answer]:
    """What a model server says: these rules, then those of the demonstration."""
    path = folder / "served.yaml"
    path.write_text(json.dumps({"rules": [*rules, *demo_rules()]}))
    return from_playbook(load(path))


def until(seen: Callable[[], T], what: str) -> T:
    """Wait until `seen` answers with something, and hand it over."""
    deadline = time.monotonic() + PATIENCE
    while not (found := seen()):
        assert time.monotonic() < deadline, f"waited {PATIENCE:.0f} s for {what}"
        time.sleep(0.02)
    return found


def ended(process: subprocess.Popen[str]) -> Done:
    """How a command that was left running came to its end."""
    out, err = process.communicate(timeout=PATIENCE)
    return Done(process.returncode, out, err)


@contextmanager
def running(process: subprocess.Popen[str]) -> Any:
    """A command that is certainly gone afterwards, whatever the test finds."""
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
