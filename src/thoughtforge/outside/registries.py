"""Questions to package registries and GitHub: one way out, so that whoever reads them can be handed another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from thoughtforge.outside.http import Answer, ask
from thoughtforge.settings.outside import Discovery

Fetch = Callable[[str], Awaitable[Answer]]
"""Asks an address; raises NoAnswer when nothing comes back."""


def registry_fetch(settings: Discovery, secret: Callable[[str], str | None]) -> Fetch:
    """Asks over the network; GitHub alone is shown its token."""
    token = secret(settings.github_token_env)
    github = f"{settings.github.rstrip('/')}/"

    async def fetch(url: str) -> Answer:
        headers = {"Accept": "application/json", "User-Agent": "thoughtforge"}
        if token and url.startswith(github):
            headers["Authorization"] = f"Bearer {token}"
        return await ask("GET", url, headers=headers, seconds=settings.seconds)

    return fetch
