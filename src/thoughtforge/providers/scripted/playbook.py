"""A playbook in use: its rules, the choice among them, and the model that answers by them."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from thoughtforge.calls.port import (
    Capabilities,
    OnDelta,
    ProviderError,
    Reply,
    Reservation,
    Schema,
    Transient,
    Usage,
)
from thoughtforge.kernel.model import Value

CUT_OFF = '{"answer": "this was cut o'
"""What `malformed` says: the beginning of an object that never ends."""

ANSWERS = ("reply", "file", "error", "malformed", "empty")


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return text


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Patterns = Annotated[tuple[Annotated[str, AfterValidator(_pattern)], ...], BeforeValidator(_several)]


class When(Value):
    """What a call must look like: every pattern is found in its text, across lines."""

    system: Patterns = ()
    context: Patterns = ()
    unless: Patterns = Field(default=(), alias="not")
    """None of these is found in either text."""

    def fits(self, system: str, context: str) -> bool:
        """Whether a call with these texts is meant."""
        wanted = all(_found(p, system) for p in self.system) and all(_found(p, context) for p in self.context)
        return wanted and not any(_found(p, text) for p in self.unless for text in (system, context))


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.MULTILINE | re.DOTALL) is not None


class ScriptedFailure(Value):
    """An error to raise instead of an answer."""

    kind: str = "overloaded"
    message: str = "the playbook asks for this error"
    transient: bool = True


class PlaybookRule(Value):
    """One answer and when it is given."""

    when: When = When()
    reply: Any = None
    """Text as it is; a mapping or list becomes JSON."""
    file: str | None = None
    """The answer is in this file; relative to the playbook."""
    error: ScriptedFailure | None = None
    malformed: Literal[True] | None = None
    """The answer is JSON that breaks off."""
    empty: Literal[True] | None = None
    """There is no answer."""
    delay: float = Field(default=0, ge=0)
    """Seconds to wait before it."""
    times: int | None = Field(default=None, ge=1)
    """How often the rule answers; after that the next one that fits does."""
    usage: Usage = Usage()
    """The tokens to report; unknown unless given."""
    usd: float = Field(default=0, ge=0)

    @field_validator("reply")
    @classmethod
    def _can_be_sent(cls, reply: Any) -> Any:
        if reply is not None and not isinstance(reply, str | dict | list):
            raise ValueError("must be text, a mapping or a list")
        try:
            json.dumps(reply)
        except TypeError as error:
            raise ValueError(f"it cannot be written as JSON: {error}; put quotes around such values") from None
        return reply

    @field_validator("file")
    @classmethod
    def _is_there(cls, file: str | None, info: ValidationInfo) -> str | None:
        if file is not None and info.context and not (info.context["folder"] / file).is_file():
            raise ValueError(f"there is no file {file}")
        return file

    @model_validator(mode="after")
    def _one_answer(self) -> PlaybookRule:
        given = [name for name in ANSWERS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"needs exactly one of {', '.join(ANSWERS)}; it has {' and '.join(given) or 'none'}")
        return self


class Playbook(Value):
    """The rules in order."""

    rules: tuple[PlaybookRule, ...]

    @field_validator("rules")
    @classmethod
    def _some(cls, rules: tuple[PlaybookRule, ...]) -> tuple[PlaybookRule, ...]:
        # Not as a length of the field: pydantic would complain of no rules when all of them are wrong.
        if not rules:
            raise ValueError("the playbook has no rule")
        return rules


class Script:
    """A playbook in use: it remembers how often each rule has answered."""

    def __init__(self, path: Path, playbook: Playbook) -> None:
        self.path = path
        self.rules = playbook.rules
        self._used = [0] * len(playbook.rules)

    def choose(self, system: str, context: str) -> PlaybookRule:
        """The first rule that fits and is not used up; this counts as a use."""
        for number, rule in enumerate(self.rules):
            left = rule.times is None or self._used[number] < rule.times
            if left and rule.when.fits(system, context):
                self._used[number] += 1
                return rule
        what = f"no rule of {self.path} matches a call whose context begins: {context[:200]!r}"
        raise ProviderError("unscripted", what, do=f"Add a matching rule to {self.path}.")

    def text(self, rule: PlaybookRule) -> str:
        """What the rule says, nothing for `empty`; raises the error it asks for."""
        if rule.error:
            kind = Transient if rule.error.transient else ProviderError
            raise kind(rule.error.kind, rule.error.message)
        if rule.malformed:
            return CUT_OFF
        if rule.empty:
            return ""
        if rule.file is not None:
            return self._contents(self.path.parent / rule.file)
        return rule.reply if isinstance(rule.reply, str) else json.dumps(rule.reply, ensure_ascii=False)

    def _contents(self, file: Path) -> str:
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ProviderError("unscripted", f"{self.path} names a file that cannot be read: {error}") from None


PIECES = 4
"""In how many parts a streamed answer arrives."""


class ScriptedModel:
    """Answers by rule. It costs what the rule says, nothing by default, and nothing leaves this machine."""

    def __init__(self, model: str, script: Script) -> None:
        self.capabilities = Capabilities()
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
            raise Transient("empty", f"{self.model} returned an empty answer", do="Give the rule a reply.")
        if on_delta is not None:
            size = -(-len(text) // PIECES)
            for start in range(0, len(text), size):
                on_delta(text[start : start + size])
        return Reply(text=text, model=self.model, usage=rule.usage, usd=rule.usd)


def _tokens(rule: PlaybookRule) -> int:
    return (rule.usage.input_tokens or 0) + (rule.usage.output_tokens or 0)
