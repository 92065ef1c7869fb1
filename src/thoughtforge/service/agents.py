"""Which agent fills each role of a task, and what a task needs of its providers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from thoughtforge.agent.run import Agent, StandIn
from thoughtforge.calls.port import Model
from thoughtforge.catalog import extension
from thoughtforge.definitions.drivers import roles, until
from thoughtforge.definitions.role import Role
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Pipeline
from thoughtforge.service.app import App
from thoughtforge.settings.config import Config, RoleChoice

ALL = "*"
FALLS_BACK = {"reviser": "drafter"}
"""A role without settings of its own → the one whose settings it has."""
MANUAL = "manual"
ALWAYS = {"builtin": {"kind": "builtin"}, MANUAL: {"kind": MANUAL}}
"""Entries nobody has to configure."""


def choose(config: Config, override: str | None, *, reviewers: Iterable[str] = ()) -> dict[str, str]:
    """Role → entry of `providers`; `*` for every role without its own."""
    if override is not None:
        return {ALL: override}
    second = {role: config.review.provider for role in reviewers}
    own = {role: choice.provider for role, choice in config.roles.items() if choice.provider}
    chosen = {**second, **own, ALL: config.provider}
    found = {role: name for role, name in chosen.items() if name}
    return {**found, **{role: found[like] for role, like in FALLS_BACK.items() if role not in found and like in found}}


def make_model(app: App, name: str, *, model: str | None = None) -> Model:
    """The provider under that entry, with another model if one is given; every mistake in its options is named."""
    loaded = app.loaded
    entry = loaded.config.providers.get(name) or ALWAYS.get(name)
    if entry is None:
        app.require_trust()
        known = ", ".join(sorted(loaded.config.providers)) or "none yet"
        raise UserError(f"there is no provider {name!r}", do=f"Add it under providers in {loaded.path}. Known: {known}")
    module = extension("providers", str(entry["kind"]))
    given = {**entry, **({"model": model} if model else {})}
    try:
        options = module.Options.model_validate({key: value for key, value in given.items() if key != "kind"})
    except ValidationError as error:
        details = tuple(f"providers.{name}.{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise UserError(
            f"provider {name} is not set up correctly", do=f"Correct {loaded.path}.", details=details
        ) from error
    made = module.make(options, app.machine)
    if not isinstance(made, Model):
        raise UserError(
            f"the provider {entry['kind']} does not declare what every model must declare",
            do="Give its model the attributes of `Model` in calls/port.py, `capabilities` among them: docs/extend.md",
        )
    return made


def binder(app: App, chosen: Mapping[str, str], roles: Mapping[str, Role]) -> Callable[[str], Agent]:
    """A function from a role's name to its agent; each provider is made once."""
    models: dict[tuple[str, str | None], Model] = {}
    config = app.loaded.config

    def bound(role: str, name: str, model: str | None, fallback: str | None) -> Agent:
        if (name, model) not in models:
            models[name, model] = make_model(app, name, model=model)
        after = bound(role, fallback, None, None) if fallback and fallback != name else None
        return Agent(roles[role], name, models[name, model], after)

    def agent(role: str) -> Agent:
        name = chosen.get(role) or chosen.get(ALL)
        if name is None:
            raise UserError(
                f"no provider is set for the role {role}",
                do=f"Name one under `provider` in {app.loaded.path}, or try: thoughtforge demo",
            )
        choice = config.roles.get(role) or config.roles.get(FALLS_BACK.get(role, ""), RoleChoice())
        # A model's name means nothing to another provider than the one it was written for.
        model = choice.model if name == (choice.provider or config.provider) else None
        return bound(role, name, model, choice.fallback or config.fallback)

    return agent


UNSURE = "untested_deliverable"
"""The condition of a stage that only code has: a thought may become a plan, and waits for an agent when it does not."""


class Look(NamedTuple):
    """What was found in one part of the configuration: names of what is enabled, or what is wrong."""

    word: str
    names: tuple[str, ...] = ()
    wrong: UserError | None = None


def check_ready(app: App, pipeline: Pipeline, *, exit_stage: str, agents: Mapping[str, str]) -> None:
    """Report everything wrong before anything is written."""
    check_roles(app, pipeline, exit_stage=exit_stage, agents=agents)
    wrong = [look.wrong for look in outside(app) if look.wrong]
    if wrong:
        raise UserError(
            " and ".join(mistake.what for mistake in wrong),
            do=f"Correct {app.loaded.path}; look again: thoughtforge doctor",
            details=tuple(line for mistake in wrong for line in mistake.details),
        )


def check_roles(app: App, pipeline: Pipeline, *, exit_stage: str, agents: Mapping[str, str]) -> None:
    """A provider that works by rules fills only some roles; elsewhere nobody would answer."""
    bound = {role: agents.get(role) or agents.get(ALL) for role in roles_of(pipeline, exit_stage)}
    fills = {name: make_model(app, name).capabilities.roles for name in set(bound.values()) if name}
    wrong = {role: name for role, name in bound.items() if name and role not in (fills[name] or (role,))}
    if wrong:
        able = ", ".join(sorted({role for name in wrong.values() for role in fills[name] or ()}))
        raise UserError(
            f"{', '.join(sorted(set(wrong.values())))} works by rules and can only be {able}",
            do=f"Name a provider with a model or a coding agent for the other roles in {app.loaded.path}.",
            details=tuple(f"{role}: {name} cannot fill this role" for role, name in wrong.items()),
        )


def roles_of(pipeline: Pipeline, exit_stage: str) -> tuple[str, ...]:
    """Every role that is asked until the task ends, whatever a thought becomes."""
    return roles(stage for stage in until(pipeline, exit_stage) if UNSURE not in stage.skip_if)


def outside(app: App) -> Iterator[Look]:
    """Connectors and channels, when there are any: whether their settings are in order, not whether anybody answers."""
    config = app.loaded.config
    looks: list[tuple[str, Callable[[], tuple[Any, ...]]]] = []
    if config.connectors:
        from thoughtforge.think.connecting import connectors

        looks.append(("connectors", lambda: connectors(config.connectors)))
    if config.notifications.channels:
        from thoughtforge.service.notify import channels

        looks.append(("channels", lambda: channels(app)))
    for word, look in looks:
        try:
            yield Look(word, tuple(one.name for one in look()))
        except UserError as mistake:
            yield Look(word, wrong=mistake)


def by_hand(app: App) -> StandIn:
    """Where a person answers a call: the first entry of the kind `manual`, else one with its usual settings."""
    named = (name for name, entry in app.loaded.config.providers.items() if entry.get("kind") == MANUAL)
    name = next(named, MANUAL)
    return StandIn(name, make_model(app, name))


def waiting(used: Iterable[Agent | StandIn]) -> tuple[str, ...]:
    """Where somebody has to answer, a sentence for each such provider."""
    places = {one.provider: one.model.capabilities.waits_in for one in used if one.model.capabilities.waits_in}
    return tuple(
        f"{provider} waits for somebody to answer: read {folder}/NUMBER.request.md, write NUMBER.reply.md beside it"
        for provider, folder in sorted(places.items())
    )
