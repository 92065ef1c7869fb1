"""Tasks as folders of files, on one machine. Imports nothing heavy: `status` lists tasks through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thoughtforge.kernel.errors import TaskLocked, UserError
from thoughtforge.rooms import load_rooms
from thoughtforge.store.home import Home, in_use, no_task
from thoughtforge.store.index import summaries
from thoughtforge.store.lease import FileInbox, lease

if TYPE_CHECKING:
    from thoughtforge.kernel.loop import Journal
    from thoughtforge.kernel.state import State
    from thoughtforge.store.file_task import FileReader, KnownLog
    from thoughtforge.store.log import FileLog
    from thoughtforge.store.port import NewTask, OpenTask
    from thoughtforge.store.secrets import Masker
    from thoughtforge.store.verify import Proof

KEPT = 200
"""Logs whose sum is remembered; a server looks at more tasks than it should keep in memory."""


class FileStore:
    """The tasks of one home. It remembers what each log adds up to, so a process reads a whole log once."""

    def __init__(
        self,
        home: Home,
        *,
        masker: Callable[[], Masker],
        clock: Callable[[], str],
    ) -> None:
        self.home = home
        self.where = str(home.root)
        self.clock = clock
        self._make_masker = masker
        self._known: dict[str, KnownLog] = {}

    @cached_property
    def masker(self) -> Masker:
        """What hides secrets; made when something is written, because it needs the configuration."""
        return self._make_masker()

    def create(self, task_id: str, new: NewTask, *, who: str) -> None:
        """Keep a new task: written aside and renamed into place, so a crash leaves no half-made one."""
        from thoughtforge.store.file_task import write_new

        load_rooms()
        self.home.prepare()
        aside = self.home.folder(f".{task_id}")
        try:
            aside.mkdir(mode=0o700)
        except FileExistsError:
            raise in_use(task_id) from None
        try:
            if self.home.folder(task_id).exists():
                raise in_use(task_id)
            with lease(aside, who=who):  # so that `sweep` does not take it for a leftover
                write_new(aside, new, masker=self.masker, clock=self.clock)
            aside.rename(self.home.folder(task_id))
        except BaseException:
            _remove(aside)
            raise

    @contextmanager
    def open(self, task_id: str, *, who: str) -> Iterator[OpenTask]:
        """Hold the task; its log goes on from what this process has proved already."""
        from thoughtforge.kernel.loop import Journal
        from thoughtforge.store.file_task import FileBlobs, open_log
        from thoughtforge.store.port import OpenTask
        from thoughtforge.store.viewfiles import ViewFiles

        load_rooms()
        folder = self._folder(task_id)
        with lease(folder, who=who):
            log, snapshot = open_log(folder, self._known.get(task_id), masker=self.masker, clock=self.clock)
            journal = Journal(log, snapshot=snapshot)
            blobs = FileBlobs(folder, masker=self.masker)
            try:
                yield OpenTask(
                    id=task_id,
                    journal=journal,
                    blobs=blobs,
                    inbox=FileInbox(folder),
                    views=ViewFiles(folder, blobs, self.masker),
                    local=folder,
                    held=log.check_lease,
                    torn=log.torn,
                )
            finally:
                log.close()
                self._remember(task_id, log, journal)

    def peek(self, task_id: str) -> FileReader:
        """Look at the task; nothing is repaired."""
        from thoughtforge.store.file_task import FileReader, newest

        load_rooms()
        folder = self.home.folder(task_id)
        return FileReader(
            folder,
            look=lambda: self._keep(task_id, newest(folder, self._known.get(task_id))),
            masker=lambda: self.masker,
        )

    def ids(self) -> list[str]:
        """Every task, oldest first."""
        return self.home.ids()

    def find(self, word: str) -> str:
        """The task a person means."""
        return self.home.find(word)

    def summaries(self) -> list[dict[str, Any]]:
        """One summary per task, from the index where it fits the logs."""
        return summaries(self.home, self._state)

    def _state(self, task_id: str) -> State:
        """The state alone: what other projections a log has, no list shows."""
        from thoughtforge.store.file_task import state_of

        load_rooms()
        return state_of(self.home.folder(task_id))

    def send(self, task_id: str, kind: str, data: dict[str, Any], *, by: str) -> str:
        """Leave a message in the inbox of a task."""
        hidden = {key: self.masker.tree(value) for key, value in data.items()}
        return FileInbox(self._folder(task_id)).drop(kind, hidden, by=by, stamp=self.clock())

    def remove(self, task: OpenTask) -> None:
        """Remove the folder. It is renamed first, so that a process waiting for the lease finds no task."""
        folder = self.home.folder(task.id)
        _remove(folder.rename(folder.with_name(f".{task.id}")))

    def sweep(self, *, who: str) -> None:
        """Remove half-made folders that nobody is making."""
        for half_made in self.home.tasks.glob(".*"):
            if half_made.is_symlink() or not half_made.is_dir():
                continue  # we make only folders
            with suppress(TaskLocked, UserError), lease(half_made, who=who):
                _remove(half_made)

    def accept_loss(self, task_id: str, *, who: str, by: str) -> None:
        """Cut the log where it stops holding together; what is cut off stays beside it."""
        from thoughtforge.store.events import LossAccepted
        from thoughtforge.store.log import FileLog, accept_loss

        folder = self._folder(task_id)
        with lease(folder, who=who):
            self._known.pop(task_id, None)
            last, aside = accept_loss(folder, stamp=self.clock())
            if last == 0:
                raise UserError(f"the record of {task_id} has no valid event", do=f"The old files are in {aside}.")
            log = FileLog(folder, masker=self.masker, clock=self.clock)
            try:
                log.append(LossAccepted(lost_after=last, kept_aside=aside, by=by))
            finally:
                log.close()

    def verify(self, task_id: str) -> Proof:
        """Prove everything from the disk."""
        from thoughtforge.store.verify import verify

        return verify(self.home.folder(task_id))

    def local(self, task_id: str) -> Path:
        """The task's folder: with files, record and local folder are one."""
        return self.home.folder(task_id)

    def _folder(self, task_id: str) -> Path:
        folder = self.home.folder(task_id)
        if not folder.is_dir():
            raise no_task(task_id)
        return folder

    def _remember(self, task_id: str, log: FileLog, journal: Journal) -> None:
        """What was written here need not be read again, unless something went wrong on the way."""
        from thoughtforge.store.file_task import KnownLog, stamp_of

        stamp = stamp_of(self.home.folder(task_id))
        self._known.pop(task_id, None)
        if stamp.size == log.at.size and journal.snapshot.seq == log.at.last.seq:
            self._keep(task_id, KnownLog(stamp, log.at, journal.snapshot))

    def _keep(self, task_id: str, known: KnownLog) -> KnownLog:
        self._known.pop(task_id, None)
        self._known[task_id] = known
        if len(self._known) > KEPT:
            self._known.pop([*self._known][0], None)
        return known


def _remove(folder: Path) -> None:
    import shutil  # here, since quick commands load this file and nothing heavy

    shutil.rmtree(folder)
