"""What a task does outside its record is done only while its lease is held: no ref, no notice, no commit afterwards."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from doubles import Said, Server
from harness import configure
from harness.trusted import digest_of
from sessions import PATH, SHELF, commit
from thoughtforge.assembly import make_app
from thoughtforge.kernel.errors import LeaseLost
from thoughtforge.kernel.events import StageStarted, TaskCreated
from thoughtforge.kernel.loop import Journal
from thoughtforge.service.app import App
from thoughtforge.service.handover import salvage
from thoughtforge.service.notify import tell_of_milestone
from thoughtforge.settings.trust import TrustStore
from thoughtforge.store.lease import lease
from thoughtforge.store.log import FileLog
from thoughtforge.workspaces.events import WorkspaceMade
from thoughtforge.workspaces.git import Git, find_repository
from thoughtforge.workspaces.workspace import Workspace
from unit.kernel.making import task

ID = "20260101-abcd-a-task"


class Held(NamedTuple):
    """A task this process holds."""

    app: App
    root: Path
    journal: Journal

    @property
    def folder(self) -> Path:
        return self.app.home.folder(ID)

    def lose(self) -> None:
        (self.folder / "lease").unlink()
        (self.folder / "lease").touch()


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    root = tmp_path / "shelf"
    root.mkdir()
    commit(root, SHELF)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True).stdout
    app = make_app(root)
    folder = app.home.folder(ID)
    folder.mkdir(parents=True)
    with lease(folder, who="ada"):
        log = FileLog(folder, masker=app.masker, clock=app.clock)
        journal = Journal(log)
        journal.append(TaskCreated(task=task(repository=str(root), base_commit=head.strip()), task_file="f"))
        journal.append(StageStarted(stage="intake", round=1, role="analyst"))
        journal.append(WorkspaceMade(branch=f"thoughtforge/{ID}"))
        yield Held(app, root, journal)
        log.close()


def refs(root: Path) -> str:
    argv = ["git", "for-each-ref", "--format=%(refname)", "refs/thoughtforge"]
    return subprocess.run(argv, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("lost", [False, True])
def test_a_ref_is_written_only_by_the_holder(held: Held, lost: bool) -> None:
    async def save() -> None:
        user = Git(await find_repository(held.root, path=PATH), path=PATH)
        base = held.journal.state.the_task().base_commit
        workspace = await Workspace.make(user, base=base, branch=f"thoughtforge/{ID}", at=held.folder)
        await workspace.put("new.txt", b"new")
        if lost:
            held.lose()
        await salvage(held.journal, user, workspace)

    if not lost:
        asyncio.run(save())
    else:
        with pytest.raises(LeaseLost):
            asyncio.run(save())
    assert refs(held.root) == ("" if lost else f"refs/thoughtforge/salvage/{ID}")


@pytest.mark.parametrize("lost", [False, True])
def test_a_notice_is_sent_only_by_the_holder(held: Held, lost: bool) -> None:
    posted: list[object] = []
    with Server(lambda asked: (posted.append(asked.json), Said(200, {}))[1]) as hook:
        configure(held.root, notifications={"channels": {"mine": {"kind": "webhook", "url": hook.url}}})
        allowed = TrustStore(held.root / "trust", digest_of(held.root / ".thoughtforge" / "config.yaml"))
        app = replace(make_app(held.root), trust=allowed)
        if lost:
            held.lose()
            with pytest.raises(LeaseLost):
                asyncio.run(tell_of_milestone(app, held.journal, "done"))
        else:
            asyncio.run(tell_of_milestone(app, held.journal, "done"))
    assert len(posted) == (0 if lost else 1)
