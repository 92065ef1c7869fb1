"""Look at everything a task will need, before it needs it."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator
from typing import Literal, NamedTuple

from thoughtforge.gate.tools import INSTALL, survey
from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox import boxes
from thoughtforge.service.app import App
from thoughtforge.service.library import definitions
from thoughtforge.service.providers import known_agents, standing, tried
from thoughtforge.service.ready import outside

NETWORK_DISKS = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs"}


class Finding(NamedTuple):
    """One thing that was looked at."""

    level: Literal["ok", "warn", "bad"]
    what: str
    do: str = ""


def examine(app: App, *, ask: bool = False) -> list[Finding]:
    """Every finding; a problem in one place never hides the next. Nothing is sent unless providers are to be asked."""
    return [*_programs(app), *_home(app), *_library(app), *_configuration(app, ask=ask), *_agents(app)]


def _programs(app: App) -> Iterator[Finding]:
    yield Finding("ok", f"Python {sys.version.split()[0]}")
    if shutil.which("git", path=app.search_path):
        yield Finding("ok", "git is there")
    else:
        yield Finding("bad", "git is missing", "Install git; every task works on a git repository.")
    yield from asyncio.run(_for_code(app))


async def _for_code(app: App) -> list[Finding]:
    """What only the stages that run code need: a sandbox that works, and the tools of the gate."""
    try:
        sandbox = await boxes.find(app.search_path, allow_weak=_allows_weak(app))
    except Mistake as mistake:
        found = [Finding("warn", mistake.what, mistake.do)]
    else:
        less = sandbox.kind == "weak" or "not bound" in sandbox.note
        found = [Finding("warn" if less else "ok", sandbox.note)]
    tools = await survey(app.search_path)
    missing = [tool.name for tool in tools if not tool.version]
    if missing:
        found.append(Finding("warn", f"tools of the gate are missing: {', '.join(missing)}", INSTALL))
    else:
        found.append(Finding("ok", "gate: " + ", ".join(f"{tool.name} {tool.version}" for tool in tools)))
    return found


def _allows_weak(app: App) -> bool:
    try:
        return app.loaded.config.sandbox.allow_weak
    except Mistake:
        return False  # what is wrong with the configuration is told further down


def _home(app: App) -> Iterator[Finding]:
    try:
        app.home.prepare()
    except Mistake as mistake:
        yield Finding("bad", mistake.what, mistake.do)
        return
    if not os.access(app.home.root, os.W_OK):
        yield Finding("bad", f"home {app.home.root} cannot be written", "Give write access, or set THOUGHTFORGE_HOME.")
        return
    yield Finding("ok", f"home {app.home.root}")
    kind = _disk_kind(str(app.home.root))
    if kind in NETWORK_DISKS:
        yield Finding(
            "warn", f"the home is on a network disk ({kind})", "Locks are not safe there; set THOUGHTFORGE_HOME."
        )
    free = shutil.disk_usage(app.home.root).free
    if free < 100_000_000:
        yield Finding("warn", f"only {free // 1_000_000} MB are free at the home", "Make room before a long task.")


def _disk_kind(path: str) -> str:
    """The file system a path lies on, where the system tells."""
    try:
        with open("/proc/mounts", encoding="utf-8") as file:  # noqa: PTH123
            rows = [line.split()[1:3] for line in file]
    except OSError:
        return ""
    fitting = [(mount, kind) for mount, kind in rows if path == mount or path.startswith(mount.rstrip("/") + "/")]
    return max(fitting, key=lambda row: len(row[0]))[1] if fitting else ""


def _library(app: App) -> Iterator[Finding]:
    try:
        known = definitions(app, {})
    except Mistake as mistake:
        yield Finding("bad", "; ".join([mistake.what, *mistake.details]), mistake.do)
        return
    yield Finding("ok", f"{len(known.contracts)} contracts, {len(known.roles)} roles, {len(known.pipelines)} pipelines")


def _configuration(app: App, *, ask: bool) -> Iterator[Finding]:
    try:
        config = app.loaded.config
    except Mistake as mistake:
        yield Finding("bad", "; ".join([mistake.what, *mistake.details]), mistake.do)
        return
    yield Finding("ok", f"configuration {app.loaded.path}{' (created from the example)' * app.loaded.created}")
    yield from _trust(app)
    if config.provider is None and app.loaded.trust.in_effect:
        yield Finding("warn", "no provider is set", f"Name one in {app.loaded.path}; none is chosen by itself.")
    yield from _outside(app)
    used = {config.provider, config.review.provider, *(choice.provider for choice in config.roles.values())}
    for name in config.providers:
        yield asyncio.run(_provider(app, name, used=name in used, ask=ask))
    if config.providers and not ask:
        yield Finding("ok", "no provider was asked anything", "Whether each answers: thoughtforge doctor --ask")
    if config.provider and used <= {config.provider, None} and len(config.providers) > 1:
        yield Finding("ok", "one provider does everything, its own reviews too", "A second opinion: review.provider.")


def _trust(app: App) -> Iterator[Finding]:
    """Whether the settings that came with the repository count; those that do not are neither asked nor started."""
    trust = app.loaded.trust
    try:
        trust.require()
    except Mistake as mistake:
        yield Finding("bad", "; ".join([mistake.what, *mistake.details]), mistake.do)
        return
    how = f"trusted by {trust.allowed_by}" if trust.keys else "no setting needs your trust"
    yield Finding("ok", f"trust: {how}")


def _outside(app: App) -> Iterator[Finding]:
    for word, names, wrong in outside(app):
        if wrong:
            yield Finding("bad", "; ".join([wrong.what, *wrong.details]), wrong.do)
        else:
            yield Finding("ok", f"{word}: {', '.join(names) or 'none enabled'}")


async def _provider(app: App, name: str, *, used: bool, ask: bool) -> Finding:
    found = await standing(app, name)
    if ask and found.state == "ready":
        found = await tried(app, name)
    if found.state not in ("ready", "working"):
        told = f"provider {name}: {found.state.replace('_', ' ')}: {found.detail}"
        return Finding("bad" if used else "warn", told, found.do)
    where = "sends text off this machine" if found.offsite else "stays on this machine"
    return Finding(
        "ok",
        ", ".join(part for part in (f"provider {name}: {found.model}", where, found.version, found.detail) if part),
    )


def _agents(app: App) -> Iterator[Finding]:
    """Coding agents that could be named as a provider; none is ever used only because it is here."""
    try:
        known = {str(entry.get("kind")) for entry in app.loaded.config.providers.values()}
    except Mistake:
        return
    for one in asyncio.run(known_agents(app)):
        if one.kind in known:
            continue
        if one.state == "not_installed":
            yield Finding("ok", f"{one.name} is not installed", one.do)
            continue
        state = "logged in" if one.state == "ready" else "not logged in"
        use = f"To use it name a provider with kind: {one.kind}"
        yield Finding("ok", f"{one.name} {one.version} is here, {state}", one.do or use)
