"""Addresses in a person's words: what belongs to an enabled connector is pulled into the resources, and told."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import ValidationError

from thoughtforge.catalog import extension, extension_names
from thoughtforge.integrations.http import FetchedDocument
from thoughtforge.kernel.errors import UserError
from thoughtforge.settings.environment import Machine
from thoughtforge.store.viewfiles import write_whole

URL = re.compile(r"""https?://[^\s<>"'`|\\^{}\[\]]+""", re.IGNORECASE)
AFTER = ".,;:!?)*_"
"""What ends a sentence rather than an address."""
Forbids = Callable[[str], str]
"""Why a file of that name may not be kept; empty when it may. Asked before each is written."""


class Connector(NamedTuple):
    """A connector that is enabled, with its options."""

    name: str
    module: ModuleType
    options: Any


class Connected(NamedTuple):
    """What came of the addresses in a message."""

    saved: tuple[str, ...] = ()
    """Names of files, as they are in the resources now."""
    said: tuple[str, ...] = ()
    """Sentences for the person: what was saved, what failed and why, what was left alone."""
    urls: tuple[str, ...] = ()
    """Every address that was looked at; give it back as `known`, so that nothing is pulled or said twice."""


def connectors(settings: Mapping[str, Mapping[str, Any]]) -> tuple[Connector, ...]:
    """Those that are enabled; everything wrong with their settings is told at once."""
    found: list[Connector] = []
    wrong: list[str] = []
    for name, entry in settings.items():
        enabled = entry.get("enabled", False)
        if not isinstance(enabled, bool):
            wrong.append(f"connectors.{name}.enabled: expected true or false, got {enabled!r}")
        try:
            module = extension("connectors", name)
            options = module.Options.model_validate({key: value for key, value in entry.items() if key != "enabled"})
        except UserError as mistake:
            wrong.append(f"connectors.{name}: {mistake.what}. {mistake.do}")
        except ValidationError as error:
            wrong += [
                f"connectors.{name}.{'.'.join(str(p) for p in e['loc'])}: {_words(e['msg'])}" for e in error.errors()
            ]
        else:
            found += [Connector(name, module, options)] * (enabled is True)
    if wrong:
        raise UserError("connectors are not set up properly", do="Correct them in config.yaml.", details=tuple(wrong))
    return tuple(found)


def _words(message: str) -> str:
    return message.removeprefix("Value error, ")


def find_urls(text: str) -> tuple[str, ...]:
    """Every address in a text once, in order, without the full stop after it."""
    return tuple(dict.fromkeys(found.group().rstrip(AFTER) for found in URL.finditer(text)))


async def connect(
    text: str,
    into: Path,
    *,
    settings: Mapping[str, Mapping[str, Any]],
    machine: Machine,
    forbids: Forbids,
    known: Collection[str] = (),
) -> Connected:
    """Pull what the addresses in `text` name. A connector's failure is a sentence, never an error."""
    try:
        enabled = connectors(settings)
    except UserError as mistake:
        return Connected(said=(f"{'; '.join((mistake.what, *mistake.details))}.",) if find_urls(text) else ())
    fresh = [url for url in find_urls(text) if url not in known]
    saved: list[str] = []
    said: list[str] = []
    for url in fresh:
        owner = next((one for one in enabled if _matches(one.module, url)), None)
        if owner is not None:
            done = await _pull(owner, url, into, machine=machine, forbids=forbids)
            saved += done.saved
            said += done.said
    said += _left_alone([url for url in fresh if not any(_matches(one.module, url) for one in enabled)])
    return Connected(tuple(saved), tuple(said), tuple(fresh))


async def connect_defaults(
    into: Path, *, settings: Mapping[str, Mapping[str, Any]], machine: Machine, forbids: Forbids
) -> Connected:
    """Pull the pages the configuration names for every task."""
    try:
        enabled = connectors(settings)
    except UserError as mistake:
        return Connected(said=(f"{'; '.join((mistake.what, *mistake.details))}.",))
    done: list[Connected] = []
    for one in enabled:
        done += [await _pull(one, url, into, machine=machine, forbids=forbids) for url in one.options.pages]
    return Connected(*(tuple(item for one in done for item in one[field]) for field in range(3)))


async def _pull(owner: Connector, url: str, into: Path, *, machine: Machine, forbids: Forbids) -> Connected:
    try:
        pulled = await owner.module.pull(url, owner.options, machine)
    except Exception as error:  # noqa: BLE001 - a connector may come from anywhere; a task goes on without it
        return Connected(said=(f"The connector {owner.name} failed: {type(error).__name__}.",), urls=(url,))
    saved, failed = [], list(pulled.failed)
    for document in pulled.documents:
        problem = _save(document, into, forbids=forbids)
        saved += [] if problem else [document.name]
        failed += [problem] if problem else []
    told = [f"Saved {', '.join(saved)} from {owner.name}."] if saved else []
    return Connected(tuple(saved), (*told, *failed), (url,))


def _save(document: FetchedDocument, into: Path, *, forbids: Forbids) -> str:
    """Keep a document; why it could not be kept, if it could not."""
    if Path(document.name).name != document.name or document.name.startswith("."):
        return f"The name {document.name!r} is no name for a file here."
    why = forbids(document.name)
    if why:
        return f"{document.name} was not saved: {why}."
    try:
        write_whole(into / document.name, document.data)
    except OSError as error:
        return f"{document.name} could not be saved: {error.strerror}."
    return ""


def _matches(module: ModuleType, url: str) -> bool:
    try:
        return bool(module.matches(url))
    except ValueError:  # an address that is none, such as one with half a bracket
        return False


def _left_alone(urls: list[str]) -> Iterator[str]:
    """One sentence for each connector that is off, and one for all other addresses."""
    rest = list(urls)
    for name in extension_names("connectors"):
        module = extension("connectors", name)
        mine = [url for url in rest if _matches(module, url)]
        rest = [url for url in rest if url not in mine]
        if mine:
            yield f"The connector {name} is off: {_listed(mine)} left as text. Enable connectors.{name} to pull it."
    if rest:
        yield f"There is no connector for it: {_listed(rest)} left as text."


def _listed(urls: list[str]) -> str:
    hosts = list(dict.fromkeys(_host(url) for url in urls))
    return (
        f"{urls[0]}" if len(urls) == 1 else f"{len(urls)} addresses ({', '.join(hosts[:3])}{', …' * (len(hosts) > 3)})"
    )


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return url
