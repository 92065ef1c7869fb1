"""One stateless completion over HTTP."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from contextlib import aclosing
from importlib.util import find_spec
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thoughtforge.calls.port import Capabilities, Model, OnDelta, ProviderError, Reply, Reservation
from thoughtforge.calls.prices import ceiling, cost
from thoughtforge.kernel.errors import UserError
from thoughtforge.providers.http.answer import Mode, mode_for, parameters, piece, text_of, usage_of
from thoughtforge.providers.http.endpoint import Options, conversation, expected, failure
from thoughtforge.settings.environment import Machine

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

FRAMING = 512
"""Tokens an api puts around the text: role marks, and instructions of its own when a tool is offered."""


def make(options: Options, machine: Machine) -> Model:
    """The model of one configuration entry; `machine` knows the key."""
    missing = [name for name in ("pydantic_ai", "genai_prices") if find_spec(name) is None]
    if missing:
        what = f"the provider http needs {' and '.join(missing)}, not installed here"
        raise UserError(what, do="Install it: pip install 'thoughtforge[http]'")
    variable = options.key_variable
    key = (machine.secret(variable) or "").strip() if variable else ""
    if variable and not key:
        do = f"Set it: export {variable}=…, or name another variable as key_env of this provider."
        raise UserError(
            f"{options.model} at {options.endpoint} needs a key and the variable {variable} is not set", do=do
        )
    return HttpModel(options, key)


class HttpModel:
    """A model behind an endpoint. It keeps no connection: every call opens and closes its own."""

    def __init__(self, options: Options, key: str) -> None:
        self.offsite = not options.loopback
        self.label = ""
        self.capabilities = Capabilities(
            context_window=options.context_window,
            max_output=options.max_output_tokens,
            images=True,
            cache_marks=options.api == "anthropic",
        )
        self.model = options.model
        self.options = options
        self._key = key

    def reserve(self, system: str, context: str, max_output: int, schema: dict[str, Any] | None = None) -> Reservation:
        """The most a call can use: a token is at least a byte, and nothing exceeds the context window."""
        shape = json.dumps(schema) if schema else ""
        given = len((system + context + shape).encode()) + FRAMING
        wanted = self._limit(max_output)
        if self.options.context_window:
            given = min(given, self.options.context_window)
            wanted = min(wanted, self.options.context_window)
        total = given + wanted
        if self.options.context_window:
            total = min(total, self.options.context_window)
        options = self.options
        marks = self.capabilities.cache_marks
        usd = ceiling(options.price, given, wanted, model=options.model, endpoint=options.endpoint, marks=marks)
        return Reservation(tokens=total, usd=usd)

    async def complete(
        self,
        system: str,
        context: str,
        schema: dict[str, Any] | None = None,
        *,
        images: Sequence[Path] = (),
        stable: int = 0,
        max_output: int,
        on_delta: OnDelta | None = None,
    ) -> Reply:
        """Answer with one request; every expected failure is a ProviderError or Transient."""
        mode = mode_for(self.options, schema)
        settings = {"max_tokens": self._limit(max_output), "timeout": self.options.timeout_seconds}
        if mode == "tool":
            settings["parallel_tool_calls"] = False
        ask: dict[str, Any] = {
            "messages": _messages(system, context, images=images, stable=stable),
            "model_settings": settings,
            "model_request_parameters": parameters(self.options, mode, schema),
        }
        logger.info("ask %s for at most %d tokens", self.model, max_output)
        try:
            # The client's own timeout counts each silence; this one counts the call.
            async with asyncio.timeout(self.options.timeout_seconds):
                response = await self._ask(ask, mode, on_delta)
        except expected() as error:
            logger.info("%s failed: %s", self.model, type(error).__name__)
            raise failure(error, self.options, key=self._key) from None
        try:
            text = text_of(response, self.options, mode=mode, streamed=on_delta is not None)
        except ProviderError as error:
            if error.kind != "connection":  # an answer that ended was paid for; of half a stream nobody knows
                error.reply = self._reply(response, "")
            raise
        return self._reply(response, text)

    async def _ask(self, ask: dict[str, Any], mode: Mode, on_delta: OnDelta | None) -> ModelResponse:
        from pydantic_ai.messages import ModelResponse

        talk = conversation(self.options, self._key, ask=ask, streamed=on_delta is not None)
        async with aclosing(talk) as events:
            async for event in events:
                if isinstance(event, ModelResponse):
                    return event
                if on_delta is not None and (new := piece(event, mode)):
                    on_delta(new)
        raise AssertionError("the answer has no end")

    def _reply(self, response: ModelResponse, text: str) -> Reply:
        usage = usage_of(response)
        name = response.model_name or self.model
        known = usage.input_tokens is not None and usage.output_tokens is not None
        options = self.options
        usd = cost(options.price, response.usage, model=name, endpoint=options.endpoint) if known else None
        return Reply(text=text, model=name, usage=usage, usd=usd, cut=response.finish_reason == "length")

    def _limit(self, max_output: int) -> int:
        return min(max_output, self.options.max_output_tokens or max_output)


def _messages(system: str, context: str, *, images: Sequence[Path], stable: int) -> list[Any]:
    from pydantic_ai.messages import BinaryContent, CachePoint, ModelRequest, SystemPromptPart, UserPromptPart

    shown = [BinaryContent(data=image.read_bytes(), media_type=guess_type(image.name)[0] or "") for image in images]
    # one mark: a cache keeps everything before it, the tools and the system prompt too
    parts = [context[:stable], CachePoint(), context[stable:]] if stable else [context]
    content: Any = [*parts, *shown] if shown or stable else context
    return [ModelRequest(parts=[SystemPromptPart(content=system), UserPromptPart(content=content)])]
