"""What the proxy reads of a request: its kind, model and size; and the signs of life of a caged agent."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from thoughtforge.agent_runtime import request_filter
from thoughtforge.agent_runtime.cli import Api


class Heartbeat:
    """When the last sign came, by the loop's clock."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._heard = self._clock()
        self._working = 0

    def beat(self) -> None:
        """Something came from the agent or from its model."""
        self._heard = self._clock()

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """The agent waits for us: as long as that lasts it is not silent."""
        self._working += 1
        try:
            yield
        finally:
            self._working -= 1
            self.beat()

    def last(self) -> float:
        """The last sign; now, while it waits for us."""
        return self._clock() if self._working else self._heard


Kind = Literal["completion", "free", "unknown"]
"""What a request is: one that costs, one that only asks about models or counts, or one nobody needs."""

COMPLETIONS: Mapping[Api, str] = {
    "anthropic": r"/v1/messages",
    "responses": r"(/v1)?/responses",
    "openai": r"(/v1)?/chat/completions",
    "google": r"(/v1(alpha|beta)?/models/[\w.@-]+|/v1internal):(stream)?[gG]enerateContent",
}
FREE: Mapping[Api, str] = {
    "anthropic": r"POST /v1/messages/count_tokens|GET /v1/models(/[\w.@-]+)?|(GET|HEAD) /",
    "responses": r"GET (/v1)?/models(/[\w.@-]+)?",
    "openai": r"GET (/v1)?/models(/[\w.@/-]+)?",
    "google": (
        r"POST /v1(alpha|beta)?/models/[\w.@-]+:countTokens|GET /v1(alpha|beta)?/models(/[\w.@-]+)?|"
        r"POST /v1internal:(countTokens|loadCodeAssist|onboardUser|listExperiments|retrieveUserQuota"
        r"|fetchAdminControls|recordCodeAssistMetrics)|GET /v1internal/operations/[\w.-]+"
    ),
}
"""What costs nothing: passed on without being counted."""
LOGIN_BACKEND = "/backend-api/"
"""Part of the address behind a ChatGPT login; it refuses a limit on the answer."""
LEAST_THINKING = 1024
"""Tokens Anthropic wants at least for thinking, when there is any."""
LEAST_GOOGLE_THINKING = 128


def kind(api: Api, method: str, path: str) -> Kind:
    """What a request is; a path nobody has listed, or that could be read in two ways, is unknown."""
    if not path.isascii() or (path != "/" and any(part in ("", ".", "..") for part in path.split("/")[1:])):
        return "unknown"
    if method == "POST" and re.fullmatch(COMPLETIONS[api], path):
        return "completion"
    return "free" if re.fullmatch(FREE[api], f"{method} {path}") else "unknown"


def model_of(api: Api, path: str, body: Mapping[str, Any]) -> str:
    """The model a completion asks for."""
    in_path = re.search(r"/models/([^/:]+):", path) if api == "google" else None
    return in_path[1] if in_path else str(body.get("model") or "")


def most_output(api: Api, body: Mapping[str, Any]) -> int:
    """The longest answer a completion asks for; 0 when it names none."""
    holder = _holder(api, json.loads(json.dumps(body)))
    return max((holder[name] for name in request_filter.LENGTHS[api] if isinstance(holder.get(name), int)), default=0)


def limited(api: Api, body: dict[str, Any], most: int, *, endpoint: str) -> dict[str, Any]:
    """The same request, asking for no longer an answer than `most` and for its usage; 0 leaves the length as it is."""
    body = json.loads(json.dumps(body))
    if api == "openai" and body.get("stream"):
        body["stream_options"] = {**(body.get("stream_options") or {}), "include_usage": True}
    if not most or (api == "responses" and LOGIN_BACKEND in endpoint):
        return body
    holder = _holder(api, body)
    names = request_filter.LENGTHS[api]
    usual = names[-1 if api == "openai" and "://api.openai.com" in endpoint else 0]
    for name in [name for name in names if holder.get(name)] or [usual]:
        holder[name] = min(holder.get(name) or most, most)
    if api == "anthropic":
        _think_less(holder)
    elif api == "google":
        _google_think_less(holder)
    return body


def refusal(api: Api, status: int, message: str) -> bytes:
    """An error in the api's own form."""
    shapes: dict[Api, dict[str, Any]] = {
        "anthropic": {"type": "error", "error": {"type": "invalid_request_error", "message": message}},
        "google": {"error": {"code": status, "message": message, "status": "FAILED_PRECONDITION"}},
    }
    usual = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": "not_allowed"}}
    return json.dumps(shapes.get(api, usual)).encode()


def _holder(api: Api, body: dict[str, Any]) -> dict[str, Any]:
    """The object the limit stands in; made where it is missing."""
    if api != "google":
        return body
    request = request_filter.inner(api, body)
    if not isinstance(request.get("generationConfig"), dict):
        request["generationConfig"] = {}
    found: dict[str, Any] = request["generationConfig"]
    return found


def _think_less(body: dict[str, Any]) -> None:
    """Thinking must fit into the answer, or the api refuses the request."""
    thinking = body.get("thinking")
    if not isinstance(thinking, dict) or not isinstance(thinking.get("budget_tokens"), int):
        return
    budget = min(thinking["budget_tokens"], body["max_tokens"] - 1)
    body["thinking"] = {**thinking, "budget_tokens": budget} if budget >= LEAST_THINKING else {"type": "disabled"}


def _google_think_less(config: dict[str, Any]) -> None:
    """Thoughts count as output there; at most half of it, so that an answer has room beside them."""
    thinking = config.get("thinkingConfig")
    budget = thinking.get("thinkingBudget") if isinstance(thinking, dict) else None
    if isinstance(thinking, dict) and isinstance(budget, int):
        most = max(LEAST_GOOGLE_THINKING, config["maxOutputTokens"] // 2)
        config["thinkingConfig"] = {**thinking, "thinkingBudget": min(budget, most)}
