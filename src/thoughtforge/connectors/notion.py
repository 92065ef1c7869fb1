"""Brings a Notion page as Markdown, by Notion's own Markdown endpoint."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from thoughtforge.integrations.http import FetchedDocument, HttpResponse, NoAnswer, Pulled, ask, failure
from thoughtforge.kernel.model import Value
from thoughtforge.settings.environment import Machine
from thoughtforge.settings.outside import checked

HOSTS = re.compile(r"(?:[a-z0-9-]+\.)?notion\.(?:so|com|site)")
PAGE = re.compile(r"(?<![0-9a-f])([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$", re.IGNORECASE)
PART = re.compile(r"[0-9A-Za-z-]{1,64}")
VERSION = "2025-09-03"
"""Of Notion's interface, as it wants to be told."""
MOST_PARTS = 50
"""A long page comes in parts; this many are asked for."""


class Options(Value):
    """`connectors.notion`."""

    token_env: str = "NOTION_TOKEN"  # noqa: S105 - the name of a variable
    """The variable that holds the token of the connection."""
    pages: Annotated[
        tuple[str, ...], BeforeValidator(lambda given: tuple(given) if isinstance(given, list) else given)
    ] = ()
    """URLs of pages that every task receives."""
    base_url: Annotated[str, AfterValidator(checked)] = "https://api.notion.com"
    """The address of the API."""
    seconds: float = Field(default=20, gt=0, le=120)
    """The time limit of one request."""


def matches(url: str) -> bool:
    """Whether an address is one of Notion's."""
    return HOSTS.fullmatch((urlsplit(url).hostname or "").lower()) is not None


async def pull(url: str, options: Options, machine: Machine) -> Pulled:
    """The page behind an address."""
    page = page_id(url)
    if page is None:
        return failure(f"Could not parse URL: '{url}' names no Notion page. Copy the link of the page itself.")
    token = machine.secret(options.token_env)
    if token is None:
        return failure(f"Notion needs a token: the variable {options.token_env} is not set.")
    headers = {"Authorization": f"Bearer {token}", "Notion-Version": VERSION}
    texts: list[str] = []
    failed: list[str] = []
    waiting = [page]
    while waiting and len(texts) + len(failed) < MOST_PARTS:
        part = waiting.pop(0)
        try:
            place = f"{options.base_url.rstrip('/')}/v1/pages/{part}/markdown"
            said = await ask("GET", place, headers=headers, seconds=options.seconds)
        except NoAnswer as problem:
            failed.append(f"Notion page {page}: {problem}.")
            continue
        text = said.field("markdown")
        if said.status != 200 or not isinstance(text, str):
            failed.append(_why(said, page, options))
            continue
        texts.append(text)
        more = said.field("unknown_block_ids") if said.field("truncated") else ()
        waiting += [str(one) for one in more or () if PART.fullmatch(str(one))]
    if waiting:
        failed.append(f"Notion page {page} is too long; {len(waiting)} of its parts are missing.")
    documents = (FetchedDocument(f"notion_{page}.md", "\n\n".join(texts).encode()),) if texts else ()
    return Pulled(documents, tuple(dict.fromkeys(failed)))


def page_id(url: str) -> str | None:
    """The page an address means: the one it opens beside a list (`p`), else the end of its path."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    for word in (*parse_qs(parts.query).get("p", ()), parts.path.rstrip("/")):
        found = PAGE.search(word)
        if found:
            return found[1].replace("-", "").lower()
    return None


def _why(said: HttpResponse, page: str, options: Options) -> str:
    """What went wrong, in words that say what to do."""
    if said.status == 401:
        return f"Notion refused the token: it is wrong or expired. Put a new one into {options.token_env}."
    if said.status == 403:
        return f"Notion page {page}: no access. Give the connection the capability to read content."
    if said.status == 404:
        return f"Notion page {page} was not found: it was deleted, or is not shared with the connection."
    if said.status == 429:
        return f"Notion page {page}: Notion rate-limits us. Try again in a minute."
    return f"Notion page {page}: Notion answered {said.status}: {said.field('message') or 'without a reason'}."
