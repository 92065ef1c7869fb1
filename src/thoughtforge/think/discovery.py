"""The scorecard of an open-source component: eight signals from registry facts, and whether it qualifies.

Every value is measured here and the qualification computed; no model has a say. What could not be found out is unknown,
and unknown is not a pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import date
from typing import Literal, NamedTuple

from thoughtforge.integrations.http import Fetch
from thoughtforge.settings.outside import Discovery
from thoughtforge.think.component_facts import Facts, github_facts, npm_facts, pypi_facts

Outcome = Literal["pass", "fail", "unknown"]

MONTH = 30.44
NEEDED = 6
DECISIVE = ("age", "last_update", "licence")
"""Signals without which a component never qualifies."""
LEAST_STARS, LEAST_DOWNLOADS, LEAST_AGE_MONTHS, LONGEST_SILENCE_MONTHS = 500, 1_000, 6, 12
MOST_MAJORS, MAJORS_MONTHS = 2, 24
"""More new major versions than this in so many months are frequent."""


class Component(NamedTuple):
    """A component somebody proposes."""

    name: str
    ecosystem: str


class Signal(NamedTuple):
    """One row of the scorecard."""

    name: str
    value: str
    outcome: Outcome


class Scorecard(NamedTuple):
    """What is known of a component."""

    component: Component
    signals: tuple[Signal, ...]
    qualified: bool
    why: str


async def discover(
    components: Iterable[Component], settings: Discovery, *, fetch: Fetch, today: date
) -> tuple[Scorecard, ...]:
    """A scorecard for each component, asked for at once within the time the settings allow."""
    wanted = tuple(components)
    found: dict[Component, Facts] = {}
    if settings.enabled and wanted:
        tasks = [asyncio.create_task(_keep(found, one, settings, fetch)) for one in wanted]
        _, late = await asyncio.wait(tasks, timeout=settings.seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return tuple(scorecard(one, found.get(one, Facts()), today=today) for one in wanted)


async def _keep(found: dict[Component, Facts], component: Component, settings: Discovery, fetch: Fetch) -> None:
    """Facts as they come in, so that a slow source takes nothing away from a quick one."""
    readers: Mapping[str, Callable[[str, Discovery, Fetch], Awaitable[Facts]]] = {"pypi": pypi_facts, "npm": npm_facts}
    reader = readers.get(component.ecosystem.lower())
    if reader is None:
        return
    facts = found[component] = await reader(component.name, settings, fetch)
    if facts.repository:
        found[component] = await github_facts(facts, settings, fetch)


def scorecard(component: Component, facts: Facts, *, today: date) -> Scorecard:
    """The eight signals and what follows from them."""
    signals = (
        _age(facts, today),
        _last_update(facts, today),
        _at_least("stars", facts.stars, LEAST_STARS),
        _at_least("weekly_downloads", facts.weekly_downloads, LEAST_DOWNLOADS),
        _issues(facts),
        _licence(facts),
        _maintainers(facts, today),
        _majors(facts, today),
    )
    passed = [signal.name for signal in signals if signal.outcome == "pass"]
    lacking = [name for name in DECISIVE if name not in passed]
    why = f"{len(passed)} of {len(signals)} signals pass"
    if lacking:
        why += f"; it cannot qualify without {', '.join(lacking)}"
    return Scorecard(component, signals, len(passed) >= NEEDED and not lacking, why)


def _months(begin: date, end: date) -> float:
    return (end - begin).days / MONTH


def _judge(name: str, value: str, good: bool) -> Signal:
    return Signal(name, value, "pass" if good else "fail")


def _unknown(name: str) -> Signal:
    return Signal(name, "unknown", "unknown")


def _at_least(name: str, number: int | None, least: int) -> Signal:
    return _unknown(name) if number is None else _judge(name, f"{number:,}", number >= least)


def _age(facts: Facts, today: date) -> Signal:
    """Since the first stable version; since the first of all where there is no stable one yet."""
    stable = [day for version, day in facts.releases.items() if version.stable and version.major >= 1]
    begin = min(stable or facts.releases.values(), default=None)
    if begin is None:
        return _unknown("age")
    what = "1.0" if stable else "first release"
    months = _months(begin, today)
    return _judge("age", f"{what} {begin.isoformat()}, {months:.0f} months ago", months >= LEAST_AGE_MONTHS)


def _last(facts: Facts) -> date | None:
    return max((day for day in (*facts.releases.values(), facts.pushed) if day is not None), default=None)


def _last_update(facts: Facts, today: date) -> Signal:
    last = _last(facts)
    if last is None:
        return _unknown("last_update")
    return _judge("last_update", last.isoformat(), _months(last, today) < LONGEST_SILENCE_MONTHS)


def _issues(facts: Facts) -> Signal:
    if facts.open_issues is None or facts.closed_issues is None:
        return _unknown("issues")
    value = f"{facts.open_issues:,} open, {facts.closed_issues:,} closed"
    return _judge("issues", value, facts.open_issues <= facts.closed_issues)


def _licence(facts: Facts) -> Signal:
    if not facts.licence or facts.permissive is None:
        return Signal("licence", facts.licence or "unknown", "unknown")
    return _judge("licence", facts.licence, facts.permissive)


def _maintainers(facts: Facts, today: date) -> Signal:
    """One person alone is enough while they are at work."""
    if facts.maintainers is None:
        return _unknown("maintainers")
    last = _last(facts)
    active = last is not None and _months(last, today) < LONGEST_SILENCE_MONTHS
    return _judge("maintainers", str(facts.maintainers), facts.maintainers > 1 or (facts.maintainers == 1 and active))


def _majors(facts: Facts, today: date) -> Signal:
    """How many major versions began lately."""
    first: dict[int, date] = {}
    for version, day in facts.releases.items():
        if version.stable:
            first[version.major] = min(day, first.get(version.major, day))
    if not first:
        return _unknown("majors")
    recent = [major for major, day in first.items() if _months(day, today) < MAJORS_MONTHS]
    value = f"{len(recent)} new in {MAJORS_MONTHS} months"
    return _judge("majors", value, len(recent) <= MOST_MAJORS)
