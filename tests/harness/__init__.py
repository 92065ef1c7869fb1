"""The installed command on a real repository: what every whole-run test uses. Nothing is replaced or patched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from harness.trusted import allowing

COMMAND = Path(sys.executable).with_name("thoughtforge")
LIBRARY = Path(__file__).parents[2] / "src" / "thoughtforge" / "library"
REQUEST = "Add a --json flag to the stock report so that scripts can read it"
PLAYBOOK = LIBRARY / "demo" / "playbook.yaml"


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on stdout."""
        return json.loads(self.out)


def environment(home: Path, **more: str) -> dict[str, str]:
    """A clean environment: nothing of the person who runs the tests gets in."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **more}


def thoughtforge(*args: str, cwd: Path, home: Path, stdin: str = "", timeout: float = 120, **env: str) -> Done:
    """Run the installed command and wait for its end."""
    ended = subprocess.run(
        [COMMAND, *args],
        cwd=cwd,
        env=environment(home, **allowing(cwd, env), **env),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Done(ended.returncode, ended.stdout, ended.stderr)


def spawn(*args: str, cwd: Path, home: Path, **env: str) -> subprocess.Popen[str]:
    """Start the installed command and leave it running."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [COMMAND, *args],
        cwd=cwd,
        env=environment(home, **allowing(cwd, env), **env),
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
    )


def git(*args: str, cwd: Path) -> str:
    """Real git with an identity of its own."""
    person = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgSign=false")
    env = environment(cwd, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull)
    ended = subprocess.run(["git", *person, *args], cwd=cwd, env=env, capture_output=True, text=True, check=True)
    return ended.stdout


def sample_repository(place: Path, extra: dict[str, str] | None = None) -> Path:
    """The sample repository of the demonstration, with further files, committed."""
    files = {**yaml.safe_load((LIBRARY / "demo" / "repository.yaml").read_text()), **(extra or {})}
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    git("init", "-q", "-b", "main", cwd=place)
    git("add", ".", cwd=place)
    git("commit", "-q", "-m", "A shelf", cwd=place)
    return place


def configure(repository: Path, **config: Any) -> Path:
    """Write config.yaml of a repository's home; scripted replies of the demonstration unless providers are given."""
    home = repository / ".thoughtforge"
    home.mkdir(exist_ok=True)
    config.setdefault("providers", {"script": {"kind": "scripted", "playbook": str(PLAYBOOK)}})
    config.setdefault("provider", next(iter(config["providers"])))
    path = home / "config.yaml"
    path.write_text(yaml.safe_dump({"version": 1, **config}))
    return path


def events(repository: Path, task: str) -> list[dict[str, Any]]:
    """The raw record of a task."""
    path = repository / ".thoughtforge" / "tasks" / task / "events.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def task_ids(repository: Path) -> list[str]:
    """The tasks of a repository's home."""
    tasks = repository / ".thoughtforge" / "tasks"
    return sorted(path.name for path in tasks.iterdir() if path.is_dir()) if tasks.is_dir() else []
