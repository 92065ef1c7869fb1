"""One small repository, one person, one scripted agent: what every misbehaviour and its honest twin run in."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from agents.scripts import Agent, from_rules
from agents.workers import KEY, entry
from harness import Done, configure, forked, git, thoughtforge
from harness.environments import warm
from model_server import ModelServer
from model_server.playbooks import from_playbook
from thoughtforge.providers.scripted import load

REQUEST = "Add an average to the till, rounded down"
SECRET = "hunter2-of-the-person"
"""In a file of the person's home and in the environment of the command."""
FILES = {
    "till/__init__.py": '"""A till."""\n',
    "till/prices.py": '''"""Sums of prices, in cents."""


def total(prices: list[int]) -> int:
    """All prices together."""
    return sum(prices)
''',
    "tests/test_total.py": """from till.prices import total


def test_a_total_adds_up():
    assert total([2, 3]) == 5
""",
}
SPECIFICATION: dict[str, Any] = {
    "spec_id": "SPEC-average",
    "title": "Add an average",
    "description": "The till gets average(prices).",
    "requirements": [
        {
            "id": "REQ-001",
            "description": "average(prices) is the mean of prices, rounded down.",
            "priority": "must",
            "acceptance_criteria": ["average([1, 2, 4]) is 2.", "The average of one price is that price."],
            "verification_method": "test",
            "trace": "Add an average to the till",
        }
    ],
    "constraints": [],
    "interfaces": [],
    "files_to_modify": ["till/prices.py"],
    "files_to_create": ["tests/test_average.py"],
    "dependencies": [],
    "estimated_complexity": "trivial",
    "trace_to_request": "One function does what is asked.",
}
TASKS = ".thoughtforge/tasks"
Prepare = Callable[[Path], None]


class World(NamedTuple):
    """What a scenario starts from, besides the repository all have."""

    files: Mapping[str, str] = {}
    prepare: Prepare = lambda repository: None
    """Anything that no text file can be, before the commit."""
    config: Mapping[str, Any] = {}
    specification: Mapping[str, Any] = {}
    """What the specification says differently."""


class Outcome(NamedTuple):
    """How one run of the command ended, and what it left behind."""

    done: Done
    repository: Path
    before: dict[str, str]
    """The person's files before the run, as `kept` lists them."""

    @property
    def around(self) -> Path:
        """The folder everything of this run is in."""
        return self.repository.parent

    @property
    def folder(self) -> Path:
        """The task's."""
        (found,) = [path for path in (self.repository / TASKS).iterdir() if path.is_dir()]
        return found

    @property
    def events(self) -> list[dict[str, Any]]:
        """The record."""
        return [json.loads(line) for line in (self.folder / "events.jsonl").read_text().splitlines()]

    @property
    def branches(self) -> list[str]:
        """What the person's repository has of the task."""
        return git("for-each-ref", "--format=%(refname)", "refs/heads/thoughtforge", cwd=self.repository).split()

    def artifact(self, stage: str) -> dict[str, Any]:
        """The last artifact of a stage."""
        path = sorted((self.folder / "artifacts" / stage).iterdir())[-1]
        found: dict[str, Any] = yaml.safe_load(path.read_text())
        return found

    def verified(self) -> Done:
        """What `thoughtforge verify` says of the record."""
        return forked.thoughtforge("verify", self.folder.name, cwd=self.repository, home=self.around / "person")


def run(folder: Path, rules: list[dict[str, Any]], world: World, worker: str = "") -> Outcome:
    """Make the repository, run the command with these scripted replies and wait for its end.

    With a worker it is that agent which acts, by itself and in its cage, and a model server says the replies to it.
    """
    repository = set_up(folder, world)
    say(folder, rules)
    with _providers(folder, rules, worker) as providers:
        warm(configure(repository, providers=providers, **world.config).parent)
        before = kept(folder)
        done = thoughtforge(*start(folder), **person(folder))
    return Outcome(done, repository, before)


def set_up(folder: Path, world: World) -> Path:
    """The repository, its person and the specification; the repository."""
    home = folder / "person"
    home.mkdir(parents=True)
    (home / "diary.txt").write_text(f"{SECRET}\n")
    (folder / "spec.yaml").write_text(yaml.safe_dump({**SPECIFICATION, **world.specification}))
    return _repository(folder / "shop", world)


def say(folder: Path, rules: list[dict[str, Any]]) -> None:
    """What the scripted agent says from now on."""
    (folder / "playbook.json").write_text(json.dumps({"rules": rules}))


def start(folder: Path) -> list[str]:
    """The arguments that begin the task."""
    return ["start", REQUEST, "--from-spec", str(folder / "spec.yaml"), "--json"]


def person(folder: Path) -> dict[str, Any]:
    """Who calls the command, and where."""
    return {"cwd": folder / "shop", "home": folder / "person", "timeout": 240, "TILL_TOKEN": SECRET, KEY: "a-key"}


def script(folder: Path) -> dict[str, Any]:
    """The scripted agent as a provider."""
    return {"script": {"kind": "scripted", "playbook": str(folder / "playbook.json")}}


@contextmanager
def _providers(folder: Path, rules: list[dict[str, Any]], worker: str) -> Iterator[dict[str, Any]]:
    if not worker:
        yield script(folder)
        return
    with ModelServer(Agent(from_rules(rules), from_playbook(load(folder / "playbook.json")), bold=True)) as server:
        yield {"worker": entry(worker, server)}


def _repository(place: Path, world: World) -> Path:
    """A repository in the middle of its person's work: a stash, something staged, something not, an own file."""
    for path, text in {**FILES, **world.files}.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    git("init", "-q", "-b", "main", cwd=place)
    world.prepare(place)
    git("add", ".", cwd=place)
    git("commit", "-q", "-m", "A till", cwd=place)
    prices = place / "till" / "prices.py"
    clean = prices.read_text()
    prices.write_text(clean + "\n# stashed\n")
    git("stash", "-q", cwd=place)
    prices.write_text(clean + "\n# staged\n")
    git("add", ".", cwd=place)
    prices.write_text(clean + "\n# not staged\n")
    (place / "notes.txt").write_text("mine\n")
    return place


def kept(folder: Path) -> dict[str, str]:
    """Everything of the person's, byte for byte: checkout, index, stash, config, refs, objects, settings and home."""
    home = folder / "shop" / ".thoughtforge"
    found = {}
    for path in sorted(folder.rglob("*")):
        engines = path.is_relative_to(home) and path.relative_to(home).parts[:1] != ("config.yaml",)
        if engines or (path.is_dir() and not path.is_symlink()):
            continue
        data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[str(path.relative_to(folder))] = f"{path.lstat().st_mode:o} {hashlib.sha256(data).hexdigest()}"
    return found


def left_behind(folder: Path) -> list[str]:
    """Processes that still have to do with a folder: by command line, working folder or mounts."""
    wanted, found = os.fsencode(folder), []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            told = (place / "cmdline").read_bytes() + os.fsencode((place / "cwd").readlink())
            told += (place / "mountinfo").read_bytes()
        except OSError:
            continue  # it ended just now, or belongs to someone else
        if wanted in told:
            found.append(f"{place.name} {(place / 'cmdline').read_bytes()[:200]!r}")
    return found
