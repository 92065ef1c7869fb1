"""The login of an agent: what goes into its private home, and what of a renewed login comes back.

The agent may have changed its home as it likes, links included: nothing here follows one. What it left of a login is
held against the person's own (renewal.py).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from thoughtforge.agent_runtime import token_refresh

LOGIN_BYTES = 1024 * 1024
"""No login is larger; what is, is none."""


class Login(NamedTuple):
    """A login file that was copied into a private home."""

    place: Path
    """Where the person keeps it."""
    before: bytes
    """What the person's file held then."""
    parts: tuple[str, ...] = ()
    """The entries that were copied; empty for all of them."""


Logins = Mapping[str, Login]
"""Path below a private home → the login that is there."""


class Returned(NamedTuple):
    """What became of the logins an agent left behind."""

    renewed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    """In words: which login was not taken over, and why."""


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


def there(places: Mapping[str, Path], parts: tuple[str, ...] = ()) -> bool:
    """Whether a person has a login at one of these places: a file with a token or a key in it."""
    return any(_holds_one(place, parts) for place in places.values() if place.is_file())


def brought(
    places: Mapping[str, Path], home: Path, *, parts: tuple[str, ...] = (), wanted: bool = True
) -> dict[str, Login]:
    """Copy a person's logins into a home; those that are there. One that is not, or not wanted, is taken away."""
    found: dict[str, Login] = {}
    for name, kept in places.items():
        place = _place(home, name)
        place.unlink(missing_ok=True)
        if wanted and kept.is_file():
            before = kept.read_bytes()
            login = token_refresh.parsed(before)
            if parts and (login is None or not token_refresh.part(login, parts)):
                continue
            _write(
                place, token_refresh.written(token_refresh.part(login, parts), before) if login and parts else before
            )
            found[name] = Login(kept, before, parts)
    return found


def taken_back(home: Path, logins: Logins) -> Returned:
    """Give a person the tokens the agent has renewed, unless the person's own login has changed since."""
    renewed, refused = [], []
    for name, login in logins.items():
        left = _left(home, name)
        before = token_refresh.parsed(login.before)
        if left is None or left == login.before:
            continue
        after = token_refresh.parsed(left)
        if before is None or after is None:
            refused.append(f"its login {name} came back as another kind of file; the engine did not copy it back")
            continue
        mine = token_refresh.part(before, login.parts)
        if after == mine:
            continue
        merged = token_refresh.renewed(mine, after)
        if isinstance(merged, str):
            refused.append(
                f"its login {name} came back as a different login; the engine did not copy it back: {merged}"
            )
        elif merged != mine and _given(login, token_refresh.written({**before, **merged}, login.before)):
            renewed.append(name)
    return Returned(tuple(renewed), tuple(refused))


def _holds_one(place: Path, parts: tuple[str, ...]) -> bool:
    data = place.read_bytes()
    login = token_refresh.parsed(data)
    if login is None:  # some other format, which only its agent can read
        return bool(data.strip()) and not parts and place.suffix != ".json"
    return token_refresh.usable(token_refresh.part(login, parts))


def _given(login: Login, data: bytes) -> bool:
    """Put a login where the person keeps it; a person may keep it elsewhere and link to it."""
    place = login.place.resolve()
    with _locked(place.parent):
        if not place.is_file() or place.read_bytes() != login.before:
            return False
        _write(place, data)
        return True


def _left(home: Path, name: str) -> bytes | None:
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
    return data if data.strip() and len(data) <= LOGIN_BYTES else None


def _place(home: Path, name: str) -> Path:
    """A path in a home whose folders exist and are no links."""
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or PurePosixPath(name).is_absolute():
        raise ValueError(f"{name!r} is not a path inside a home folder")
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
