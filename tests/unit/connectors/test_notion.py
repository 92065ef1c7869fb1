"""Notion: which page an address means, and pages that come in parts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from doubles import Server
from doubles.notion import Notion
from thoughtforge.connectors.notion import Options, page_id, pull
from thoughtforge.integrations.http import FetchedDocument, Pulled
from thoughtforge.settings.environment import Machine

ID = "0123456789abcdef0123456789abcdef"
DASHED = "01234567-89ab-cdef-0123-456789abcdef"
OTHER = "f" * 32
MACHINE = Machine(lambda name: "token-123456", Path("/nonexistent"))


@pytest.mark.parametrize(
    ("url", "page"),
    [
        (f"https://www.notion.so/Garden-{ID}", ID),
        (f"https://www.notion.so/team/Garden-{ID}?pvs=4#part", ID),
        (f"https://www.notion.so/{DASHED.upper()}/", ID),
        (f"https://app.notion.com/p/Garden-{ID}", ID),
        (f"https://team.notion.site/Garden-{ID}", ID),
        (f"https://www.notion.so/team/{OTHER}?v={OTHER}&p={ID}", ID),
        ("https://www.notion.so/Garden", None),
        (f"https://www.notion.so/Garden-{ID[:-1]}", None),
        (f"https://www.notion.so/Garden-0{ID}", None),
        ("https://[half", None),
    ],
)
def test_the_page_of_an_address(url: str, page: str | None) -> None:
    assert page_id(url) == page


def test_a_long_page_is_put_together_from_its_parts() -> None:
    pages = {ID: ("one", ("a-1", "b-2")), "a-1": ("two", ("c-3",)), "b-2": ("three", ()), "c-3": ("four", ())}
    with Server(Notion("token-123456", pages)) as server:
        pulled = asyncio.run(pull(f"https://www.notion.so/{ID}", Options(base_url=server.url), MACHINE))
        assert [asked.headers["notion-version"] for asked in server.asked] == ["2025-09-03"] * 4
    assert pulled == Pulled((FetchedDocument(f"notion_{ID}.md", b"one\n\ntwo\n\nthree\n\nfour"),))


def test_a_part_that_is_missing_does_not_hide_the_rest() -> None:
    with Server(Notion("token-123456", {ID: ("one", ("a-1",))})) as server:
        pulled = asyncio.run(pull(f"https://www.notion.so/{ID}", Options(base_url=server.url), MACHINE))
    assert pulled.documents == (FetchedDocument(f"notion_{ID}.md", b"one"),)
    assert pulled.failed == (f"Notion page {ID} was not found: it was deleted, or is not shared with the connection.",)


def test_a_page_that_never_ends_is_cut() -> None:
    with Server(Notion("token-123456", {ID: ("one", (ID,))})) as server:
        pulled = asyncio.run(pull(f"https://www.notion.so/{ID}", Options(base_url=server.url), MACHINE))
        assert len(server.asked) == 50
    assert pulled.failed == (f"Notion page {ID} is too long; 1 of its parts are missing.",)


def test_being_asked_for_patience_is_told() -> None:
    double = Notion("token-123456", {})
    double.busy = {ID}
    with Server(double) as server:
        pulled = asyncio.run(pull(f"https://www.notion.so/{ID}", Options(base_url=server.url), MACHINE))
    assert pulled == Pulled(failed=(f"Notion page {ID}: Notion rate-limits us. Try again in a minute.",))
