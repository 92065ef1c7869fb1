"""Addresses in a message: pulled when a connector is on, told when it is not, and never an error."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from doubles import Server, closed_port
from doubles.drive import DOCUMENT, Drive, File
from doubles.notion import Notion
from thoughtforge.kernel.errors import UserError
from thoughtforge.settings.environment import Machine
from thoughtforge.think.connecting import Connected, connect, connect_defaults, connectors, find_urls

TOKEN = "token-0123456789"
PAGE, OTHER = "0" * 31 + "1", "0" * 31 + "2"
NOTION, DRIVE = f"https://www.notion.so/Garden-{PAGE}", f"https://docs.google.com/document/d/{OTHER}/edit"


def machine(folder: Path) -> Machine:
    return Machine({"A_TOKEN": TOKEN}.get, folder)


def forbids(name: str) -> str:
    """Everything may be kept but what the test says otherwise."""
    return "it is secret" if name == f"notion_{OTHER}.md" else ""


def go(text: str, folder: Path, settings: dict[str, dict[str, Any]], known: tuple[str, ...] = ()) -> Connected:
    place, mine = folder / "resources", machine(folder)
    return asyncio.run(connect(text, place, settings=settings, machine=mine, known=known, forbids=forbids))


def entry(server: Server | str, **more: Any) -> dict[str, Any]:
    return {"enabled": True, "base_url": getattr(server, "url", server), "token_env": "A_TOKEN", **more}


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("nothing here", ()),
        ("see https://a.example/x, and (https://b.example/y).", ("https://a.example/x", "https://b.example/y")),
        ("[a](https://a.example/x) https://a.example/x", ("https://a.example/x",)),
        ("<HTTPS://a.example/x?q=1&r=ü#z>", ("HTTPS://a.example/x?q=1&r=ü#z",)),
        ("ftp://a.example notion.so/x", ()),
    ],
)
def test_addresses_are_found_without_what_surrounds_them(text: str, urls: tuple[str, ...]) -> None:
    assert find_urls(text) == urls


def test_a_message_with_two_addresses_fills_the_resources(tmp_path: Path) -> None:
    with (
        Server(Notion(TOKEN, {PAGE: ("# Garden", ())})) as one,
        Server(Drive(TOKEN, {OTHER: File(DOCUMENT, "Plan")})) as two,
    ):
        settings = {"notion": entry(one), "google_drive": entry(two)}
        first = go(f"Read {NOTION} and {DRIVE}.", tmp_path, settings)
        again = go(f"As in {NOTION}", tmp_path, settings, known=first.urls)
    names = (f"notion_{PAGE}.md", f"gdrive_{OTHER}.md")
    said = (f"Saved {names[0]} from notion.", f"Saved {names[1]} from google_drive.")
    assert first == Connected(names, said, (NOTION, DRIVE))
    assert again == Connected()
    assert [(tmp_path / "resources" / name).read_text() for name in names] == ["# Garden", "Plan"]


def test_what_may_not_be_kept_is_told_and_not_written(tmp_path: Path) -> None:
    with Server(Notion(TOKEN, {PAGE: ("# Garden", ()), OTHER: ("# Hidden", ())})) as server:
        other = NOTION.replace(PAGE, OTHER)
        done = go(f"{other} and {NOTION}", tmp_path, {"notion": entry(server)})
    kept = f"notion_{PAGE}.md"
    told = (f"notion_{OTHER}.md was not saved: it is secret.", f"Saved {kept} from notion.")
    assert done == Connected((kept,), told, (other, NOTION))
    assert [path.name for path in (tmp_path / "resources").iterdir()] == [kept]


def test_a_failure_is_told_and_the_next_address_is_pulled(tmp_path: Path) -> None:
    with Server(Drive(TOKEN, {OTHER: File(DOCUMENT, "Plan")})) as server:
        settings = {"notion": entry(closed_port()), "google_drive": entry(server)}
        done = go(f"{NOTION} {DRIVE}", tmp_path, settings)
    assert done.saved == (f"gdrive_{OTHER}.md",)
    assert [sentence[:24] for sentence in done.said] == [f"Notion page {PAGE}"[:24], f"Saved gdrive_{OTHER}.md"[:24]]


def test_what_no_connector_is_on_for_stays_text_and_is_said_once(tmp_path: Path) -> None:
    text = f"{NOTION} {NOTION}x https://a.example/1 https://b.example/2"
    done = go(text, tmp_path, {"notion": {"enabled": False}})
    assert done.saved == ()
    assert done.said == (
        "The connector notion is off: 2 addresses (www.notion.so) left as text. Enable connectors.notion to pull it.",
        "There is no connector for it: 2 addresses (a.example, b.example) left as text.",
    )
    assert go(text, tmp_path, {}, known=done.urls) == Connected()


def test_an_address_that_is_none_hurts_nobody(tmp_path: Path) -> None:
    done = go("http://[::1 https://www.notion.so/Garden", tmp_path, {"notion": entry(closed_port())})
    told = "Could not parse URL: 'https://www.notion.so/Garden' names no Notion page. Copy the link of the page itself."
    assert told in done.said


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "resources").write_text("a file, not a folder")
    with Server(Notion(TOKEN, {PAGE: ("# Garden", ())})) as server:
        done = go(NOTION, tmp_path, {"notion": entry(server)})
    assert done == Connected(said=(f"notion_{PAGE}.md could not be saved: File exists.",), urls=(NOTION,))


def test_pages_of_the_configuration_are_pulled_for_every_task(tmp_path: Path) -> None:
    with Server(Notion(TOKEN, {PAGE: ("# Garden", ())})) as server:
        settings = {"notion": entry(server, pages=[NOTION]), "google_drive": {"enabled": False, "pages": [DRIVE]}}
        place = tmp_path / "resources"
        done = asyncio.run(
            connect_defaults(place, settings=settings, machine=machine(tmp_path), forbids=lambda name: "")
        )
    assert done == Connected((f"notion_{PAGE}.md",), (f"Saved notion_{PAGE}.md from notion.",), (NOTION,))


def test_everything_wrong_with_the_settings_is_told_at_once(tmp_path: Path) -> None:
    settings: dict[str, dict[str, Any]] = {"notion": {"enabled": "yes", "tken": 1}, "fax": {"enabled": True}}
    with pytest.raises(UserError) as mistake:
        connectors(settings)
    assert mistake.value.details == (
        "connectors.notion.enabled: expected true or false, got 'yes'",
        "connectors.notion.tken: Extra inputs are not permitted",
        "connectors.fax: there is no connector 'fax'. Known: google_drive, notion",
    )
    assert go(NOTION, tmp_path, settings).said[0].startswith("connectors are not set up properly; connectors.notion")
    assert go("no address", tmp_path, settings) == Connected()
