"""What a person writes in the configuration for a model reached over HTTP."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from thoughtforge.calls.port import ProviderError, Transient
from thoughtforge.calls.prices import Price
from thoughtforge.kernel.model import Value
from thoughtforge.settings import outside

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model


Api = Literal["openai", "anthropic", "google"]

ENDPOINTS: dict[Api, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
}
"""Always passed on in full, so that no variable of an SDK can redirect a call."""

KEYS: dict[Api, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GEMINI_API_KEY"}


class Options(Value):
    """One entry of `providers:` with `kind: http`."""

    api: Api = "openai"
    """The wire format: `openai` also works with Ollama, llama.cpp, vLLM and most gateways."""
    model: str = Field(min_length=1)
    """The model's name, as the endpoint spells it."""
    base_url: str = ""
    """The URL of the endpoint, such as `http://127.0.0.1:11434/v1`; empty means the vendor's."""
    key_env: str | None = None
    """The variable that holds the key; empty sends none. Default: the vendor's usual name, none on this machine."""
    timeout_seconds: float = Field(default=300, gt=0)
    """The time limit of one call."""
    max_output_tokens: int | None = Field(default=None, ge=1)
    """The longest answer this model gives, where that is less than `call_output_tokens`."""
    schema_mode: Literal["auto", "native", "tool", "off"] = Field(default="auto", alias="schema")
    """How to enforce the contract of the answer: the API's schema support, a tool call, or not at all."""
    price: Price | None = None
    """Overrides the price table. A model on this machine has no price without it."""
    context_window: int | None = Field(default=None, ge=1)
    """The most tokens of input and output together; no call can use more."""

    @field_validator("base_url")
    @classmethod
    def _is_a_url(cls, url: str) -> str:
        return outside.checked(url)

    @property
    def endpoint(self) -> str:
        """The address every call goes to."""
        return self.base_url or ENDPOINTS[self.api]

    @property
    def loopback(self) -> bool:
        """Whether the endpoint is this machine."""
        return outside.loopback(self.endpoint)

    @property
    def key_variable(self) -> str:
        """The variable the key is read from; empty when no key is sent."""
        if self.key_env is not None:
            return self.key_env
        # A key meant for a vendor is not handed to whatever listens on this machine.
        return "" if self.loopback else KEYS[self.api]


QUOTE = 200
"""How much of a server's own words is passed on."""


def expected() -> tuple[type[Exception], ...]:
    """The errors of the libraries that stand for a failed call; anything else is a bug and escapes."""
    from httpx2 import HTTPError
    from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior, UserError

    return (ModelAPIError, UnexpectedModelBehavior, UserError, HTTPError, TimeoutError)


def failure(error: Exception, options: Options, *, key: str) -> ProviderError:
    """The error for the record. It never holds the key, whatever the server said."""
    status = _status(error)
    if status is None:
        return _without_status(error, options, key=key)
    said = _quote(getattr(error, "body", None) or error, key=key)
    where = f"{options.endpoint} answered {status}"
    if status in (401, 403):
        # Not quoted: servers like to repeat a part of the key here.
        return ProviderError("auth", f"{where}: the key was not accepted", do=_key_advice(options))
    if status == 402 or getattr(error, "provider_error_code", None) == "insufficient_quota":
        return ProviderError("quota", f"{where}: {said}", do="Add credit to the account this key belongs to.")
    if status == 429:
        return Transient("rate_limited", f"{where}: {said}", do="Wait a moment, or use a model with a higher limit.")
    if status in (408, 504):
        return Transient("timeout", f"{where}: {said}", do="Try again, or choose a quicker model.")
    if status >= 500:
        return Transient("overloaded", f"{where}: {said}", do="Try again later.")
    if status < 400:
        return ProviderError("bad_request", f"{where}: a redirect, which ThoughtForge does not follow", do=_URL_ADVICE)
    return ProviderError("bad_request", f"{where}: {said}", do=_URL_ADVICE)


def timed_out(options: Options) -> Transient:
    """The call took longer than it may."""
    what = f"{options.endpoint} did not finish within {options.timeout_seconds:g} seconds"
    return Transient("timeout", what, do="Raise timeout_seconds, or choose a quicker model.")


def _without_status(error: Exception, options: Options, *, key: str) -> ProviderError:
    from httpx2 import TimeoutException, TransportError
    from pydantic_ai.exceptions import ContentFilterError, UserError

    chain = tuple(_chain(error))
    if any(isinstance(link, TimeoutError | TimeoutException) for link in chain):
        return timed_out(options)
    for link in chain:
        if isinstance(link, TransportError):
            what = f"the connection to {options.endpoint} failed: {_quote(link, key=key)}"
            return Transient("connection", what, do="Check that the server runs and that base_url is right.")
    if isinstance(error, ContentFilterError):
        return ProviderError("refused", f"{options.model} refused to answer", do="Reword the request.")
    if isinstance(error, UserError):
        do = "Choose another model, or another value for `schema`."
        return ProviderError(
            "bad_request", f"{options.model} does not support this kind of request: {_quote(error, key=key)}", do=do
        )
    what = f"{options.endpoint} did not answer in the {options.api} format: {_quote(error, key=key)}"
    return Transient("malformed", what, do=_URL_ADVICE)


_URL_ADVICE = "Check base_url, api and model; an OpenAI-compatible base_url usually ends in /v1."


def _key_advice(options: Options) -> str:
    if options.key_variable:
        return f"Put a valid key into the variable {options.key_variable}."
    return "Name the variable that holds the key as key_env."


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status(error: Exception) -> int | None:
    for link in _chain(error):
        # Google's errors call it `code`; a stream that fails half-way still carries the 200 it began with.
        for status in (getattr(link, "status_code", None), getattr(link, "code", None)):
            if isinstance(status, int) and status >= 300:
                return status
    return None


def _quote(said: Any, *, key: str) -> str:
    """The server's own words: without the key, on one line, cut short."""
    if isinstance(said, dict):
        inner = said.get("error", said)
        said = inner.get("message", inner) if isinstance(inner, dict) else inner
    text = " ".join(str(said).split())
    if key:
        text = text.replace(key, "***")
    return text if len(text) <= QUOTE else text[:QUOTE] + "…"


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
        raise UnexpectedModelBehavior("its answer has an unknown structure") from None


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
