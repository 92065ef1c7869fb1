"""Every connector knows its own addresses, brings documents by name, and turns every failure into a sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from pydantic import ValidationError

from doubles import Said, Server, closed_port
from doubles.drive import DOCUMENT, Drive, File
from doubles.notion import Notion
from thoughtforge import connectors
from thoughtforge.contracts.published import field_texts
from thoughtforge.integrations.http import FetchedDocument, Pulled
from thoughtforge.kernel.model import Value
from thoughtforge.settings.environment import Machine

NAMES = sorted(found.name for found in iter_modules(connectors.__path__))
TOKEN = "token-0123456789"
PAGE, MISSING, FORBIDDEN = "0" * 31 + "1", "0" * 31 + "2", "0" * 31 + "3"
MACHINE = Machine({"A_TOKEN": TOKEN, "OLD_TOKEN": "old-0123456789"}.get, Path("/nonexistent"))


class Example(NamedTuple):
    """A connector with a service that has one page, misses one and forbids one."""

    options: dict[str, Any]
    good: str
    missing: str
    forbidden: str
    malformed: str
    document: FetchedDocument


@contextmanager
def notion() -> Iterator[Example]:
    double = Notion(TOKEN, {PAGE: ("# Garden", ())})
    double.forbidden = {FORBIDDEN}
    with Server(double) as server:
        at = "https://www.notion.so/team/Garden-"
        document = FetchedDocument(f"notion_{PAGE}.md", b"# Garden")
        options = {"base_url": server.url, "token_env": "A_TOKEN"}
        yield Example(options, at + PAGE, at + MISSING, at + FORBIDDEN, "https://www.notion.so/Garden", document)


@contextmanager
def google_drive() -> Iterator[Example]:
    double = Drive(TOKEN, {PAGE: File(DOCUMENT, "# Garden"), FORBIDDEN: File(DOCUMENT)})
    double.forbidden = {FORBIDDEN}
    with Server(double) as server:
        at = "https://docs.google.com/document/d/{}/edit?tab=t.0"
        document = FetchedDocument(f"gdrive_{PAGE}.md", b"# Garden")
        options = {"base_url": server.url, "token_env": "A_TOKEN"}
        pages = (at.format(page) for page in (PAGE, MISSING, FORBIDDEN))
        yield Example(options, *pages, "https://docs.google.com/document/u/0/", document)


EXAMPLES: dict[str, Callable[[], AbstractContextManager[Example]]] = {"google_drive": google_drive, "notion": notion}
"""A new connector needs one."""


def connector(name: str) -> ModuleType:
    return import_module(f"thoughtforge.connectors.{name}")


def pull(name: str, url: str, options: dict[str, Any]) -> Pulled:
    module = connector(name)
    pulled: Pulled = asyncio.run(module.pull(url, module.Options.model_validate(options), MACHINE))
    return pulled


def test_every_connector_has_an_example_and_every_example_a_connector() -> None:
    assert sorted(EXAMPLES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_connector_says_what_it_is_and_describes_every_option(name: str) -> None:
    module = connector(name)
    assert (module.__doc__ or "").strip()
    assert issubclass(module.Options, Value)
    assert sorted(field_texts(module.Options)) == sorted(module.Options.model_fields)
    assert module.Options.model_validate({"pages": ["https://one.example"]}).pages == ("https://one.example",)
    with pytest.raises(ValidationError, match="no_such_option"):
        module.Options.model_validate({"no_such_option": 1})


@pytest.mark.parametrize("name", NAMES)
def test_an_address_belongs_to_one_connector_only(name: str) -> None:
    with EXAMPLES[name]() as example:
        urls = [example.good, example.missing, example.forbidden, example.malformed]
    assert [[other for other in NAMES if connector(other).matches(url)] for url in urls] == [[name]] * 4
    strange = ["https://example.org/x", "https://notion.so.example.org/x", "https://docs.google.com.evil.example/d/1"]
    assert [connector(name).matches(url) for url in strange] == [False] * 3


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_brought_under_its_name(name: str) -> None:
    with EXAMPLES[name]() as example:
        assert pull(name, example.good, example.options) == Pulled((example.document,))


@pytest.mark.parametrize("name", NAMES)
def test_every_failure_is_a_sentence_that_says_which_and_why(name: str) -> None:
    with EXAMPLES[name]() as example:
        told = {
            "was not found": pull(name, example.missing, example.options),
            "no access": pull(name, example.forbidden, example.options),
            "Could not parse URL": pull(name, example.malformed, example.options),
            "expired": pull(name, example.good, {**example.options, "token_env": "OLD_TOKEN"}),
            "NO_SUCH is not set": pull(name, example.good, {**example.options, "token_env": "NO_SUCH"}),
            "could not be reached": pull(name, example.good, {**example.options, "base_url": closed_port()}),
        }
    for words, pulled in told.items():
        (sentence,) = pulled.failed
        assert (pulled.documents, words in sentence, sentence[-1]) == ((), True, "."), sentence
        assert TOKEN not in sentence


@pytest.mark.parametrize("name", NAMES)
def test_a_service_that_is_slow_or_talks_nonsense_is_a_failure(name: str) -> None:
    with EXAMPLES[name]() as example:
        pass
    for said in (Said(200, b"<html>"), Said(500, {}), Said(302, {}), Said(200, {}, after=2)):
        with Server(lambda asked, said=said: said) as server:
            pulled = pull(name, example.good, {**example.options, "base_url": server.url, "seconds": 0.3})
        assert (pulled.documents, len(pulled.failed)) == ((), 1)
