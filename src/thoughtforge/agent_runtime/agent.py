"""A command-line agent as a Model (one answer, no tools) and as a Worker (it acts through our tools)."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtforge.agent_runtime import cli as program
from thoughtforge.agent_runtime import login
from thoughtforge.agent_runtime.cage import Cage
from thoughtforge.agent_runtime.cli import Ask, Cli, CliOptions, Output, TurnOutput
from thoughtforge.agent_runtime.failures import failure
from thoughtforge.agent_runtime.launch import CAPPED, AgentRun, endpoint, entered, key_of, price, priced, ran
from thoughtforge.agent_runtime.turn import Turn, TurnEnded
from thoughtforge.agent_runtime.usage import Counted, UsageMeter
from thoughtforge.calls.port import Capabilities, OnDelta, ProviderError, Reply, Reservation, Transient, Usage
from thoughtforge.calls.prices import ceiling
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import ResourceLimits, SandboxSpec
from thoughtforge.settings.environment import Machine
from thoughtforge.settings.outside import loopback

FRAMING = 8192
"""Tokens an agent puts around the text even when it is told to add nothing."""
REQUESTS = 2
"""Requests for one answer: an agent may ask once more for the form it wants."""


class CliAgent:
    """One configured agent. It keeps nothing between two calls; its conversations are in its private homes."""

    def __init__(self, cli: Cli, options: CliOptions, machine: Machine) -> None:
        self.cli = cli
        self.options = options
        self.machine = machine
        self.endpoint = endpoint(cli, options)
        self.offsite = not loopback(self.endpoint)
        self.model = options.model or Path(options.command or cli.program).name
        self.label = ""
        self.capabilities = Capabilities(
            context_window=options.context_window,
            max_output=options.max_output_tokens,
            images=cli.images,
            program=True,
            worker=options.worker,
            conversation=options.keep_conversation,
        )

    def reserve(self, system: str, context: str, max_output: int, schema: dict[str, Any] | None = None) -> Reservation:
        """The most a call can use: a token is at least a byte, and nothing exceeds the context window."""
        shape = json.dumps(schema) if schema else ""
        window = self.options.context_window
        given = len((system + context + shape).encode()) + FRAMING
        wanted = self.limit(max_output)
        if window:
            given = min(given, window)
        marks = self.cli.api == "anthropic"  # of its own accord
        usd = ceiling(
            self.options.price, given, wanted, model=priced(self.options), endpoint=self.endpoint, marks=marks
        )
        return Reservation(tokens=min(given + wanted, window) if window else given + wanted, usd=usd)

    def price(self, usage: Usage, model: str) -> float | None:
        """US dollars of one request; None when nobody knows."""
        return price(self.cli, self.options, Counted(model, usage))

    async def complete(
        self,
        system: str,
        context: str,
        schema: dict[str, Any] | None = None,
        *,
        max_output: int,
        on_delta: OnDelta | None = None,
        images: Sequence[Path] = (),
        home: str = "",
        session: str = "",
    ) -> Reply:
        """Answer in an empty folder without any tool; every expected failure is a ProviderError or Transient.

        `home` names a private home that stays, with the conversation in it; `session` is the one to continue there.
        """
        most = self.limit(max_output)
        tally, notes = UsageMeter(REQUESTS, most), list[str]()
        stay = AgentRun(tally, ResourceLimits(self.options.timeout_seconds, idle_seconds=self.options.idle_seconds))
        with _home(self.machine.homes, home, fresh=not session) as place:
            try:
                async with (
                    entered(self.cli, self.options, self.machine, home=place, stay=stay) as cage,
                    _noted(cage, notes),
                ):
                    ask = cage.ask(
                        system, context, model=self.options.model, schema=schema, max_output=most, session=session
                    )
                    told = await self._answer(cage, ask._replace(images=_brought(images, place, cage.home)), tally)
            except ProviderError as error:
                error.reply = tally.spent().model_copy(update={"notes": tuple(notes)})
                raise
        if on_delta is not None:
            on_delta(told.text)
        # What an agent counts of a whole conversation is not the usage of this call.
        usage = tally.usage(Usage() if session and told.cumulative else told.usage)
        model = tally.model or told.model or self.model
        usd = tally.usd if tally.known and tally.requests else self.price(usage, model)
        return Reply(
            text=told.text, model=model, usage=usage, usd=usd, notes=tuple(notes), session=told.session if home else ""
        )

    async def turn(self, turn: Turn) -> TurnEnded:
        """Let it work until it stops; raises ProviderError `capped` when the meter refused it a request."""
        home = login.made(self.machine.homes, turn.home)
        options, notes = self.options, list[str]()
        wall = options.turn_seconds if turn.wall_seconds is None else min(turn.wall_seconds, options.turn_seconds)
        limits = ResourceLimits(wall, idle_seconds=options.idle_seconds)
        stay = AgentRun(turn.meter, limits, turn.folder, turn.hidden, turn.server, turn.token, turn.tools)

        def hear(line: bytes) -> None:
            if words := self.cli.progress(line):
                turn.progress(words)

        try:
            async with entered(self.cli, options, self.machine, home=home, stay=stay) as cage, _noted(cage, notes):
                ask = cage.ask(turn.system, turn.prompt, model=options.model, session=turn.session)
                told = await self._told(cage, ask, on_line=hear)
        except ProviderError as error:
            error.reply = Reply(text="", model=self.model, notes=tuple(notes))
            raise
        return TurnEnded(told.text, told.session, tuple(notes))

    async def _answer(self, cage: Cage, ask: Ask, tally: UsageMeter) -> TurnOutput:
        """What it said; one that asks its model again and again fails for the reason the model gave it."""
        try:
            return await self._told(cage, ask)
        except ProviderError as error:
            if error.kind != CAPPED:
                raise
            if tally.status >= 400:
                raise failure(self.cli, ask, "", status=tally.status) from None
            do = "Try again, or choose another model."
            raise Transient("loop", f"{self.cli.program}: {error.message}", do=do) from None

    async def _told(self, cage: Cage, ask: Ask, *, on_line: Callable[[bytes], None] | None = None) -> TurnOutput:
        key = cage.behind.proxy.upstream.key
        try:
            boxed = await ran(cage, self.cli.launch(ask), on_line=on_line)
            told = self.cli.read(ask, Output(boxed.code, boxed.stdout, boxed.stderr))
        except ProviderError as error:
            # A server may repeat the key in its words, and an agent the server's.
            if key and key in error.message + error.do:
                hidden = (text.replace(key, "***") for text in (error.message, error.do))
                message, do = hidden
                raise type(error)(error.kind, message, do=do) from None
            raise
        if not told.text.strip() and ask.door is None:
            raise Transient(
                "empty", f"{self.cli.program} returned an empty answer", do="Try again, or choose another model."
            )
        return told

    def limit(self, max_output: int) -> int:
        """The longest answer asked of its model, when that many tokens are wanted."""
        options = self.options
        return min(max_output, options.max_output_tokens or max_output, options.context_window or max_output)


@contextmanager
def _home(homes: Path, name: str, *, fresh: bool) -> Iterator[Path]:
    """The private home of one answer, gone afterwards; one with a name stays until a new conversation begins in it."""
    if name:
        home = login.made(homes, name)
        if fresh:
            shutil.rmtree(home, ignore_errors=True)
        yield login.made(homes, name)
        return
    homes.mkdir(parents=True, exist_ok=True, mode=0o700)
    home = Path(tempfile.mkdtemp(prefix="call-", dir=homes)).resolve()
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _brought(images: Sequence[Path], home: Path, seen_as: Path) -> tuple[Path, ...]:
    """Pictures put into a home; their paths as the agent sees them."""
    names = [f"picture-{number}{image.suffix}" for number, image in enumerate(images, start=1)]
    for name, image in zip(names, images, strict=True):
        shutil.copy(image, home / name)
    return tuple(seen_as / name for name in names)


@asynccontextmanager
async def _noted(cage: Cage, notes: list[str]) -> AsyncIterator[None]:
    """Notes for the person about an agent run, failed or not. No figures: `keep` records each note once."""
    proxy = cage.behind.proxy
    try:
        yield
    finally:
        notes += cage.notes
        if proxy.uncounted:
            notes.append("some answers of its model did not report their tokens")
        if proxy.tunnels:
            notes.append(
                f"it reached {', '.join(sorted(proxy.tunnels))} for its login; the engine did not read that traffic"
            )


QUICK = ResourceLimits(wall_seconds=20.0)


class Health(NamedTuple):
    """What was found: nothing of it, a program without a login, or one that can be asked."""

    state: Literal["not_installed", "not_logged_in", "ready"]
    version: str = ""
    why: str = ""
    do: str = ""


async def health(agent: CliAgent) -> Health:
    """Whether its program is there and runs, and whether it has a login or a key."""
    cli, options, machine = agent.cli, agent.options, agent.machine
    try:
        found = program.found(cli, options.command, search_path=machine.search_path, base=machine.base)
    except UserError as mistake:
        return Health("not_installed", why=mistake.what, do=mistake.do)
    version = await _version(agent, found)
    try:
        key_of(cli, options, machine)
    except UserError as mistake:
        return Health("not_logged_in", version, mistake.what, mistake.do)
    return Health("ready", version)


async def _version(agent: CliAgent, found: program.AgentProgram) -> str:
    """What the program says of itself, in a box without a network; empty when it does not say it there."""
    try:
        sandbox = await boxes.find(agent.machine.search_path, allow_weak=agent.machine.allow_weak)
    except UserError:
        return ""
    path = ":".join([*map(str, found.folders), boxes.SEARCH_PATH])
    box = SandboxSpec(Path("/"), found.mounts, {"PATH": path}, QUICK)
    ended = await boxes.run(sandbox, box, [found.path, "--version"])
    lines = ended.stdout.decode("utf-8", "replace").strip().splitlines()
    return lines[0][:60] if lines and ended.code == 0 else ""
