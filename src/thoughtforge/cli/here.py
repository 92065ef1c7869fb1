"""The definitions in force where the command was called: the repository's base commit, or the built-in ones outside."""

from __future__ import annotations

import asyncio

from thoughtforge.assembly import make_app
from thoughtforge.service.app import App
from thoughtforge.service.library import Definitions, definitions, open_library
from thoughtforge.settings import environment


def known_here() -> Definitions:
    """Contracts, roles and pipelines; a repository's own are read from its newest commit."""
    app = make_app()
    if environment.find_repository(app.cwd) is None:
        return definitions(app, {})
    return asyncio.run(_from_repository(app))


async def _from_repository(app: App) -> Definitions:
    async with open_library(app) as library:
        return library.definitions
