"""From a schema to request parameters, and from a response back to plain text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from thoughtforge.calls.port import ProviderError, Transient, Usage
from thoughtforge.providers.http.endpoint import ENDPOINTS, Options

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import ModelRequestParameters

Mode = Literal["native", "tool", "off"]
TOOL = "answer"


def mode_for(options: Options, schema: dict[str, Any] | None) -> Mode:
    """How this answer is held to its schema. The apis constrain objects only."""
    if schema is None or schema.get("type") != "object" or options.schema_mode == "off":
        return "off"
    if options.schema_mode != "auto":
        return options.schema_mode
    # Anthropic's native mode rewrites and limits schemas; a tool call takes any.
    return "tool" if options.api == "anthropic" else "native"


def parameters(options: Options, mode: Mode, schema: dict[str, Any] | None) -> ModelRequestParameters:
    """The request parameters that ask for an answer of that shape."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    if schema is None or mode == "off":
        return ModelRequestParameters()
    shape = {key: value for key, value in schema.items() if key != "$schema"}
    strict = _strict(options, shape)
    if mode == "native":
        wanted = OutputObjectDefinition(json_schema=shape, name=TOOL, strict=strict)
        return ModelRequestParameters(output_mode="native", output_object=wanted)
    tool = ToolDefinition(
        name=TOOL, description="Give the answer.", parameters_json_schema=shape, strict=strict, kind="output"
    )
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def _strict(options: Options, shape: dict[str, Any]) -> bool | None:
    """Whether OpenAI itself can enforce the schema word for word; other endpoints are not asked this."""
    if options.endpoint != ENDPOINTS["openai"]:
        return None
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

    walker = OpenAIJsonSchemaTransformer(shape, strict=None)
    return True if walker.walk() == shape and walker.is_strict_compatible else None


def piece(event: ModelResponseStreamEvent, mode: Mode) -> str:
    """The part of the answer that came with one event of the stream; thinking is not part of it."""
    from pydantic_ai.messages import (
        PartDeltaEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
        ToolCallPart,
        ToolCallPartDelta,
    )

    part = event.part if isinstance(event, PartStartEvent) else None
    delta = event.delta if isinstance(event, PartDeltaEvent) else None
    if mode != "tool":
        if isinstance(part, TextPart):
            return part.content
        return delta.content_delta if isinstance(delta, TextPartDelta) else ""
    if isinstance(part, ToolCallPart):
        return _args(part.args)
    return _args(delta.args_delta) if isinstance(delta, ToolCallPartDelta) else ""


def _args(args: str | Mapping[str, object] | None) -> str:
    if not args:
        return ""
    return args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)


def text_of(response: ModelResponse, options: Options, *, mode: Mode, streamed: bool) -> str:
    """The answer as far as it got, or the reason why there is none."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    model, reason = options.model, response.finish_reason
    if reason == "content_filter":
        raise ProviderError("refused", f"{model} refused to answer", do="Reword the request.")
    if reason == "error" or (streamed and not (response.provider_details or {}).get("finish_reason")):
        raise Transient(
            "connection", f"{options.endpoint} closed the connection before the end of the answer", do="Try again."
        )
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)] if mode == "tool" else []
    text = _args(calls[0].args) if calls else "".join(p.content for p in response.parts if isinstance(p, TextPart))
    if not text.strip() and reason == "length":
        do = f"Raise call_output_tokens{' and max_output_tokens' if options.max_output_tokens else ''}."
        raise Transient("truncated", f"{model} reached the length limit before it began its answer", do=do)
    if not text.strip():
        raise Transient("empty", f"{model} returned an empty answer", do="Try again, or choose another model.")
    return text


def usage_of(response: ModelResponse) -> Usage:
    """The tokens the server reported. The library says 0 for silence; an answer never takes 0 on either side."""
    said = response.usage
    told = said.cache_read_tokens or any("cache" in name for name in said.details)
    return Usage(
        input_tokens=said.input_tokens or None,
        output_tokens=said.output_tokens or None,
        cached_tokens=said.cache_read_tokens if told else None,
    )
