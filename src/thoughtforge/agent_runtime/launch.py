"""From a configured agent to its cage: program, key or login, home and gateway. Every use of an agent begins here."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeVar

from thoughtforge.agent_runtime import cage as cages
from thoughtforge.agent_runtime import cli as program
from thoughtforge.agent_runtime import login
from thoughtforge.agent_runtime.cage import Cage, CagedAgent, emptied, overfull
from thoughtforge.agent_runtime.cli import Cli, CliOptions, Launch
from thoughtforge.agent_runtime.gateway import Behind
from thoughtforge.agent_runtime.proxy import Proxy, Upstream
from thoughtforge.agent_runtime.turn import Asgi, Meter
from thoughtforge.agent_runtime.usage import Counted
from thoughtforge.calls.port import ProviderError, Transient
from thoughtforge.calls.prices import cost
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import ResourceLimits, SandboxResult
from thoughtforge.settings.environment import Machine
from thoughtforge.settings.outside import loopback

GRACE_SECONDS = 2.0
"""How long an agent whose request was refused may take to end by itself."""
CAPPED = "capped"
"""The kind of failure of an agent whose meter refused it a request."""
Result = TypeVar("Result")
MAX_REQUESTS = 400
"""Requests to the model in one turn; an agent that needs more goes in circles."""


class AgentRun(NamedTuple):
    """One use of a cage."""

    meter: Meter
    limits: ResourceLimits
    folder: Path | None = None
    hidden: tuple[str, ...] = ()
    server: Asgi | None = None
    door: str = ""
    tools: tuple[str, ...] = ()
    max_requests: int = MAX_REQUESTS


def endpoint(cli: Cli, options: CliOptions) -> str:
    """Where the model of an agent is."""
    return options.base_url or cli.endpoint


def price(cli: Cli, options: CliOptions, said: Counted) -> float | None:
    """US dollars of one answer; None when nobody knows."""
    from genai_prices import Usage

    given, made = said.usage.input_tokens, said.usage.output_tokens
    if given is None or made is None:
        return None
    usage = Usage(
        input_tokens=given,
        output_tokens=made,
        cache_read_tokens=said.usage.cached_tokens or None,
        cache_write_tokens=said.cache_written or None,
    )
    return cost(options.price, usage, model=said.model or priced(options), endpoint=endpoint(cli, options))


def priced(options: CliOptions) -> str:
    """The model's name as price tables have it: some agents put the vendor in front."""
    return options.model.partition("/")[2] or options.model


def key_of(cli: Cli, options: CliOptions, machine: Machine) -> str:
    """The API key, empty for a login; a UserError when neither is there."""
    if options.key_env:
        key = (machine.secret(options.key_env) or "").strip()
        if not key:
            do = f"Set it: export {options.key_env}=…, or remove key_env to use the login of {cli.program}."
            raise UserError(f"{cli.program} needs a key, and the variable {options.key_env} is not set", do=do)
        return key
    if not cli.login or login.there(kept(cli, machine), cli.parts):
        return ""
    if loopback(endpoint(cli, options)):
        return "none"  # a model on this machine asks for no key, but its agent does
    raise UserError(
        f"{cli.program} is not logged in",
        do=f"Log in: {cli.log_in}. Or name the variable that holds an API key as key_env.",
    )


def kept(cli: Cli, machine: Machine) -> dict[str, Path]:
    """Path below a private home → where the person keeps that login."""
    variable, folder = cli.moved
    moved = (machine.secret(variable) or "").strip() if variable else ""
    places = {}
    for name in cli.login:
        below = PurePosixPath(name).is_relative_to(folder) if moved else False
        places[name] = Path(moved, PurePosixPath(name).relative_to(folder)) if below else machine.person / name
    return places


@contextlib.asynccontextmanager
async def entered(
    cli: Cli, options: CliOptions, machine: Machine, *, home: Path, stay: AgentRun
) -> AsyncIterator[Cage]:
    """A cage for one use, with the agent's login in its home; a renewed login is brought back at the end."""
    missing = [name for name in ("uvicorn", "httpx2") if find_spec(name) is None]
    if missing:
        what = f"{cli.program} needs {' and '.join(missing)}, not installed here"
        raise UserError(what, do="Install it: pip install 'thoughtforge[agents]'")
    found = program.found(cli, options.command, search_path=machine.search_path, base=machine.base)
    key = key_of(cli, options, machine)
    sandbox = await boxes.find(machine.search_path, allow_weak=machine.allow_weak)
    cages.refuse_without_walls(sandbox, allow_weak=machine.allow_weak)
    logins = login.brought(kept(cli, machine), home, parts=cli.parts, wanted=not key)
    stand_in = f"key-{secrets.token_hex(16)}" if key else ""
    upstream = Upstream(
        cli.api, endpoint(cli, options), key, stand_in, lambda said: price(cli, options, said), options.model
    )
    proxy = Proxy(upstream, stay.meter, max_requests=stay.max_requests)
    hosts = () if key else cli.hosts
    behind = Behind(secrets.token_hex(16), proxy, stay.server, stay.door, stay.tools, hosts)
    inmate = CagedAgent(found, home, stay.folder, stay.hidden, stay.limits, logins)
    async with cages.opened(sandbox, inmate, behind) as cage:
        try:
            yield cage
        finally:
            left(cage)
    if proxy.ended.done() and (broken := proxy.ended.exception()):
        raise broken  # the last request was settled after the agent had ended


def left(cage: Cage) -> None:
    """Once an agent has ended: a renewed login goes back to the person, and what is refused of it is noted."""
    refused = login.taken_back(cage.inmate.home, cage.inmate.logins).refused
    cage.notes.extend(words for words in refused if words not in cage.notes)


async def ran(cage: Cage, launch: Launch, *, on_line: Callable[[bytes], None] | None = None) -> SandboxResult:
    """Run an agent to its end. One that was refused a request is ended; so is one that takes too long."""
    login.filled(cage.inmate.home, launch.files)
    return timely(cage, await watched(cage, cage.run(launch, on_line=on_line)))


async def watched(cage: Cage, running: Coroutine[Any, Any, Result]) -> Result:
    """What came of an agent's run, unless it was refused a request or filled its home: then it is ended."""
    proxy, home, most = cage.behind.proxy, cage.inmate.home, cage.inmate.limits.temp_bytes
    run = asyncio.ensure_future(running)
    full = asyncio.ensure_future(overfull(home, most))
    try:
        waiting: list[asyncio.Future[Any]] = [run, proxy.ended, full]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if proxy.ended.done():
            await asyncio.wait([run], timeout=GRACE_SECONDS)
            raise ProviderError(CAPPED, proxy.ended.result())
        if not full.done():
            return run.result()
    finally:
        full.cancel()
        run.cancel()
        await asyncio.gather(run, full, return_exceptions=True)
        left(cage)
    raise emptied(home, most, cage.inmate.program.path.name)


def timely(cage: Cage, boxed: SandboxResult) -> SandboxResult:
    """The same when no limit ended it."""
    name, limits = cage.inmate.program.path.name, cage.inmate.limits
    if boxed.stopped == "wall_seconds":
        what = f"{name} did not finish within {limits.wall_seconds:g} seconds"
        setting = "turn_seconds" if cage.inmate.folder else "timeout_seconds"  # only a turn has a workspace
        raise Transient("timeout", what, do=f"Raise {setting}, or choose a quicker model.")
    if boxed.stopped == "idle_seconds":
        what = f"{name} and its model sent nothing for {limits.idle_seconds:g} seconds"
        raise Transient("timeout", what, do="Try again, or raise idle_seconds.")
    if boxed.stopped:
        what = f"{name} reached its limit for {boxed.stopped}"
        raise ProviderError("limits", what, do="Give it less work at once.")
    return boxed
