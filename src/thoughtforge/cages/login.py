"""Private homes of agents: what is put into one, and a renewed login that comes back from it.

The agent may have changed its home as it likes, links included: nothing here follows one.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

LOGIN_BYTES = 1024 * 1024
"""No login is larger; what is, is none."""

Logins = Mapping[str, bytes]
"""Path below a home → what the login file held when it was copied."""


def made(homes: Path, name: str) -> Path:
    """The private home of that name, only for us to look into."""
    if name == ".." or not name or PurePosixPath(name).name != name:
        raise ValueError(f"{name!r} cannot be the name of a home")
    home = homes / name
    homes.mkdir(parents=True, exist_ok=True, mode=0o700)
    home.mkdir(exist_ok=True, mode=0o700)
    home.chmod(0o700)
    return home.resolve()


def filled(home: Path, files: Mapping[str, str]) -> None:
    """Write files into a home."""
    for name, text in files.items():
        _write(_place(home, name), text.encode())


def brought(person: Path, home: Path, names: tuple[str, ...], *, wanted: bool = True) -> Logins:
    """Copy a person's logins into a home; those that are there. One that is not, or not wanted, is taken away."""
    found: dict[str, bytes] = {}
    for name in names:
        place = _place(home, name)
        place.unlink(missing_ok=True)
        if wanted and (person / name).is_file():
            found[name] = (person / name).read_bytes()
            _write(place, found[name])
    return found


def taken_back(person: Path, home: Path, logins: Logins) -> tuple[str, ...]:
    """Give a person the logins the agent has renewed, unless the person's own have changed since; answers which."""
    back = []
    for name, before in logins.items():
        renewed = _renewed(home, name)
        if renewed is None or renewed == before:
            continue
        # Where the login really is: a person may keep it elsewhere and link to it.
        place = (person / name).resolve()
        with _locked(place.parent):
            if place.is_file() and place.read_bytes() == before:
                _write(place, renewed)
                back.append(name)
    return tuple(back)


def _renewed(home: Path, name: str) -> bytes | None:
    """A login file the agent has left, when it is a real file in its home and can be one."""
    if (home / name).resolve() != home.resolve() / name:
        return None
    try:
        handle = os.open(home / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        data = file.read(LOGIN_BYTES + 1)
    if not data.strip() or len(data) > LOGIN_BYTES:
        return None
    if name.endswith(".json"):
        try:
            json.loads(data)
        except ValueError:
            return None
    return data


def _place(home: Path, name: str) -> Path:
    """A path in a home whose folders exist and are no links."""
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or PurePosixPath(name).is_absolute():
        raise ValueError(f"{name!r} is not a path in a home")
    place = home
    for part in parts[:-1]:
        place = place / part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            place.unlink()
        place.mkdir(exist_ok=True, mode=0o700)
    place = place / parts[-1]
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    return place


def _write(place: Path, data: bytes) -> None:
    """Replace a file at once: nobody ever reads half of it."""
    fresh = place.with_name(f"{place.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(handle)
    fresh.replace(place)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One of us at a time; the lock is on the folder itself, so there is no file to leave behind."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
