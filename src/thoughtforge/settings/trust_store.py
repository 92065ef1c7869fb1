"""What a person has trusted, in their own folder, outside every repository: one small file for each config.yaml.

A file that somebody else could have written is not read; nothing is trusted then, and why is told.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import Mistake

FILE_MODE, FOLDER_MODE = 0o600, 0o700


class TrustRecord(NamedTuple):
    """What is on record for one config.yaml: the text that was trusted, and by whom; or why it cannot be used."""

    text: str | None = None
    by: str = ""
    wrong: tuple[str, ...] = ()


class TrustStore(NamedTuple):
    """The folder of the records, and the digest the environment allows."""

    folder: Path
    given: str = ""

    def file(self, place: Path) -> Path:
        """The record of one config.yaml."""
        return self.folder / f"{hashlib.sha256(os.fsencode(place)).hexdigest()[:32]}.json"

    def read(self, place: Path) -> TrustRecord:
        """What was trusted there."""
        file = self.file(place)
        try:
            _check_folder(self.folder)
            data = json.loads(_read_own(file))
        except FileNotFoundError:
            return TrustRecord()
        except Mistake as mistake:
            return TrustRecord(wrong=(f"{mistake.what}. {mistake.do}",))
        except (OSError, ValueError) as error:
            return TrustRecord(wrong=(f"the record of what you trusted, {file}, cannot be read: {error}",))
        return _checked(data, place, file)

    def write(self, place: Path, *, text: str, by: str, at: str) -> None:
        """Put a text on record as trusted; what was on record before is replaced as a whole."""
        file = self.file(place)
        digest = hashlib.sha256(text.encode()).hexdigest()
        data = {"version": 1, "path": str(place), "digest": digest, "text": text, "by": by, "at": at}
        try:
            self.folder.mkdir(parents=True, mode=FOLDER_MODE, exist_ok=True)
            _check_folder(self.folder)
            draft = file.with_suffix(f".{os.getpid()}")
            draft.unlink(missing_ok=True)
            number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
            with os.fdopen(number, "w", encoding="utf-8") as stream:
                json.dump(data, stream, indent=1)
            draft.replace(file)
        except OSError as error:
            raise Mistake(
                f"what you trust cannot be written to {self.folder}: {error.strerror}", do="Give write access to it."
            ) from error

    def remove(self, place: Path) -> bool:
        """Take trust back; whether there was any."""
        try:
            self.file(place).unlink()
        except FileNotFoundError:
            return False
        return True


def _check_folder(folder: Path) -> None:
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & 0o022:
        raise Mistake(
            f"others can write to the records of what you trusted, {folder}",
            do=f"Make it a folder of your own that only you can write: chmod 700 {folder}",
        )


def _read_own(file: Path) -> bytes:
    """The bytes of a plain file that belongs to the person and that nobody else may read or write."""
    number = os.open(file, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(number, "rb") as stream:
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
            raise Mistake(
                f"others can read or write the record of what you trusted, {file}",
                do="Trust the settings again: thoughtforge trust",
            )
        return stream.read()


def _checked(data: Any, place: Path, file: Path) -> TrustRecord:
    """A record that does not agree with itself counts for nothing."""
    if isinstance(data, dict) and data.get("path") == str(place) and isinstance(data.get("text"), str):
        text = str(data["text"])
        if hashlib.sha256(text.encode()).hexdigest() == data.get("digest"):
            return TrustRecord(text, f"{data.get('by')} on {str(data.get('at'))[:19]}")
    return TrustRecord(
        wrong=(f"the record of what you trusted, {file}, was changed by something else and does not count",)
    )
