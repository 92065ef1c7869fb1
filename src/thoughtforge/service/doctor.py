"""Check everything a task will need, before it needs it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Literal, NamedTuple

from thoughtforge.gate.language_servers import INSTALL, survey
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Caps
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.service.agents import make_model, outside
from thoughtforge.service.app import App
from thoughtforge.service.library import definitions
from thoughtforge.service.providers import known_agents, standing, tried
from thoughtforge.service.unpriced import FLAG, advice, stops_at_once

NETWORK_DISKS = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs"}


class HealthCheck(NamedTuple):
    """One thing that was looked at."""

    level: Literal["ok", "warn", "bad"]
    what: str
    do: str = ""


async def examine(app: App, *, ask: bool = False) -> list[HealthCheck]:
    """Every finding; a problem in one place never hides the next. Nothing is sent unless providers are to be asked."""
    machine = [*_programs(app), *await _for_code(app), *_home(app), *_library(app)]
    configured = [finding async for finding in _configuration(app, ask=ask)]
    return [*machine, *configured, *[finding async for finding in _agents(app)]]


def _programs(app: App) -> Iterator[HealthCheck]:
    yield HealthCheck("ok", f"Python {sys.version.split()[0]}")
    if shutil.which("git", path=app.search_path):
        yield HealthCheck("ok", "git is installed")
    else:
        yield HealthCheck("bad", "git is missing", "Install git; every task works on a git repository.")


async def _for_code(app: App) -> list[HealthCheck]:
    """What only the stages that run code need: a sandbox that works, and the tools of the gate."""
    try:
        sandbox = await boxes.find(app.search_path, allow_weak=_allows_weak(app))
    except UserError as mistake:
        found = [HealthCheck("warn", mistake.what, mistake.do)]
    else:
        less = sandbox.kind == "weak" or "watched but not limited" in sandbox.note
        found = [HealthCheck("warn" if less else "ok", sandbox.note)]
    tools = await survey(app.search_path)
    missing = [tool.name for tool in tools if not tool.version]
    if missing:
        found.append(HealthCheck("warn", f"tools of the gate are missing: {', '.join(missing)}", INSTALL))
    else:
        found.append(HealthCheck("ok", "gate: " + ", ".join(f"{tool.name} {tool.version}" for tool in tools)))
    return found


def _allows_weak(app: App) -> bool:
    try:
        return app.loaded.config.sandbox.allow_weak
    except UserError:
        return False  # a later finding reports what is wrong with the configuration


def _home(app: App) -> Iterator[HealthCheck]:
    try:
        app.home.prepare()
    except UserError as mistake:
        yield HealthCheck("bad", mistake.what, mistake.do)
        return
    if not os.access(app.home.root, os.W_OK):
        yield HealthCheck(
            "bad", f"home {app.home.root} cannot be written", "Grant write access, or set THOUGHTFORGE_HOME."
        )
        return
    yield HealthCheck("ok", f"home {app.home.root}")
    kind = _disk_kind(str(app.home.root))
    if kind in NETWORK_DISKS:
        yield HealthCheck(
            "warn", f"the home is on a network disk ({kind})", "Locks are not safe there; set THOUGHTFORGE_HOME."
        )
    free = shutil.disk_usage(app.home.root).free
    if free < 100_000_000:
        yield HealthCheck("warn", f"only {free // 1_000_000} MB are free at the home", "Free space before a long task.")


def _disk_kind(path: str) -> str:
    """The file system a path lies on, where the system tells."""
    try:
        with open("/proc/mounts", encoding="utf-8") as file:  # noqa: PTH123
            rows = [line.split()[1:3] for line in file]
    except OSError:
        return ""
    fitting = [(mount, kind) for mount, kind in rows if path == mount or path.startswith(mount.rstrip("/") + "/")]
    return max(fitting, key=lambda row: len(row[0]))[1] if fitting else ""


def _library(app: App) -> Iterator[HealthCheck]:
    try:
        known = definitions(app, {})
    except UserError as mistake:
        yield HealthCheck("bad", "; ".join([mistake.what, *mistake.details]), mistake.do)
        return
    yield HealthCheck(
        "ok", f"{len(known.contracts)} contracts, {len(known.roles)} roles, {len(known.pipelines)} pipelines"
    )


async def _configuration(app: App, *, ask: bool) -> AsyncIterator[HealthCheck]:
    try:
        config = app.loaded.config
    except UserError as mistake:
        yield HealthCheck("bad", "; ".join([mistake.what, *mistake.details]), mistake.do)
        return
    yield HealthCheck("ok", f"configuration {app.loaded.path}{' (created from the example)' * app.loaded.created}")
    none_set = config.provider is None and app.loaded.trust.in_effect
    chosen = [
        HealthCheck("warn", "no provider is set", f"Name one in {app.loaded.path}; ThoughtForge chooses none for you.")
    ]
    for finding in (*_trust(app), *(chosen if none_set else ()), *_outside(app)):
        yield finding
    used = {config.provider, config.review.provider, *(choice.provider for choice in config.roles.values())}
    for name in config.providers:
        yield await _provider(app, name, used=name in used, ask=ask)
    if config.providers and not ask:
        yield HealthCheck("ok", "doctor contacted no provider", "See whether each answers: thoughtforge doctor --ask")
    if config.provider and used <= {config.provider, None} and len(config.providers) > 1:
        yield HealthCheck("ok", "one provider reviews its own work", "Set review.provider for a second opinion.")


def _trust(app: App) -> Iterator[HealthCheck]:
    """Whether the settings that came with the repository count; those that do not are neither asked nor started."""
    trust = app.loaded.trust
    try:
        trust.require()
    except UserError as mistake:
        yield HealthCheck("bad", "; ".join([mistake.what, *mistake.details]), mistake.do)
        return
    how = f"trusted by {trust.allowed_by}" if trust.keys else "no setting needs your trust"
    yield HealthCheck("ok", f"trust: {how}")


def _outside(app: App) -> Iterator[HealthCheck]:
    for word, names, wrong in outside(app):
        if wrong:
            yield HealthCheck("bad", "; ".join([wrong.what, *wrong.details]), wrong.do)
        else:
            yield HealthCheck("ok", f"{word}: {', '.join(names) or 'none enabled'}")


async def _provider(app: App, name: str, *, used: bool, ask: bool) -> HealthCheck:
    found = await standing(app, name)
    if ask and found.state == "ready":
        found = await tried(app, name)
    if found.state not in ("ready", "working"):
        what = f"provider {name}: {found.state.replace('_', ' ')}: {found.detail}"
        return HealthCheck("bad" if used else "warn", what, found.do)
    limits = Caps.model_validate(app.loaded.config.limits.model_dump())
    if used and stops_at_once(limits, model=make_model(app, name)):
        what = f"provider {name}: {found.model}: its price is unknown, so a task stops before its first call"
        return HealthCheck("warn", what, f"{advice([name])}; or start with {FLAG}.")
    where = "sends text to another machine" if found.offsite else "stays on this machine"
    return HealthCheck(
        "ok",
        ", ".join(part for part in (f"provider {name}: {found.model}", where, found.version, found.detail) if part),
    )


async def _agents(app: App) -> AsyncIterator[HealthCheck]:
    """Coding agents that could be named as a provider; none is ever used only because it is here."""
    try:
        known = {str(entry.get("kind")) for entry in app.loaded.config.providers.values()}
    except UserError:
        return
    for one in await known_agents(app):
        if one.kind in known:
            continue
        if one.state == "not_installed":
            yield HealthCheck("ok", f"{one.name}: optional, not installed", one.do)
            continue
        state = "logged in" if one.state == "ready" else "not logged in"
        use = f"To use it name a provider with kind: {one.kind}"
        yield HealthCheck("ok", f"{one.name} {one.version} is installed, {state}", one.do or use)
