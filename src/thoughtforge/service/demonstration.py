"""The demonstration: each step is the same code a person's own command runs; only the replies are scripted."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import yaml

from thoughtforge.catalog import LIBRARY
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.stops import StopReason
from thoughtforge.sandbox import process
from thoughtforge.service.app import App
from thoughtforge.service.plan_commands import approve, ask
from thoughtforge.service.plans import PlanRequest
from thoughtforge.service.plans import begin as begin_plan
from thoughtforge.service.run import Listener, run
from thoughtforge.service.submit import StartRequest, submit
from thoughtforge.service.thoughts import Thought, begin
from thoughtforge.service.trusting import allow
from thoughtforge.store.verify import verify
from thoughtforge.workspaces.git import environment as git_environment

REQUEST = "Add a --json flag to the stock report so that scripts can read it"
WISH = "Show in the stock report which items have run out"
DEMO = LIBRARY / "demo"


class DemoThought(NamedTuple):
    """The documents that rules made of the sample note, by path; both are needed."""

    documents: dict[str, str]
    done: bool


class DemoTask(NamedTuple):
    """The task that carried the request to a branch."""

    task: str
    done: bool
    branch: str
    report: Path


class DemoPlan(NamedTuple):
    """The change plan that was forged and implemented."""

    plan: str
    done: bool
    branch: str
    commits: tuple[str, ...]
    """One line for each phase, the first first."""


def make_place(at: Path | None) -> Path:
    """An empty folder for the sample repository."""
    if at is None:
        return Path(tempfile.mkdtemp(prefix="thoughtforge-demo-"))
    if at.exists() and any(at.iterdir()):
        raise UserError(f"{at} is not empty", do="Name a new folder.")
    at.mkdir(parents=True, exist_ok=True)
    return at.resolve()


async def make_repository(app: App) -> None:
    """The sample repository where `app` stands, with the scripted replies configured and trusted."""
    for path, text in yaml.safe_load((DEMO / "repository.yaml").read_text(encoding="utf-8")).items():
        file = app.cwd / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    person = ("-c", "user.name=Demo", "-c", "user.email=demo@example.org", "-c", "commit.gpgSign=false")
    for args in (("init", "-q", "-b", "main"), ("add", "."), (*person, "commit", "-q", "-m", "A shelf")):
        argv = ["git", *args]
        ended = await process.run(argv, cwd=app.cwd, env=git_environment(app.search_path), wall_seconds=60)
        if ended.code:
            raise UserError(f"git {args[0]} failed: {ended.stderr.decode().strip()}", do="Check git in that folder.")


def configure(app: App) -> None:
    """Scripted replies for every role."""
    app.home.prepare()
    scripts = {"script": "playbook.yaml", "forge_script": "forge.yaml"}
    providers = {name: {"kind": "scripted", "playbook": str(DEMO / file)} for name, file in scripts.items()}
    config = {
        "version": 1,
        "provider": "script",
        "providers": providers,
        "plan": {"phase_max_files": 2},
        "commands": [["python", "-c"]],
    }
    (app.home.root / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    allow(app)


def note() -> str:
    """The sample note."""
    return (DEMO / "notes.md").read_text(encoding="utf-8")


async def think(app: App) -> DemoThought:
    """The note becomes intent.md and plan.md by rules: no reply is scripted here."""
    task_id = await begin(app, Thought(text=note(), draft=True, provider="builtin"))
    await run(app, task_id, listener=lambda record, state: None)
    paths = [app.home.project(task_id) / "docs" / name for name in ("intent.md", "plan.md")]
    found = {str(path): path.read_text(encoding="utf-8") for path in paths if path.is_file()}
    return DemoThought(found, len(found) == len(paths))


async def start(app: App, listener: Listener) -> DemoTask:
    """The request becomes a verified branch."""
    task_id = (await submit(app, StartRequest(request=REQUEST))).task_id
    ended = await run(app, task_id, listener=listener)
    folder = app.store.local(task_id)
    done = ended.rest.reason is StopReason.done
    return DemoTask(task_id, done, f"thoughtforge/{task_id}", folder / "report.md")


async def forge(app: App, listener: Listener) -> str:
    """The wish becomes an audited change plan; its id."""
    plan_id = await begin_plan(app, PlanRequest(WISH, provider="forge_script"))
    await run(app, plan_id, listener=listener)
    return plan_id


async def implement(app: App, plan_id: str, listener: Listener) -> DemoPlan:
    """The plan is approved and becomes commits, phase by phase."""
    await approve(app, plan_id)
    ask(app, plan_id, "all")
    ended = await run(app, plan_id, listener=listener)
    branch = f"thoughtforge/{plan_id}"
    argv = ["git", "log", "--reverse", "--format=%h %s", f"main..{branch}"]
    told = await process.run(argv, cwd=app.cwd, env=git_environment(app.search_path), wall_seconds=60)
    commits = tuple(told.stdout.decode().splitlines()) if told.code == 0 else ()
    return DemoPlan(plan_id, ended.rest.reason is StopReason.done, branch, commits)


def damage_a_copy(app: App, task_id: str) -> tuple[str, ...]:
    """Flip one byte in a copy of the record; the damage that the proof finds."""
    folder = app.store.local(task_id)
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / folder.name
        shutil.copytree(folder, copy)
        log = copy / "events.jsonl"
        raw = bytearray(log.read_bytes())
        raw[len(raw) // 2] ^= 1
        log.write_bytes(raw)
        return verify(copy).damage
