"""One honest run for many cheats: it dies where a stage begins, and each cheat goes on from there with its own script.

What was done until then (environment, baseline, for most cheats also the tests) is done once. From there on it is the
same command, the same stages, exits, gate and bridge, and the same record is looked at.
"""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

from cheats.place import Outcome, World, kept, person, run, say, script, set_up, start
from cheats.script import Rule, rules
from flows.crash_support import SITE
from harness import configure, task_ids
from harness.boundaries import Boundary
from harness.environments import warm
from harness.forked import thoughtforge


class Session:
    """The honest run of the usual repository, and the places of its stages to go on from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.honest = run(folder / "honest", rules(), World())
        """Of the installed command, from beginning to end."""

    def go_on(self, stage: str, replies: list[Rule]) -> Outcome:
        """Where the stage has just begun, with these replies from now on."""
        begun, here = self._begun(stage), self.folder / "here"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(begun, here, symlinks=True)
        say(here, replies)
        before = kept(here)
        (task,) = task_ids(here / "shop")
        return Outcome(thoughtforge("continue", task, "--json", **person(here)), here / "shop", before)

    def _begun(self, stage: str) -> Path:
        """A copy of everything at the moment the stage began; the record names places, so it is made at one."""
        begun, here = self.folder / stage, self.folder / "here"
        if begun.is_dir():
            return begun
        shutil.rmtree(here, ignore_errors=True)
        repository = set_up(here, World())
        say(here, rules())
        warm(configure(repository, providers=script(here)).parent)
        before, at = kept(here), self._started(stage).at
        done = thoughtforge(*start(here), **person(here), PYTHONPATH=str(SITE), CRASH=at)
        left = Outcome(done, repository, before).events[-1]
        assert (done.code, left["type"], left["stage"]) == (-signal.SIGKILL, "stage_started", stage), done.err
        assert kept(here) == before
        shutil.copytree(here, begun, symlinks=True)
        return begun

    def _started(self, stage: str) -> Boundary:
        started = [e for e in self.honest.events if e["type"] == "stage_started" and e["stage"] == stage]
        return Boundary(started[0]["seq"], "after")
