"""Make an edit that is on record, all or nothing: a crash leaves the old file or the new one.

A file that equals neither what was before nor what comes after was written by somebody else and is not touched.
Folders are opened one by one without following links, so that no link can lead an edit out of the workspace.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Literal

from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.ports import Blobs
from thoughtforge.workspaces.events import EditPlanned

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW_FILE_MODE, EXECUTABLE = 0o644, 0o111
DRAFT = ".thoughtforge-edit"
"""The file an edit is prepared in. One fixed name, so that what a crash left behind is found and taken away."""


def apply(root: Path, planned: EditPlanned, blobs: Blobs) -> None:
    """Make a planned edit, all or nothing; made already, it stays as it is."""
    now = digest_of(root, planned.path)
    if now == planned.after:
        return
    if now != planned.before:
        raise Mistake(
            f"{planned.path} is not what it was when its edit was planned",
            do="Look at the file: something outside the task changed it; nothing was overwritten.",
        )
    data = _content(planned, blobs)
    name = PurePosixPath(planned.path).name
    with _folder(root, planned.path, make=True) as folder:
        if data is None:
            os.unlink(name, dir_fd=folder)
        else:
            _replace(folder, name, data, mode=planned.mode)
        os.fsync(folder)


@contextlib.contextmanager
def _folder(root: Path, path: str, *, make: bool = False) -> Iterator[int]:
    """The folder of a path, opened step by step; links on the way are refused."""
    parts = PurePosixPath(path).parts
    if path.startswith("/") or not parts or any(part == ".." or part.lower() == ".git" for part in parts):
        raise Mistake(f"{path!r} does not lead into the workspace", do="Name a path inside it.")
    with contextlib.ExitStack() as stack:
        here = os.open(root, FOLDER)
        stack.callback(os.close, here)
        for part in parts[:-1]:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=here)
            here = _step(part, here, path)
            stack.callback(os.close, here)
        yield here


def _step(part: str, folder: int, path: str) -> int:
    if not stat.S_ISDIR(_mode(part, folder)):
        raise Mistake(f"{path}: {part} is a link or a file, not a folder", do="Name the file by its real path.")
    return os.open(part, FOLDER, dir_fd=folder)


def digest_of(root: Path, path: str) -> Digest | None:
    """The digest of a plain file, None when there is nothing; a link or anything else is no file of ours."""
    name = PurePosixPath(path).name
    try:
        with _folder(root, path) as folder:
            if not stat.S_ISREG(_mode(name, folder)):
                raise Mistake(f"{path} is not a plain file", do="Name a file; links and folders are not edited.")
            with os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder), "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def mode_of(root: Path, path: str) -> Literal["100644", "100755"]:
    """The mode git has for a plain file; a file that is not there yet is not executable."""
    try:
        with _folder(root, path) as folder:
            return "100755" if _mode(PurePosixPath(path).name, folder) & 0o100 else "100644"
    except FileNotFoundError:
        return "100644"


def _mode(name: str, folder: int) -> int:
    return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode


def _content(planned: EditPlanned, blobs: Blobs) -> bytes | None:
    if planned.after is None:
        return None
    data = blobs.get(planned.after)
    if hashlib.sha256(data).hexdigest() != planned.after:
        raise Mistake(
            f"the stored content for {planned.path} is not what was planned", do="Check the task: thoughtforge verify"
        )
    return data


def _replace(folder: int, name: str, data: bytes, *, mode: str) -> None:
    """Put new content in place in one move; readers see the old file or the new one."""
    bits = NEW_FILE_MODE
    with contextlib.suppress(FileNotFoundError):
        bits = stat.S_IMODE(_mode(name, folder))
    if mode:
        bits = bits | EXECUTABLE if mode == "100755" else bits & ~EXECUTABLE
    _discard_draft(folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(DRAFT, flags, 0o600, dir_fd=folder), "wb") as draft:
        draft.write(data)
        draft.flush()
        os.fchmod(draft.fileno(), bits)
        os.fsync(draft.fileno())
    os.replace(DRAFT, name, src_dir_fd=folder, dst_dir_fd=folder)


def _discard_draft(folder: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(DRAFT, dir_fd=folder)
