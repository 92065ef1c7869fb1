"""The composition root: the only file that owns the real clock, chance and environment."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from pathlib import Path

from thoughtforge import __version__
from thoughtforge.service.app import App
from thoughtforge.settings import environment
from thoughtforge.settings.trust_store import TrustStore
from thoughtforge.store.home import Home
from thoughtforge.suites.access import access

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def make_app(cwd: Path | None = None) -> App:
    """The App for a command started in `cwd`."""
    where = (cwd or Path.cwd()).resolve()
    return App(
        home=Home(environment.find_home(environment.find_repository(where))),
        cwd=where,
        user_home=Path.home(),
        user_folder=environment.user_folder(),
        who=environment.who(),
        program=f"thoughtforge {__version__}",
        search_path=environment.search_path(),
        clock=lambda: datetime.now(UTC).isoformat(timespec="microseconds"),
        stopwatch=time.monotonic,
        new_word=lambda: "".join(secrets.choice(_LETTERS) for _ in range(4)),
        packages=lambda: access(environment.variables(), home=Path.home()),
        trust=TrustStore(environment.trust_folder(), environment.trusted_digest()),
        secret=environment.secret,
        known_secrets=environment.known_secrets(),
        desktop=environment.for_desktop(),
    )
