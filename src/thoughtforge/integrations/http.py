"""One HTTP request to a service the user has set up: bounded, no redirects, every failure a sentence."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from thoughtforge.kernel.errors import ThoughtForgeError
from thoughtforge.settings.outside import Discovery

INSTALL = "Install it: pip install 'thoughtforge[think]'"
MAX_BYTES = 20_000_000
"""The longest answer taken."""


class NoAnswer(ThoughtForgeError):
    """A service could not be reached, or said nothing that can be used."""


class HttpResponse(NamedTuple):
    """What a service said."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    def data(self) -> Any:
        """The body as JSON; None when it is something else."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def field(self, name: str) -> Any:
        """One field of a JSON object; None when there is no such thing."""
        data = self.data()
        return data.get(name) if isinstance(data, dict) else None


async def ask(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    params: Mapping[str, str] | None = None,
    body: Any = None,
    seconds: float = 10,
    most: int = MAX_BYTES,
) -> HttpResponse:
    """Ask once. The address is never repeated in a failure: it may hold a token."""
    try:
        import httpx2
    except ImportError as error:
        raise NoAnswer(f"the library httpx2 is missing. {INSTALL}") from error
    host, near = _place(url)
    tls = not (near and url.startswith("http:"))
    try:
        # A proxy of the environment must not carry what is meant for this machine off it.
        async with (
            httpx2.AsyncClient(timeout=seconds, follow_redirects=False, trust_env=not near, verify=tls) as client,
            client.stream(method, url, headers=dict(headers or {}), params=params or None, json=body) as reply,
        ):
            data = b""
            async for chunk in reply.aiter_bytes():
                data += chunk
                if len(data) > most:
                    raise NoAnswer(f"{host} answered with more than {most // 1_000_000} MB")
            return HttpResponse(reply.status_code, data, dict(reply.headers))
    except httpx2.TimeoutException as error:
        raise NoAnswer(f"{host} did not answer within {seconds:g} s") from error
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
        raise NoAnswer(f"{host} could not be reached ({type(error).__name__})") from error


def _place(url: str) -> tuple[str, bool]:
    """The host of an address as it may be shown, and whether it is this machine."""
    parts = urlsplit(url)
    name = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not name:
        raise NoAnswer("the address does not begin with http or https")
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError as error:
        raise NoAnswer(f"the address of {name} has an invalid port") from error
    return f"{name}{port}", name in ("127.0.0.1", "::1", "localhost")


class FetchedDocument(NamedTuple):
    """One document under the name it is kept by."""

    name: str
    data: bytes


class Pulled(NamedTuple):
    """The answer of a connector to one address."""

    documents: tuple[FetchedDocument, ...] = ()
    failed: tuple[str, ...] = ()
    """One sentence for each thing that could not be had, with what to do."""


def failure(sentence: str) -> Pulled:
    """Nothing but a reason."""
    return Pulled(failed=(sentence,))


Fetch = Callable[[str], Awaitable[HttpResponse]]
"""Asks an address; raises NoAnswer when nothing comes back."""


def registry_fetch(settings: Discovery, secret: Callable[[str], str | None]) -> Fetch:
    """Asks over the network; GitHub alone is shown its token."""
    token = secret(settings.github_token_env)
    github = f"{settings.github.rstrip('/')}/"

    async def fetch(url: str) -> HttpResponse:
        headers = {"Accept": "application/json", "User-Agent": "thoughtforge"}
        if token and url.startswith(github):
            headers["Authorization"] = f"Bearer {token}"
        return await ask("GET", url, headers=headers, seconds=settings.seconds)

    return fetch
