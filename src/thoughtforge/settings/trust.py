"""Which settings of a repository's config.yaml a person has allowed. The engine ignores all others in it.

Only a file that lies in a git repository needs trust: it may come from somebody else. A digest stands for the very text
a person was shown; see docs/design/trust.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from thoughtforge.kernel.errors import UserError
from thoughtforge.settings.environment import find_repository
from thoughtforge.settings.trust_table import is_free, is_section, why

Settings = dict[str, Any]


class Split(NamedTuple):
    """Settings in two halves: those that need no trust, and those that do."""

    free: Settings
    sensitive: Settings


class Trust(NamedTuple):
    """How the sensitive settings of a file stand."""

    path: Path
    keys: tuple[str, ...] = ()
    """What needs trust here; empty when nothing does."""
    text: str = ""
    """The settings as they are shown; the digest is this text's."""
    allowed_by: str = ""
    """Who trusted them; empty when nobody has."""
    before: str | None = None
    """What a person trusted here before, to show the difference."""
    wrong: tuple[str, ...] = ()
    """What else a person should know: a record that cannot be used, a digest that does not fit."""

    @property
    def digest(self) -> str:
        """The digest of the settings."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def in_effect(self) -> bool:
        """Whether all settings of the file count."""
        return not self.keys or bool(self.allowed_by)

    def require(self) -> None:
        """Stop whoever needs the settings that are not in effect."""
        if self.in_effect:
            return
        changed = " changed after you trusted them and" if self.before is not None else ""
        raise UserError(
            f"settings in {self.path}{changed} take effect only when you trust them: {', '.join(self.keys)}",
            do=f"Read them, then allow them: thoughtforge trust (in CI: THOUGHTFORGE_TRUST={self.digest})",
            details=(*(f"{key}: {why(key)}" for key in self.keys), *self.wrong),
        )


def split(data: Mapping[str, Any], defaults: Mapping[str, Any], *, path: str = "") -> Split:
    """Part the settings; one that says what holds anyway changes nothing and needs no trust."""
    parts = Split({}, {})
    for key, value in data.items():
        here = f"{path}{key}"
        if isinstance(value, dict) and is_section(here):
            inner = split(value, defaults.get(key) or {}, path=f"{here}.")
            parts.free[key] = inner.free
            parts.sensitive.update({key: inner.sensitive} if inner.sensitive else {})
        elif is_free(here) or (key in defaults and value == defaults[key]):
            parts.free[key] = value
        else:
            parts.sensitive[key] = value
    return parts


def judge(path: Path, sensitive: Settings, store: TrustStore) -> Trust:
    """How these settings of this file stand."""
    keys = tuple(_keys(sensitive, ""))
    if not keys or not in_repository(path):
        return Trust(path)
    found = store.read(place(path))
    trust = Trust(path, keys, shown(sensitive), before=found.text, wrong=found.wrong)
    if store.given:
        if store.given == trust.digest:
            return trust._replace(allowed_by="THOUGHTFORGE_TRUST")
        told = f"THOUGHTFORGE_TRUST is {store.given[:80]}, these settings have {trust.digest}"
        trust = trust._replace(wrong=(*trust.wrong, told))
    return trust._replace(allowed_by=found.by) if found.text == trust.text else trust


def shown(sensitive: Settings) -> str:
    """The settings as plain ASCII, in one order: whatever a value holds, a terminal shows it and does not obey it."""
    return yaml.safe_dump(sensitive, sort_keys=True, allow_unicode=False, width=1000, default_flow_style=False)


def place(path: Path) -> Path:
    """What trust is kept under: the folder's real path, since paths in the file start there, and the file's name."""
    return path.parent.resolve() / path.name


def in_repository(path: Path) -> bool:
    """Whether a file lies in a git repository, by the path that was taken or by where links lead."""
    return any(find_repository(one.parent) is not None for one in (path.absolute(), path.resolve()))


def _keys(settings: Settings, path: str) -> Iterator[str]:
    for key, value in settings.items():
        here = f"{path}{key}"
        if isinstance(value, dict) and is_section(here):
            yield from _keys(value, f"{here}.")
        else:
            yield here


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
        except UserError as mistake:
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
            raise UserError(
                f"the record of what you trust cannot be written to {self.folder}: {error.strerror}",
                do="Give write access to it.",
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
        raise UserError(
            f"others can write to the records of what you trusted, {folder}",
            do=f"Make it a folder of your own that only you can write: chmod 700 {folder}",
        )


def _read_own(file: Path) -> bytes:
    """The bytes of a plain file that belongs to the person and that nobody else may read or write."""
    number = os.open(file, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(number, "rb") as stream:
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
            raise UserError(
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
        wrong=(f"the record of what you trusted, {file}, was changed by another program and does not count",)
    )
