"""One call to one endpoint: the vendor's SDK with retries, redirects and telemetry off."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from thoughtforge.providers.http.options import ENDPOINTS, Api, Options

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model

NO_KEY = "none"
"""The SDKs insist on a key; servers that need none ignore it."""

ODD = (AttributeError, LookupError, TypeError, ValueError)
"""What the libraries raise for an answer of a shape they did not foresee."""


@asynccontextmanager
async def _opened(options: Options, key: str) -> AsyncIterator[Model[Any]]:
    """The model behind the endpoint, with a connection of its own that is closed at the end."""
    from httpx2 import AsyncClient

    # A proxy named in the environment would carry text for this machine off it.
    trust = not options.loopback
    # Loading certificates takes longer than a local call; plain HTTP to this machine never meets TLS.
    tls = not (options.loopback and urlsplit(options.endpoint).scheme == "http")
    # No timeout of its own: every request carries one.
    async with AsyncClient(timeout=None, follow_redirects=False, trust_env=trust, verify=tls) as http:
        yield _MAKERS[options.api](options, key or NO_KEY, http)


async def conversation(
    options: Options, key: str, *, ask: dict[str, Any], streamed: bool
) -> AsyncGenerator[ModelResponseStreamEvent | ModelResponse, None]:
    """One request: the events of its stream, if it is one, and at last the response."""
    from pydantic_ai.direct import model_request, model_request_stream
    from pydantic_ai.exceptions import UnexpectedModelBehavior

    try:
        async with _opened(options, key) as model:
            if not streamed:
                yield await model_request(model, instrument=False, **ask)
                return
            async with model_request_stream(model, instrument=False, **ask) as stream:
                async for event in stream:
                    yield event
                yield stream.get()
    except ODD:
        raise UnexpectedModelBehavior("its answer has an unknown shape") from None


def _openai(options: Options, key: str, http: AsyncClient) -> Model[Any]:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(api_key=key, base_url=options.endpoint, max_retries=0, http_client=http)
    # The library's own rewriting closes every open object: `params: {type: object}` could only be {} then.
    profile = OpenAIModelProfile(supports_json_schema_output=True, json_schema_transformer=None)
    if options.endpoint != ENDPOINTS["openai"]:
        # Compatible servers know the older field; several ignore the newer one and then never stop.
        profile["openai_chat_supports_max_completion_tokens"] = False
    return OpenAIChatModel(options.model, provider=OpenAIProvider(openai_client=client), profile=profile)


def _anthropic(options: Options, key: str, http: AsyncClient) -> Model[Any]:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.profiles.anthropic import AnthropicModelProfile
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(
        api_key=key, base_url=options.endpoint, max_retries=0, http_client=http, open_telemetry=False
    )
    # Whoever asks for native output by name knows the model better than a list of names does.
    profile = AnthropicModelProfile(supports_json_schema_output=True) if options.schema_mode == "native" else None
    return AnthropicModel(options.model, provider=AnthropicProvider(anthropic_client=client), profile=profile)


def _google(options: Options, key: str, http: AsyncClient) -> Model[Any]:
    from google.genai.types import HttpRetryOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    once = HttpRetryOptions(attempts=1)
    provider = GoogleProvider(api_key=key, base_url=options.endpoint, http_client=http, retry_options=once)
    return GoogleModel(options.model, provider=provider)


_MAKERS: dict[Api, Callable[[Options, str, AsyncClient], Model[Any]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
}
