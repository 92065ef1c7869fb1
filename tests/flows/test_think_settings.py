"""Settings that only count later are looked at before a task begins: what is wrong is named, nothing is left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.thoughts import NOTE, Garden, agreed, built, make_garden, polished
from harness import REQUEST, task_ids
from harness.place import Place

CONNECTORS: dict[str, Any] = {
    "foo": {"enabled": True},
    "notion": {"enabled": "yes"},
    "google_drive": {"enabled": True, "pages": "all", "colour": "red", "base_url": "drive"},
}
CHANNELS: dict[str, Any] = {
    "x": {"kind": "nope"},
    "phone": {"kind": "ntfy", "url": "not a url", "topic": "t"},
    "bot": {"kind": "telegram"},
}
KEYS = [
    "connectors.foo",
    "connectors.google_drive.base_url",
    "connectors.google_drive.colour",
    "connectors.google_drive.pages",
    "connectors.notion.enabled",
    "notifications.channels.bot.chat_id",
    "notifications.channels.phone.url",
    "notifications.channels.x.kind",
]


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def keys(details: list[str]) -> list[str]:
    """The settings that are named."""
    return sorted(line.partition(":")[0] for line in details)


def left_behind(garden: Garden) -> list[str]:
    """Tasks and projects, half made ones too."""
    return [path.name for part in ("tasks", "projects") for path in (garden.home / part).glob("*") if path.is_dir()]


def test_a_thought_does_not_begin_with_wrong_connectors_or_channels(garden: Garden) -> None:
    garden.script(*agreed(), connectors=CONNECTORS, notifications={"channels": CHANNELS})
    told = garden.json("think", garden.note())
    assert (told["exit_code"], keys(told["error"]["details"])) == (2, KEYS)
    assert told["error"]["what"] == "connectors are not set up properly and notifications are not set up correctly"
    assert told["error"]["do"] == f"Correct {garden.home / 'config.yaml'}; look again: thoughtforge doctor"
    assert "connectors.foo: there is no connector 'foo'. Known: google_drive, notion" in told["error"]["details"]
    assert left_behind(garden) == []
    found = garden.run("doctor").out
    assert [line for line in told["error"]["details"] if line not in found] == []


@pytest.mark.parametrize("flags", [(), ("--dry-run",)])
def test_a_request_does_not_begin_with_wrong_channels(place: Place, flags: tuple[str, ...]) -> None:
    place.script(notifications={"channels": CHANNELS})
    told = place.run("start", REQUEST, *flags, "--json")
    assert (told.code, keys(told.json["error"]["details"])) == (2, KEYS[5:])
    assert task_ids(place.repository) == []


def test_settings_in_order_are_no_hindrance(garden: Garden) -> None:
    garden.script(*agreed(), connectors={"notion": {"enabled": False}}, notifications={"channels": {"desktop": {}}})
    assert garden.json("think", garden.note())["exit_code"] != 2


def with_builtin(garden: Garden, **config: Any) -> None:
    """A script for all but what the configuration says, and an entry `b` that works by rules."""
    garden.script(*agreed(), *built(), *polished()[2:], **config)
    path = garden.home / "config.yaml"
    data = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**data, "providers": {**data["providers"], "b": {"kind": "builtin"}}}))


@pytest.mark.parametrize("role", ["critic", "fixer"])
def test_a_provider_that_works_by_rules_is_refused_where_it_cannot_answer(garden: Garden, role: str) -> None:
    with_builtin(garden, roles={role: {"provider": "b"}})
    told = garden.json("think", garden.note())
    config = garden.home / "config.yaml"
    assert (told["exit_code"], told["error"]) == (
        2,
        {
            "what": "b works by rules and can only be builder, distiller, spec_builder",
            "details": [f"{role}: b cannot fill this role"],
            "do": f"Name a provider with a model or a coding agent for the other roles in {config}.",
        },
    )
    assert left_behind(garden) == []


def test_a_provider_that_works_by_rules_may_fill_the_roles_it_can(garden: Garden) -> None:
    with_builtin(garden, roles={"distiller": {"provider": "b"}, "security_architect": {"provider": "b"}})
    more = "It is planted in May. Steps: first buy the pots, then plant. It is done well when the basil is ripe."
    note = garden.note(f"{NOTE} {more}")  # so that rules ask one question, which the script settles
    assert garden.json("think", note)["phase"] == "done"
    assert {event["provider"] for event in garden.events("call_started")} == {"b", "script"}


def test_a_thought_cannot_go_on_with_a_provider_that_works_by_rules(garden: Garden) -> None:
    with_builtin(garden)
    garden.script(*agreed())
    assert garden.json("think", garden.note())["phase"] == "halted"
    before = garden.events()
    told = garden.json("resume", "last", "--provider", "builtin")
    assert (told["exit_code"], told["error"]["details"]) == (
        2,
        ["critic: builtin cannot fill this role", "fixer: builtin cannot fill this role"],
    )
    assert garden.events() == before


def test_a_request_about_a_repository_is_nothing_for_rules(place: Place) -> None:
    told = place.run("start", REQUEST, "--provider", "builtin", "--json")
    assert (told.code, told.json["error"]["what"]) == (
        2,
        "builtin works by rules and can only be builder, distiller, spec_builder",
    )
