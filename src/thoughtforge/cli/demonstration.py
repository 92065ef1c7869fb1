"""The steps of the demonstration, each the same code a person's own command runs."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import click
import yaml

from thoughtforge.catalog import LIBRARY
from thoughtforge.cli.ends import DONE, FAILED, Leave, print_json
from thoughtforge.cli.progress import Progress
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.stops import StopReason
from thoughtforge.sandbox import process
from thoughtforge.service.app import App
from thoughtforge.service.run import Ended, run
from thoughtforge.service.submit import Order, submit
from thoughtforge.service.thoughts import Thought, begin
from thoughtforge.service.trusting import allow
from thoughtforge.store.verify import Proof, verify
from thoughtforge.workspaces.git import environment as git_environment

REQUEST = "Add a --json flag to the stock report so that scripts can read it"
DEMO = LIBRARY / "demo"


def demonstrate(at: Path | None, *, as_json: bool, make_app: Callable[[Path], App]) -> None:
    """Put a note in order, carry a request to a branch, prove the record, damage a copy, prove that this shows."""
    place = _place(at)
    say = _silent if as_json else click.echo
    asyncio.run(_repository(place, make_app(place).search_path))
    say(f"sample repository: {place}")
    app = make_app(place)
    _configure(app)
    app = app.anew()
    thought = _think(app, say)
    say(f"\nreplies are scripted: written for this demonstration, not by a model\n$ thoughtforge start {REQUEST!r}")
    with Progress(quiet=as_json) as progress:
        task_id, ended = asyncio.run(_start(app, progress))
    folder = app.store.local(task_id)
    say(f"\n$ thoughtforge verify {task_id}")
    proof = app.store.verify(task_id)
    say(f"{proof.events} events, {proof.blobs} blobs: {'; '.join(proof.damage) or 'the record is whole and unchanged'}")
    damaged = _flip_a_byte(folder)
    say(f"one byte of a copy flipped: {damaged.damage[0] if damaged.damage else 'NOT NOTICED'}")
    good = thought and ended.rest.reason is StopReason.done and not proof.damage and bool(damaged.damage)
    _tell(app, task_id, good=good, as_json=as_json)


def _think(app: App, say: Callable[[str], None]) -> bool:
    """A sample note becomes intent.md and plan.md by rules: no reply is scripted here. Whether both are there."""
    text = (DEMO / "notes.md").read_text(encoding="utf-8")
    say(f"a note, put in order by rules, for real\n\n{text}\n$ thoughtforge think notes.md --provider builtin")
    task_id = asyncio.run(begin(app, Thought(text=text, draft=True, provider="builtin")))
    asyncio.run(run(app, task_id, listener=lambda record, state: None))
    documents = [app.home.project(task_id) / "docs" / name for name in ("intent.md", "plan.md")]
    for path in documents:
        if path.is_file():
            say(f"\n{path}\n\n{path.read_text(encoding='utf-8')}")
    return all(path.is_file() for path in documents)


def _silent(line: str) -> None:
    return


def _place(at: Path | None) -> Path:
    if at is None:
        return Path(tempfile.mkdtemp(prefix="thoughtforge-demo-"))
    if at.exists() and any(at.iterdir()):
        raise Mistake(f"{at} is not empty", do="Name a new folder.")
    at.mkdir(parents=True, exist_ok=True)
    return at.resolve()


async def _repository(place: Path, search_path: str) -> None:
    for path, text in yaml.safe_load((DEMO / "repository.yaml").read_text(encoding="utf-8")).items():
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    person = ("-c", "user.name=Demo", "-c", "user.email=demo@example.org", "-c", "commit.gpgSign=false")
    for args in (("init", "-q", "-b", "main"), ("add", "."), (*person, "commit", "-q", "-m", "A shelf")):
        argv = ["git", *args]
        ended = await process.run(argv, cwd=place, env=git_environment(search_path), wall_seconds=60)
        if ended.code:
            raise Mistake(f"git {args[0]} failed: {ended.stderr.decode().strip()}", do="Check git in that folder.")


def _configure(app: App) -> None:
    app.home.prepare()
    script = {"kind": "scripted", "playbook": str(DEMO / "playbook.yaml")}
    config = {"version": 1, "provider": "script", "providers": {"script": script}}
    (app.home.root / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    allow(app)


async def _start(app: App, progress: Progress) -> tuple[str, Ended]:
    submitted = await submit(app, Order(request=REQUEST))
    return submitted.task_id, await run(app, submitted.task_id, listener=progress)


def _flip_a_byte(folder: Path) -> Proof:
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / folder.name
        shutil.copytree(folder, copy)
        log = copy / "events.jsonl"
        raw = bytearray(log.read_bytes())
        raw[len(raw) // 2] ^= 1
        log.write_bytes(raw)
        return verify(copy)


def _tell(app: App, task_id: str, *, good: bool, as_json: bool) -> None:
    report = app.store.local(task_id) / "report.md"
    branch = f"thoughtforge/{task_id}"
    code = DONE if good else FAILED
    if as_json:
        data = {"task": task_id, "labels": ["scripted"], "repository": str(app.cwd), "report": str(report)}
        print_json({"ok": good, "exit_code": code, **data, "branch": branch})
        raise Leave(code)
    if good:
        click.echo(f"\n{report.read_text(encoding='utf-8')}")
        click.echo(f"branch: {branch}\nreport: {report}")
        click.echo(f"  → Look around: cd {app.cwd} && git log --stat {branch}; thoughtforge apply {task_id}")
    else:
        click.echo("the demonstration failed", err=True)
    raise Leave(code)
