"""The composition root: the only file that owns the real clock, chance and environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from thoughtforge.settings import environment
from thoughtforge.store.file_store import FileStore
from thoughtforge.store.home import Home

if TYPE_CHECKING:  # a list of tasks needs a store and nothing else of this
    from thoughtforge.service.app import App

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def make_store(cwd: Path | None = None) -> FileStore:
    """The tasks a command started in `cwd` means. What is heavy is loaded when a record is read or written."""
    where = (cwd or Path.cwd()).resolve()
    return _store(_home(where), lambda: make_app(where))


def make_app(cwd: Path | None = None) -> App:
    """The App for a command started in `cwd`."""
    import secrets
    import time

    from thoughtforge import __version__
    from thoughtforge.service.app import App
    from thoughtforge.settings.trust_store import TrustStore
    from thoughtforge.suites.access import access

    where = (cwd or Path.cwd()).resolve()
    home = _home(where)
    app = App(
        store=_store(home, lambda: app),
        home=home,
        cwd=where,
        user_home=Path.home(),
        user_folder=environment.user_folder(),
        who=environment.who(),
        program=f"thoughtforge {__version__}",
        search_path=environment.search_path(),
        clock=_now,
        stopwatch=time.monotonic,
        new_word=lambda: "".join(secrets.choice(_LETTERS) for _ in range(4)),
        packages=lambda: access(environment.variables(), home=Path.home()),
        trust=TrustStore(environment.trust_folder(), environment.trusted_digest()),
        secret=environment.secret,
        known_secrets=environment.known_secrets(),
        desktop=environment.for_desktop(),
    )
    return app


def _home(where: Path) -> Home:
    home = Home(environment.find_home(environment.find_repository(where)))
    if environment.find_repository(home.root) is not None:
        home.refuse_links()
    return home


def _store(home: Home, app: Callable[[], App]) -> FileStore:
    return FileStore(home, masker=lambda: app().masker, clock=_now)


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="microseconds")
