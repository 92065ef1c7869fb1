"""Every notifier sends a notice with all five fields, and turns every failure into a sentence."""

from __future__ import annotations

import asyncio
import json
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
from doubles.ntfy import Ntfy
from doubles.telegram import Telegram
from thoughtforge import notifiers
from thoughtforge.contracts.published import field_texts
from thoughtforge.integrations.notice import Notice
from thoughtforge.kernel.model import Value
from thoughtforge.settings.environment import Machine

NAMES = sorted(found.name for found in iter_modules(notifiers.__path__))
NOTICE = Notice(
    project_id="20260101-aaaa-garden",
    project_name="Garten für Zoë",
    phase="polish",
    event_type="human_needed",
    summary="Which way does the path lead? Answer it.",
)
TOKEN = "123456:abcdefgh"


class Example(NamedTuple):
    """Options that work, options that do not, and what arrived."""

    good: dict[str, Any]
    bad: dict[str, Any]
    arrived: Callable[[], list[str]]
    machine: Machine
    elsewhere: Machine | None = None
    """Where it fails, when not because of its options."""


def machine(folder: Path, **more: Any) -> Machine:
    return Machine({"A_TOKEN": TOKEN}.get, folder, **more)


@contextmanager
def ntfy(folder: Path) -> Iterator[Example]:
    double = Ntfy(TOKEN)
    with Server(double) as server:
        good = {"url": server.url, "topic": "forge", "token_env": "A_TOKEN"}
        arrived = lambda: [f"{one['title']} {one['message']}" for one in double.published.get("forge", [])]  # noqa: E731
        yield Example(good, {**good, "token_env": None}, arrived, machine(folder))


@contextmanager
def telegram(folder: Path) -> Iterator[Example]:
    double = Telegram(TOKEN, 42)
    with Server(double) as server:
        good = {"base_url": server.url, "chat_id": 42, "token_env": "A_TOKEN"}
        yield Example(good, {**good, "chat_id": 43}, lambda: [one["text"] for one in double.sent], machine(folder))


@contextmanager
def webhook(folder: Path) -> Iterator[Example]:
    got: list[str] = []

    def answer(asked: Any) -> Said:
        got.append(" ".join(asked.json.values()))
        return Said(204, b"")

    with Server(answer) as server:
        yield Example({"url": server.url}, {"url": closed_port()}, lambda: got, machine(folder))


@contextmanager
def desktop(folder: Path) -> Iterator[Example]:
    """A program of that name in a folder of the test's own; where there is none, the notice cannot be shown."""
    shown = folder / "shown"
    program = folder / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s " "$@" >> {shown}\n')
    program.chmod(0o755)
    near = machine(folder, search_path=str(program.parent), desktop={"PATH": "/usr/bin:/bin"})
    yield Example({}, {}, lambda: [shown.read_text()] if shown.exists() else [], near, machine(folder))


EXAMPLES: dict[str, Callable[[Path], AbstractContextManager[Example]]] = {
    "desktop": desktop,
    "ntfy": ntfy,
    "telegram": telegram,
    "webhook": webhook,
}
"""A new notifier needs one."""


def notifier(name: str) -> ModuleType:
    return import_module(f"thoughtforge.notifiers.{name}")


def send(name: str, options: dict[str, Any], near: Machine) -> str:
    module = notifier(name)
    said: str = asyncio.run(module.send(NOTICE, module.Options.model_validate(options), near))
    return said


def test_every_notifier_has_an_example_and_every_example_a_notifier() -> None:
    assert sorted(EXAMPLES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_notifier_says_what_it_is_and_describes_every_option(name: str) -> None:
    module = notifier(name)
    assert (module.__doc__ or "").strip()
    assert issubclass(module.Options, Value)
    assert sorted(field_texts(module.Options)) == sorted(module.Options.model_fields)
    with pytest.raises(ValidationError, match="no_such_option"):
        module.Options.model_validate({"no_such_option": 1})


@pytest.mark.parametrize("name", NAMES)
def test_a_notice_arrives_once_with_its_fields(name: str, tmp_path: Path) -> None:
    with EXAMPLES[name](tmp_path) as example:
        assert send(name, example.good, example.machine) == ""
        (arrived,) = example.arrived()
    values = [NOTICE.project_id, NOTICE.project_name, NOTICE.phase, NOTICE.summary]
    assert [value for value in values if value not in arrived] == []
    assert "human needed" in arrived or "human_needed" in arrived


@pytest.mark.parametrize("name", NAMES)
def test_a_failure_is_one_sentence_and_nothing_arrives(name: str, tmp_path: Path) -> None:
    with EXAMPLES[name](tmp_path) as example:
        why = send(name, example.bad, example.elsewhere or example.machine)
        assert (bool(why), "\n" in why, example.arrived()) == (True, False, [])
        assert TOKEN not in why


@pytest.mark.parametrize("name", ["ntfy", "telegram"])
def test_a_variable_that_is_not_set_is_named(name: str, tmp_path: Path) -> None:
    with EXAMPLES[name](tmp_path) as example:
        assert (
            send(name, {**example.good, "token_env": "NO_SUCH"}, example.machine) == "the variable NO_SUCH is not set"
        )


@pytest.mark.parametrize("name", ["ntfy", "telegram", "webhook"])
def test_a_service_that_is_slow_or_talks_nonsense_or_is_away_is_a_failure(name: str, tmp_path: Path) -> None:
    place = {"telegram": "base_url"}.get(name, "url")
    with EXAMPLES[name](tmp_path) as example:
        good = dict(example.good)
    told = []
    for said in (Said(200, {"ok": True}, after=2), Said(500, b"<html>"), Said(302, {})):
        with Server(lambda asked, said=said: said) as server:
            told.append(send(name, {**good, place: server.url, "seconds": 0.3}, example.machine))
    told.append(send(name, {**good, place: closed_port()}, example.machine))
    assert ["did not answer within 0.3 s" in told[0], "500" in told[1], "302" in told[2]] == [True] * 3
    assert told[3].startswith("127.0.0.1:")
    assert "could not be reached" in told[3]
    assert json.dumps(told).count(TOKEN) == 0
