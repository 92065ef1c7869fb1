"""A model that says what its playbook says."""

from __future__ import annotations

import asyncio

from pydantic import Field

from thoughtforge.calls.errors import Transient
from thoughtforge.calls.port import Model, OnDelta, Reply, Reservation, Schema
from thoughtforge.kernel.model import Value
from thoughtforge.providers.scripted.playbook import Rule, Script
from thoughtforge.providers.scripted.reading import load
from thoughtforge.settings.machine import Machine

PIECES = 4
"""In how many parts a streamed answer arrives."""


class Options(Value):
    """One entry of `providers:` with `kind: scripted`."""

    playbook: str = Field(min_length=1)
    """The YAML file that holds the rules."""
    model: str = Field(default="scripted", min_length=1)
    """The name that goes on record."""


def make(options: Options, machine: Machine) -> Model:
    """The model of one configuration entry; a relative playbook starts from `machine.base`."""
    return ScriptedModel(options.model, load(machine.base / options.playbook))


class ScriptedModel:
    """Answers by rule. It costs what the rule says, nothing by default, and nothing leaves this machine."""

    def __init__(self, model: str, script: Script) -> None:
        self.offsite = False
        self.label = "scripted"
        self.model = model
        self.script = script

    def reserve(self, system: str, context: str, max_output: int, schema: Schema = None) -> Reservation:
        """The most a call can use: the bytes of the text, or the most any rule reports."""
        asked = len((system + context).encode()) + max_output
        tokens = max(asked, *(_tokens(rule) for rule in self.script.rules))
        return Reservation(tokens=tokens, usd=max(rule.usd for rule in self.script.rules))

    async def complete(
        self, system: str, context: str, schema: Schema = None, *, max_output: int, on_delta: OnDelta | None = None
    ) -> Reply:
        """Answer by the first rule that fits."""
        rule = self.script.choose(system, context)
        await asyncio.sleep(rule.delay)
        text = self.script.text(rule)
        if not text.strip():
            raise Transient("empty", f"{self.model} answered nothing", do="Give the rule a reply.")
        if on_delta is not None:
            size = -(-len(text) // PIECES)
            for start in range(0, len(text), size):
                on_delta(text[start : start + size])
        return Reply(text=text, model=self.model, usage=rule.usage, usd=rule.usd)


def _tokens(rule: Rule) -> int:
    return (rule.usage.input_tokens or 0) + (rule.usage.output_tokens or 0)
