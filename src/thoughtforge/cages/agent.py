"""A command-line agent as a Model (one answer, no tools) and as a Worker (it acts through our tools)."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from thoughtforge.cages import login
from thoughtforge.cages.cage import Cage
from thoughtforge.cages.cli import Ask, Cli, Output, Told
from thoughtforge.cages.entry import CAPPED, Stay, endpoint, entered, price, priced, ran
from thoughtforge.cages.failures import failure
from thoughtforge.cages.options import CliOptions
from thoughtforge.cages.tally import Tally
from thoughtforge.cages.turn import Turn, TurnEnded
from thoughtforge.cages.usage import Counted
from thoughtforge.calls.errors import ProviderError, Transient
from thoughtforge.calls.port import OnDelta, Reply, Reservation, Usage
from thoughtforge.prices import ceiling
from thoughtforge.sandbox.box import Limits
from thoughtforge.settings.address import loopback
from thoughtforge.settings.machine import Machine

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
        self.acts = options.worker
        self.keeps = options.keep_conversation
        self.sees = bool(getattr(cli, "sees", False))

    def reserve(self, system: str, context: str, max_output: int, schema: dict[str, Any] | None = None) -> Reservation:
        """The most a call can use: a token is at least a byte, and nothing exceeds the context window."""
        shape = json.dumps(schema) if schema else ""
        window = self.options.context_window
        given = len((system + context + shape).encode()) + FRAMING
        wanted = self.limit(max_output)
        if window:
            given = min(given, window)
        usd = ceiling(self.options.price, given, wanted, model=priced(self.options), endpoint=self.endpoint)
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
    ) -> Reply:
        """Answer in an empty folder without any tool; every expected failure is a ProviderError or Transient."""
        most = self.limit(max_output)
        tally, notes = Tally(REQUESTS, most), list[str]()
        stay = Stay(tally, Limits(self.options.timeout_seconds, idle_seconds=self.options.idle_seconds))
        self.machine.homes.mkdir(parents=True, exist_ok=True, mode=0o700)
        home = Path(tempfile.mkdtemp(prefix="call-", dir=self.machine.homes)).resolve()
        try:
            async with entered(self.cli, self.options, self.machine, home=home, stay=stay) as cage, _noted(cage, notes):
                ask = cage.ask(system, context, model=self.options.model, schema=schema, max_output=most)
                told = await self._answer(cage, ask._replace(images=_brought(images, home, cage.home)), tally)
        except ProviderError as error:
            error.reply = tally.spent().model_copy(update={"notes": tuple(notes)})
            raise
        finally:
            shutil.rmtree(home, ignore_errors=True)
        if on_delta is not None:
            on_delta(told.text)
        usage = tally.usage(told.usage)
        model = tally.model or told.model or self.model
        usd = tally.usd if tally.known and tally.requests else self.price(usage, model)
        return Reply(text=told.text, model=model, usage=usage, usd=usd, notes=tuple(notes))

    async def turn(self, turn: Turn) -> TurnEnded:
        """Let it work until it stops; raises ProviderError `capped` when the meter refused it a request."""
        home = login.made(self.machine.homes, turn.home)
        options, notes = self.options, list[str]()
        wall = options.turn_seconds if turn.wall_seconds is None else min(turn.wall_seconds, options.turn_seconds)
        limits = Limits(wall, idle_seconds=options.idle_seconds)
        stay = Stay(turn.meter, limits, turn.folder, turn.hidden, turn.server, turn.token, turn.tools)

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

    async def _answer(self, cage: Cage, ask: Ask, tally: Tally) -> Told:
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

    async def _told(self, cage: Cage, ask: Ask, *, on_line: Callable[[bytes], None] | None = None) -> Told:
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
            raise Transient("empty", f"{self.cli.program} answered nothing", do="Try again, or choose another model.")
        return told

    def limit(self, max_output: int) -> int:
        """The longest answer asked of its model, when that many tokens are wanted."""
        return min(max_output, self.options.max_output_tokens, self.options.context_window or max_output)


def _brought(images: Sequence[Path], home: Path, seen_as: Path) -> tuple[Path, ...]:
    """Pictures put into a home; their paths as the agent sees them."""
    names = [f"picture-{number}{image.suffix}" for number, image in enumerate(images, start=1)]
    for name, image in zip(names, images, strict=True):
        shutil.copy(image, home / name)
    return tuple(seen_as / name for name in names)


@asynccontextmanager
async def _noted(cage: Cage, notes: list[str]) -> AsyncIterator[None]:
    """What a person should know of a stay, also of one that failed. No figures: each is told once."""
    proxy = cage.behind.proxy
    try:
        yield
    finally:
        notes += cage.notes
        if proxy.uncounted:
            notes.append("some answers of its model did not say how many tokens they took")
        if proxy.tunnels:
            notes.append(f"it reached {', '.join(sorted(proxy.tunnels))} for its login; what went there was not read")
