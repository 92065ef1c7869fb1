"""The state of each provider: set up, installed, logged in and, on request, whether it answers."""

from __future__ import annotations

from typing import Literal, NamedTuple, cast

from thoughtforge.calls.port import Model, ProviderError
from thoughtforge.catalog import extension, extension_names
from thoughtforge.kernel.errors import UserError
from thoughtforge.service.agents import make_model
from thoughtforge.service.app import App

State = Literal["wrongly_set_up", "not_installed", "not_logged_in", "ready", "not_answering", "working"]
AGENTS = tuple(name for name in extension_names("providers") if name.endswith("_cli"))
"""The command-line agents this version knows."""
SYSTEM, QUESTION = "You are asked whether you can be reached.", "Answer with the single word: here"
ANY = "openai/any"
"""A model's name for an agent that cannot be made without one, where nothing is asked."""
SHORT = 256
"""Tokens of the one answer a test asks for."""


class ProviderStatus(NamedTuple):
    """One provider and how it stands."""

    name: str
    kind: str
    state: State
    model: str = ""
    offsite: bool | None = None
    version: str = ""
    """Of a program; empty where there is none, or it does not say."""
    detail: str = ""
    do: str = ""
    usd: float | None = None
    """What asking cost; None when nothing was asked or the cost is unknown."""


async def standing(app: App, name: str) -> ProviderStatus:
    """An entry of the configuration, looked at without sending anything."""
    kind = str(app.loaded.config.providers.get(name, {}).get("kind", "?"))
    try:
        model = make_model(app, name)
    except UserError as mistake:
        details = "; ".join([mistake.what, *mistake.details])
        return ProviderStatus(name, kind, "wrongly_set_up", detail=details, do=mistake.do)
    return await _looked_at(name, kind, model)


class ProviderSurvey(NamedTuple):
    """Every provider of the configuration, and every coding agent that could be one."""

    configured: tuple[ProviderStatus, ...]
    agents: tuple[ProviderStatus, ...]
    trusted: bool
    """Whether the settings that came with the repository are in effect."""


async def survey_providers(app: App) -> ProviderSurvey:
    """How each of them stands, without sending anything."""
    configured = [await standing(app, name) for name in app.loaded.config.providers]
    return ProviderSurvey(tuple(configured), tuple(await known_agents(app)), app.loaded.trust.in_effect)


async def known_agents(app: App) -> list[ProviderStatus]:
    """Every command-line agent this version knows, as it would be without a word of configuration."""
    found = []
    for kind in AGENTS:
        module = extension("providers", kind)
        needs_model = module.Options.model_fields["model"].is_required()
        options = module.Options.model_validate({"model": ANY} if needs_model else {})
        found.append(await _looked_at(kind.removesuffix("_cli"), kind, module.make(options, app.machine)))
    return found


async def _looked_at(name: str, kind: str, model: Model) -> ProviderStatus:
    known = ProviderStatus(name, kind, "ready", model.model, model.offsite)
    if not model.capabilities.program:
        return known
    from thoughtforge.agent_runtime.agent import CliAgent, health

    found = await health(cast(CliAgent, model))
    return known._replace(state=found.state, version=found.version, detail=found.why, do=found.do)


async def tried(app: App, name: str) -> ProviderStatus:
    """An entry of the configuration, asked one tiny question; one that is not there or wrong is a UserError."""
    model = make_model(app, name)
    before = await standing(app, name)
    if before.state != "ready":
        return before
    try:
        reply = await model.complete(SYSTEM, QUESTION, max_output=SHORT)
    except ProviderError as error:
        said = app.masker.text(f"{error.kind}: {error}")
        return before._replace(state="not_answering", detail=said, do=error.do)
    except UserError as mistake:
        return before._replace(state="not_answering", detail=mistake.what, do=mistake.do)
    used = f"{reply.usage.input_tokens} tokens in, {reply.usage.output_tokens} out"
    return before._replace(state="working", detail=f"{reply.model} answered; {used}", usd=reply.usd)
