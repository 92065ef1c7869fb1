"""Which parts of a request go on to the model. An agent may write anything; the proxy forwards only fields listed here.

Fields nobody has listed are left out: among them are longer answers under other names, dearer tiers, requests that go
on in the background, and tools the vendor runs itself, which reach the network from there. What cannot be left out
without asking for something else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from thoughtforge.agent_runtime.cli import Api

Json = dict[str, Any]

COMMON = frozenset({"model", "stream", "stream_options", "temperature", "top_p", "tools", "tool_choice", "metadata"})
FIELDS: Mapping[Api, frozenset[str]] = {
    "anthropic": COMMON
    | {"messages", "system", "max_tokens", "stop_sequences", "top_k", "thinking", "output_config", "output_format"}
    | {"cache_control", "context_management"},
    "responses": COMMON
    | {"input", "instructions", "max_output_tokens", "max_tool_calls", "parallel_tool_calls", "reasoning", "store"}
    | {"include", "prompt_cache_key", "text", "client_metadata", "top_logprobs", "truncation", "user"}
    | {"safety_identifier"},
    "openai": COMMON
    | {"messages", "max_tokens", "max_completion_tokens", "n", "parallel_tool_calls", "response_format", "top_k"}
    | {"min_p", "stop", "seed", "presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias", "store"}
    | {"logprobs", "top_logprobs", "user", "usage", "safety_identifier", "reasoning_effort", "verbosity"}
    | {"prompt_cache_key", "functions", "function_call"},
    "google": frozenset({"model", "project", "user_prompt_id", "request", "contents", "tools", "generationConfig"})
    | {"systemInstruction", "system_instruction", "toolConfig", "tool_config", "safetySettings", "safety_settings"}
    | {"labels", "session_id"},
}
GENERATION = frozenset(
    {"temperature", "topP", "topK", "maxOutputTokens", "candidateCount", "stopSequences", "responseMimeType"}
    | {"responseSchema", "responseJsonSchema", "thinkingConfig", "presencePenalty", "frequencyPenalty", "seed"}
)
"""What of Google's `generationConfig` is passed on; pictures and speech are not among it."""
ELSEWHERE = ("previous_response_id", "conversation", "prompt", "cachedContent", "cached_content", "generation_config")
"""What leads to text that is kept elsewhere, or under another name: neither can be counted."""
LENGTHS: Mapping[Api, tuple[str, ...]] = {
    "anthropic": ("max_tokens",),
    "responses": ("max_output_tokens",),
    "openai": ("max_tokens", "max_completion_tokens"),
    "google": ("maxOutputTokens",),
}
"""The fields that say how long an answer may be; where there are two, the older one first."""
TIMES = ("n", "candidateCount")
"""How many answers are wanted at once."""
OWN_TOOLS = re.compile(r"|function|custom|namespace|local_shell|(bash|text_editor|computer|memory)_\d+")
"""Kinds of tools the agent runs itself; every other kind is run by the vendor."""
CHOICES = frozenset({"function", "custom", "tool", "auto", "any", "none", "allowed_tools"})
DATED = re.compile(r"(-\d{3,8}|-\d{4}-\d\d-\d\d)?")
"""What may follow a model's name: the day or number of its edition."""
CHOSEN = frozenset({"default", "best", "opusplan", "auto"})
"""Names that leave the choice to the agent."""
DEEPEST = 100
"""Levels a request may have; none that means anything has as many."""


def inner(api: Api, body: Json) -> Json:
    """The request itself: Google's Code Assist puts it into an envelope."""
    return body["request"] if api == "google" and isinstance(body.get("request"), dict) else body


def kept(api: Api, body: Json) -> Json:
    """The request with nothing in it but what is known."""
    known = {name: value for name, value in body.items() if name in FIELDS[api] and value is not None}
    if inner(api, body) is not body:
        known["request"] = kept(api, body["request"])
        return known
    if isinstance(known.get("tools"), list):
        known["tools"] = [tool for each in known["tools"] for tool in _own(api, each)]
        if not known["tools"]:
            known.pop("tools")
            known.pop("tool_choice", None)
    choice = known.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") not in CHOICES:
        known.pop("tool_choice")
    if isinstance(known.get("generationConfig"), dict):
        config = known["generationConfig"]
        known["generationConfig"] = {name: value for name, value in config.items() if name in GENERATION}
    if api == "responses" or "store" in known:
        known["store"] = False  # it would be kept by the vendor
    return known


def refusal(api: Api, body: Json) -> str:
    """Why a request cannot be passed on, in words; empty when it can."""
    request = inner(api, body)
    if stored := [name for name in ELSEWHERE if request.get(name) is not None]:
        return f"{stored[0]} is not forwarded: its tokens cannot be counted"
    settings = request.get("generationConfig", {}) if api == "google" else request
    if not isinstance(settings, dict):
        return "generationConfig is not an object"
    for name in LENGTHS[api]:
        if settings.get(name) is not None and not _positive(settings[name]):
            return f"{name} must be a whole number of at least 1"
    for name in TIMES:
        if settings.get(name) is not None and settings[name] != 1:
            return f"{name} must be 1: the budget covers one answer at a time"
    said = [request.get(name) for name in ("messages", "input", "contents", "system", "systemInstruction")]
    return next(_fetched(api, said), "")


def fits(configured: str, wanted: str) -> bool:
    """Whether a model is the configured one: by its name, a dated edition of it, or what a short name stands for."""
    wanted = wanted.removeprefix("models/")
    plain = configured.partition("[")[0]
    for name in (plain, plain.partition("/")[2] or plain):
        if wanted.startswith(name) and DATED.fullmatch(wanted.removeprefix(name)):
            return True
    # Such as `opus`: which edition it stands for is known to its agent alone, and so is no price of it.
    short = {*plain.split("-")} if plain and not any(map(str.isdigit, plain)) else set[str]()
    return bool(short) and (plain in CHOSEN or short <= {*wanted.split("-")})


def _own(api: Api, tool: Any) -> Iterator[Any]:
    if not isinstance(tool, dict):
        return
    if api == "google":
        names = ("functionDeclarations", "function_declarations")
        found = {name: tool[name] for name in names if name in tool}
        if found:
            yield found
    elif OWN_TOOLS.fullmatch(str(tool.get("type") or "")):
        below = tool.get("tools")
        yield {**tool, "tools": [one for each in below for one in _own(api, each)]} if isinstance(below, list) else tool


def _positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _fetched(api: Api, said: Any) -> Iterator[str]:
    """Where the vendor would have to fetch something; what tools were called with is text to it."""
    waiting = [(said, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            yield "it is nested too deeply"
            return
        if isinstance(value, list):
            waiting += [(each, depth + 1) for each in value]
        elif isinstance(value, dict):
            if _leads_away(api, value):
                yield "the proxy forwards only text and pictures in the request itself, nothing the vendor would fetch"
            skipped = ("args", "response") if api == "google" else ("input", "arguments")
            waiting += [(each, depth + 1) for name, each in value.items() if name not in skipped]


def _leads_away(api: Api, block: Json) -> bool:
    if api == "google":
        return bool(block.get("fileData") or block.get("file_data"))
    if api == "anthropic":
        source = block.get("source")
        return isinstance(source, dict) and source.get("type") not in ("base64", "text", "content")
    picture = block.get("image_url")
    place = picture.get("url") if isinstance(picture, dict) else picture
    away = place is not None and not str(place).startswith("data:")
    return away or any(block.get(name) for name in ("file_url", "file_id")) or block.get("type") == "item_reference"
