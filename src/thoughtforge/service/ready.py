"""What must be in order before a task is made: who fills its roles, which connectors and channels there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Pipeline
from thoughtforge.service.agents import ALL, make_model
from thoughtforge.service.app import App

REPAIRS = {"polish": "fixer"}
"""Driver → the role it asks besides the one of its stage."""


class Look(NamedTuple):
    """What was found in one part of the configuration: names of what is enabled, or what is wrong."""

    word: str
    names: tuple[str, ...] = ()
    wrong: Mistake | None = None


def check_ready(app: App, pipeline: Pipeline, *, exit_stage: str, agents: Mapping[str, str]) -> None:
    """Everything wrong is told before anything is written."""
    check_roles(app, pipeline, exit_stage=exit_stage, agents=agents)
    wrong = [look.wrong for look in outside(app) if look.wrong]
    if wrong:
        raise Mistake(
            " and ".join(mistake.what for mistake in wrong),
            do=f"Correct {app.loaded.path}; look again: thoughtforge doctor",
            details=tuple(line for mistake in wrong for line in mistake.details),
        )


def check_roles(app: App, pipeline: Pipeline, *, exit_stage: str, agents: Mapping[str, str]) -> None:
    """A provider that works by rules fills only some roles; elsewhere nobody would answer."""
    bound = {role: agents.get(role) or agents.get(ALL) for role in roles_of(pipeline, exit_stage)}
    fills = {name: getattr(make_model(app, name), "fills", None) for name in set(bound.values()) if name}
    wrong = {role: name for role, name in bound.items() if name and role not in (fills[name] or (role,))}
    if wrong:
        able = ", ".join(sorted({role for name in wrong.values() for role in fills[name] or ()}))
        raise Mistake(
            f"{', '.join(sorted(set(wrong.values())))} works by rules and can only be {able}",
            do=f"Name a provider with a model or a coding agent for the other roles in {app.loaded.path}.",
            details=tuple(f"{role}: {name} cannot fill it" for role, name in wrong.items()),
        )


def roles_of(pipeline: Pipeline, exit_stage: str) -> tuple[str, ...]:
    """Every role that is asked until the task ends."""
    names: list[str] = []
    for stage in pipeline.stages:
        names += [stage.role, *stage.reviewers, *([REPAIRS[stage.driver]] if stage.driver in REPAIRS else [])]
        if stage.name == exit_stage:
            break
    return tuple(dict.fromkeys(names))


def outside(app: App) -> Iterator[Look]:
    """Connectors and channels, when there are any: whether their settings are in order, not whether anybody answers."""
    config = app.loaded.config
    looks: list[tuple[str, Callable[[], tuple[Any, ...]]]] = []
    if config.connectors:
        from thoughtforge.intake.connecting import connectors

        looks.append(("connectors", lambda: connectors(config.connectors)))
    if config.notifications.channels:
        from thoughtforge.service.notify import channels

        looks.append(("channels", lambda: channels(app)))
    for word, look in looks:
        try:
            yield Look(word, tuple(one.name for one in look()))
        except Mistake as mistake:
            yield Look(word, wrong=mistake)
