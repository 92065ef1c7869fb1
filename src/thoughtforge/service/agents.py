"""Roles bound to providers. Nothing is chosen only because it is installed: the configuration names it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import ValidationError

from thoughtforge.agent.means import Agent
from thoughtforge.agent.role import Role
from thoughtforge.catalog import extension
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.ports import Model
from thoughtforge.service.app import App
from thoughtforge.settings.config import Config

ALL = "*"


def choose(config: Config, override: str | None) -> dict[str, str]:
    """Role → entry of `providers`; `*` for every role without its own."""
    if override is not None:
        return {ALL: override}
    chosen = {role: choice.provider for role, choice in config.roles.items()}
    return {**chosen, **({ALL: config.provider} if config.provider else {})}


def make_model(app: App, name: str) -> Model:
    """The provider under that entry; every mistake in its options is named."""
    loaded = app.loaded
    entry = loaded.config.providers.get(name)
    if entry is None:
        known = ", ".join(sorted(loaded.config.providers)) or "none yet"
        raise Mistake(f"there is no provider {name!r}", do=f"Add it under providers in {loaded.path}. Known: {known}")
    module = extension("providers", str(entry["kind"]))
    try:
        options = module.Options.model_validate({key: value for key, value in entry.items() if key != "kind"})
    except ValidationError as error:
        details = tuple(f"providers.{name}.{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise Mistake(
            f"provider {name} is not set up properly", do=f"Correct {loaded.path}.", details=details
        ) from error
    made: Model = module.make(options, app.machine)
    return made


def binder(app: App, chosen: Mapping[str, str], roles: Mapping[str, Role]) -> Callable[[str], Agent]:
    """A function from a role's name to its agent; each provider is made once."""
    models: dict[str, Model] = {}

    def agent(role: str) -> Agent:
        name = chosen.get(role) or chosen.get(ALL)
        if name is None:
            raise Mistake(
                f"no provider is set for the role {role}",
                do=f"Name one under `provider` in {app.loaded.path}, or try: thoughtforge demo",
            )
        if name not in models:
            models[name] = make_model(app, name)
        return Agent(roles[role], name, models[name])

    return agent
