"""The scorecard: eight signals on their boundary values, unknown is not a pass, and only numbers decide."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from doubles import Server
from doubles.registries import Registries, downloads, npm_package, python_package, repository
from thoughtforge.integrations.http import registry_fetch
from thoughtforge.settings.outside import Discovery
from thoughtforge.think.component_facts import Facts, version_of
from thoughtforge.think.discovery import Component, Scorecard, Signal, discover, scorecard

TODAY = date(2026, 7, 1)
SHELF = Component("shelf", "pypi")
GOOD = Facts(
    releases={version_of("1.0"): date(2024, 1, 1), version_of("1.1"): date(2026, 6, 1)},
    licence="MIT",
    permissive=True,
    weekly_downloads=1_000,
    maintainers=2,
    repository="ada/shelf",
    stars=500,
    open_issues=3,
    closed_issues=3,
)


def card(**changes: Any) -> Scorecard:
    return scorecard(SHELF, replace(GOOD, **changes), today=TODAY)


def outcome(name: str, **changes: Any) -> str:
    return next(signal.outcome for signal in card(**changes).signals if signal.name == name)


def test_a_good_component_passes_all_eight() -> None:
    assert card() == Scorecard(
        SHELF,
        (
            Signal("age", "1.0 2024-01-01, 30 months ago", "pass"),
            Signal("last_update", "2026-06-01", "pass"),
            Signal("stars", "500", "pass"),
            Signal("weekly_downloads", "1,000", "pass"),
            Signal("issues", "3 open, 3 closed", "pass"),
            Signal("licence", "MIT", "pass"),
            Signal("maintainers", "2", "pass"),
            Signal("majors", "0 new in 24 months", "pass"),
        ),
        True,
        "8 of 8 signals pass",
    )


@pytest.mark.parametrize(
    ("signal", "changes", "wanted"),
    [
        ("stars", {"stars": 499}, "fail"),
        ("stars", {"stars": None}, "unknown"),
        ("weekly_downloads", {"weekly_downloads": 999}, "fail"),
        ("weekly_downloads", {"weekly_downloads": 0}, "fail"),
        ("weekly_downloads", {"weekly_downloads": None}, "unknown"),
        ("issues", {"open_issues": 4}, "fail"),
        ("issues", {"closed_issues": None}, "unknown"),
        ("licence", {"permissive": False, "licence": "GPL-3.0"}, "fail"),
        ("licence", {"permissive": None, "licence": "Our own"}, "unknown"),
        ("age", {"releases": {version_of("1.0"): date(2026, 1, 1)}}, "fail"),
        ("age", {"releases": {version_of("1.0"): date(2025, 12, 30)}}, "pass"),
        ("age", {"releases": {version_of("0.1"): date(2020, 1, 1), version_of("1.0"): date(2026, 6, 1)}}, "fail"),
        ("age", {"releases": {version_of("0.1"): date(2020, 1, 1), version_of("1.0rc1"): date(2026, 6, 1)}}, "pass"),
        ("age", {"releases": {}}, "unknown"),
        ("last_update", {"releases": {version_of("1.0"): date(2025, 6, 30)}}, "fail"),
        ("last_update", {"releases": {version_of("1.0"): date(2025, 7, 2)}}, "pass"),
        ("last_update", {"releases": {version_of("1.0"): date(2020, 1, 1)}, "pushed": date(2026, 6, 1)}, "pass"),
        ("last_update", {"releases": {}}, "unknown"),
        ("maintainers", {"maintainers": 1}, "pass"),
        ("maintainers", {"maintainers": 1, "releases": {version_of("1.0"): date(2020, 1, 1)}}, "fail"),
        ("maintainers", {"maintainers": 0}, "fail"),
        ("maintainers", {"maintainers": None}, "unknown"),
        ("majors", {"releases": {version_of(f"{n}.0"): date(2025, n, 1) for n in (1, 2, 3)}}, "fail"),
        ("majors", {"releases": {version_of(f"{n}.0"): date(2025, n, 1) for n in (1, 2)}}, "pass"),
        ("majors", {"releases": {}}, "unknown"),
    ],
)
def test_each_signal_on_its_boundary(signal: str, changes: dict[str, Any], wanted: str) -> None:
    assert outcome(signal, **changes) == wanted


def test_six_of_eight_are_enough_and_five_are_not() -> None:
    assert card(stars=1, weekly_downloads=None).qualified is True
    assert card(stars=1, weekly_downloads=None, maintainers=None).qualified is False


@pytest.mark.parametrize(
    "changes", [{"permissive": None}, {"permissive": False}, {"releases": {version_of("1.0"): date(2026, 6, 1)}}]
)
def test_age_update_and_licence_are_never_made_up_for(changes: dict[str, Any]) -> None:
    told = card(**changes)
    assert (told.qualified, "it cannot qualify without" in told.why) == (False, True)


def test_nothing_known_is_nothing_passed() -> None:
    told = scorecard(SHELF, Facts(), today=TODAY)
    assert ({signal.outcome for signal in told.signals}, told.qualified) == ({"unknown"}, False)


def settings(url: str, **more: Any) -> Discovery:
    places = {"pypi": "pypi", "pypi_downloads": "stats", "npm": "npm", "npm_downloads": "figures", "github": "github"}
    return Discovery.model_validate(
        {"enabled": True, "seconds": 10, **{key: f"{url}/{place}" for key, place in places.items()}, **more}
    )


def ask(double: Registries, *components: Component, **more: Any) -> tuple[Scorecard, ...]:
    with Server(double) as server:
        given = settings(server.url, **more)
        fetch = registry_fetch(given, {"GITHUB_TOKEN": "token-123456"}.get)
        return asyncio.run(discover(components, given, fetch=fetch, today=TODAY))


def values(told: Scorecard) -> dict[str, str]:
    return {signal.name: signal.value for signal in told.signals}


WHOLE = {
    **python_package(
        "shelf",
        {"0.1": "2019-01-01", "1.0": "2020-01-01", "2.0b1": "2026-05-01", "9.9": ""},
        license_expression="MIT OR GPL-3.0",
        project_urls={"Sponsor": "https://github.com/sponsors/ada", "Source": "https://github.com/ada/shelf.git"},
    ),
    **downloads("shelf", 12_345),
    **repository("ada/shelf", stars=600, opened=1, closed=9, people=3, pushed_at="2026-06-30T00:00:00Z"),
}


def test_a_python_package_is_looked_up_at_the_index_and_its_repository() -> None:
    (told,) = ask(Registries(WHOLE), SHELF)
    assert told.qualified is True
    assert values(told) == {
        "age": "1.0 2020-01-01, 78 months ago",
        "last_update": "2026-06-30",
        "stars": "600",
        "weekly_downloads": "12,345",
        "issues": "1 open, 9 closed",
        "licence": "MIT OR GPL-3.0",
        "maintainers": "3",
        "majors": "0 new in 24 months",
    }


def test_a_javascript_package_is_looked_up_at_its_registry() -> None:
    about = {
        "license": "ISC",
        "maintainers": [{"name": "a"}, {"name": "b"}],
        "repository": {"url": "git+https://x.example/y"},
    }
    double = Registries(npm_package("@ada/shelf", {"1.0.0": "2020-01-01", "2.0.0": "2026-01-01"}, 2_000, **about))
    (told,) = ask(double, Component("@ada/shelf", "npm"))
    assert values(told) == {
        "age": "1.0 2020-01-01, 78 months ago",
        "last_update": "2026-01-01",
        "stars": "unknown",
        "weekly_downloads": "2,000",
        "issues": "unknown",
        "licence": "ISC",
        "maintainers": "2",
        "majors": "1 new in 24 months",
    }
    assert (told.qualified, told.why) == (True, "6 of 8 signals pass")


def test_github_alone_is_shown_the_token() -> None:
    with Server(Registries(WHOLE)) as server:
        given = settings(server.url)
        fetch = registry_fetch(given, {"GITHUB_TOKEN": "token-123456"}.get)
        asyncio.run(discover([SHELF], given, fetch=fetch, today=TODAY))
        shown = {asked.path.split("/")[1]: asked.headers.get("authorization") for asked in server.asked}
    assert shown == {"pypi": None, "stats": None, "github": "Bearer token-123456"}


@pytest.mark.parametrize(
    "component",
    [Component("nothing", "pypi"), Component("../x", "pypi"), Component("shelf", "crates"), Component("A b", "npm")],
)
def test_what_no_registry_knows_is_unknown(component: Component) -> None:
    (told,) = ask(Registries({}), component)
    assert (set(values(told).values()), told.qualified) == ({"unknown"}, False)


def test_nothing_is_asked_unless_it_is_enabled() -> None:
    with Server(Registries(WHOLE)) as server:
        given = settings(server.url, enabled=False)
        (told,) = asyncio.run(discover([SHELF], given, fetch=registry_fetch(given, lambda name: None), today=TODAY))
        assert server.asked == []
    assert set(values(told).values()) == {"unknown"}


def test_a_slow_source_takes_nothing_away_from_a_quick_one() -> None:
    begin = time.monotonic()
    (told,) = ask(Registries(WHOLE, slow="/github"), SHELF, seconds=1)
    assert time.monotonic() - begin < 30
    assert {name: value for name, value in values(told).items() if value == "unknown"} == dict.fromkeys(
        ("stars", "issues", "maintainers"), "unknown"
    )


@pytest.mark.parametrize(
    ("words", "permissive"),
    [
        ("Apache Software License", "pass"),
        ("BSD-3-Clause", "pass"),
        ("GNU Affero General Public License v3", "fail"),
        ("LGPL-2.1-only", "fail"),
        ("AGPL-3.0", "fail"),
        ("Proprietary", "unknown"),
        ("", "unknown"),
    ],
)
def test_licences_are_told_apart(words: str, permissive: str) -> None:
    answers = {**python_package("shelf", {"1.0": "2020-01-01"}, license=words)}
    (told,) = ask(Registries(answers), SHELF)
    assert next(signal.outcome for signal in told.signals if signal.name == "licence") == permissive
