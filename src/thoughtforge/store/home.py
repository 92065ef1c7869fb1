"""Where tasks live on disk and how a person's word for one finds it. Imports nothing heavy: `status` starts here."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from thoughtforge.kernel.errors import UserError

GITIGNORE = """# Tasks stay on this machine; what a team shares is kept in the repository.
/*
!/.gitignore
!/config.yaml
!/roles/
!/pipelines/
!/contracts/
!/prompts/
!/templates/
!/conformance/
!/tools/
!/guards/
!/plans/
"""


class Home:
    """One ThoughtForge home folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tasks = root / "tasks"
        self.projects = root / "projects"
        self.plans = root / "plans"
        """The files of change plans; they are not ignored, so a team can keep them in the repository."""
        self.environments = root / "environments"
        self.findings = root / "cache" / "findings"
        """What base commits have already; checks and tasks share it."""
        self.shown = root / "cache" / "plans"
        """What the files of change plans said when the engine last dealt with them."""
        self.agents = root / "homes"
        """The private homes of command-line agents."""

    def prepare(self) -> None:
        """Make the folders; a home that cannot be written is named."""
        try:
            self.tasks.mkdir(parents=True, exist_ok=True)
            ignore = self.root / ".gitignore"
            if not ignore.exists():
                with ignore.open("x") as file:  # never through a link that leads elsewhere
                    file.write(GITIGNORE)
        except OSError as error:
            raise UserError(
                f"the home folder {self.root} cannot be written: {error.strerror}",
                do="Give write access, or set THOUGHTFORGE_HOME to a folder on a local disk.",
            ) from error

    def refuse_links(self) -> None:
        """Stop when a repository brought along links in place of our folders: we write and remove what is in those."""
        ours = (
            self.root,
            self.tasks,
            self.projects,
            self.plans,
            self.findings.parent,
            self.findings,
            self.shown,
            self.agents,
        )
        found = tuple(str(path) for path in ours if path.is_symlink())
        if found:
            raise UserError(
                f"the home folder in this repository has links to other places: {', '.join(found)}",
                do="Remove them; for a home elsewhere set THOUGHTFORGE_HOME to that folder.",
            )

    def folder(self, task_id: str) -> Path:
        """The folder of a task."""
        return task_folder(self.root, task_id)

    def project(self, task_id: str) -> Path:
        """The repository of a thought."""
        return self.projects / task_id

    def ids(self) -> list[str]:
        """All tasks, oldest first; one that is still being made has a dot before its name and is none yet."""
        try:
            with os.scandir(self.tasks) as entries:
                return sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("."))
        except FileNotFoundError:
            return []

    def find(self, word: str) -> str:
        """The task a person means by an id, a unique beginning of one, or `last`."""
        ids = self.ids()
        return match(word, ids, newest=lambda: max(ids, key=self._created), where=str(self.root))

    def _created(self, task_id: str) -> tuple[float, str]:
        path = self.folder(task_id) / "task.yaml"
        return (path.stat().st_mtime if path.exists() else 0.0, task_id)


def task_folder(root: Path, task_id: str) -> Path:
    """The folder of a task in the home at `root`."""
    return root / "tasks" / task_id


def match(word: str, ids: Sequence[str], *, newest: Callable[[], str], where: str) -> str:
    """The one of these ids that a person means."""
    if not ids:
        raise UserError(f"there is no task in {where}", do='Start one: thoughtforge design "…"')
    if word == "last":
        return newest()
    matches = [word] if word in ids else [task_id for task_id in ids if task_id.startswith(word)]
    if len(matches) == 1:
        return matches[0]
    known = ", ".join(matches or ids[-5:])
    what = f"{word!r} matches several tasks" if matches else f"there is no task {word!r}"
    raise UserError(what, do=f"Use one of: {known}")


class IdInUse(UserError):
    """Another task has the id already."""


def in_use(task_id: str) -> IdInUse:
    """The refusal of a second task with the same id."""
    return IdInUse(f"there is a task {task_id!r} already", do="Try again: a new task gets a new id.")


def no_task(task_id: str) -> UserError:
    """The refusal to work on a task that is not there."""
    return UserError(f"there is no task {task_id!r}", do="See all: thoughtforge status --all")
