"""Everything too large for an event, named by its SHA-256 and durable before the event that names it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.store.secrets import Masker


class FileBlobs:
    """The blobs of one task."""

    def __init__(self, folder: Path, *, masker: Masker) -> None:
        self.folder = folder / "blobs"
        self.masker = masker

    def put(self, data: bytes, *, exact: bool = False) -> str:
        """Keep `data`; text is masked first. `exact` is for file contents and patches, which stay as they are."""
        if not exact:
            data = self.masker.text(data.decode("utf-8", "replace")).encode()
        digest = hashlib.sha256(data).hexdigest()
        path = self.folder / digest
        if not path.exists():
            self._write(path, data)
        return digest

    def _write(self, path: Path, data: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            fresh.unlink()  # on a full disk half a blob only takes room
            raise
        fresh.replace(path)
        folder = os.open(self.folder, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def get(self, digest: str) -> bytes:
        """The content; one that does not match its name is damage, never an answer."""
        path = self.folder / digest
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise LogCorrupt(str(path), 0, "missing") from error
        if hashlib.sha256(data).hexdigest() != digest:
            raise LogCorrupt(str(path), 0, "the content does not match its name")
        return data
