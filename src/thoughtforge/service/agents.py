"""Roles bound to providers. Nothing is chosen only because it is installed: the configuration names it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pydantic import ValidationError

from thoughtforge.agent.means import Agent
from thoughtforge.agent.role import Role
from thoughtforge.calls.port import Model
from thoughtforge.catalog import extension
from thoughtforge.kernel.errors import Mistake
from thoughtforge.service.app import App
from thoughtforge.settings.config import Config, RoleChoice

ALL = "*"
ALWAYS = {"builtin": {"kind": "builtin"}}
"""Entries nobody has to configure."""


def choose(config: Config, override: str | None, *, reviewers: Iterable[str] = ()) -> dict[str, str]:
    """Role → entry of `providers`; `*` for every role without its own."""
    if override is not None:
        return {ALL: override}
    second = {role: config.review.provider for role in reviewers}
    own = {role: choice.provider for role, choice in config.roles.items() if choice.provider}
    chosen = {**second, **own, ALL: config.provider}
    return {role: name for role, name in chosen.items() if name}


def make_model(app: App, name: str, *, model: str | None = None) -> Model:
    """The provider under that entry, with another model if one is given; every mistake in its options is named."""
    loaded = app.loaded
    entry = loaded.config.providers.get(name) or ALWAYS.get(name)
    if entry is None:
        app.require_trust()
        known = ", ".join(sorted(loaded.config.providers)) or "none yet"
        raise Mistake(f"there is no provider {name!r}", do=f"Add it under providers in {loaded.path}. Known: {known}")
    module = extension("providers", str(entry["kind"]))
    given = {**entry, **({"model": model} if model else {})}
    try:
        options = module.Options.model_validate({key: value for key, value in given.items() if key != "kind"})
    except ValidationError as error:
        details = tuple(f"providers.{name}.{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise Mistake(
            f"provider {name} is not set up properly", do=f"Correct {loaded.path}.", details=details
        ) from error
    made: Model = module.make(options, app.machine)
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
            raise Mistake(
                f"no provider is set for the role {role}",
                do=f"Name one under `provider` in {app.loaded.path}, or try: thoughtforge demo",
            )
        choice = config.roles.get(role, RoleChoice())
        # A model's name means nothing to another provider than the one it was written for.
        model = choice.model if name == (choice.provider or config.provider) else None
        return bound(role, name, model, choice.fallback or config.fallback)

    return agent
