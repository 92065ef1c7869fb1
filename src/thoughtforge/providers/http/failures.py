"""Every way a call over HTTP goes wrong, as one short word and whether trying once more may help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thoughtforge.calls.errors import ProviderError, Transient
from thoughtforge.providers.http.options import Options

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
        return Transient("overloaded", f"{where}: {said}", do="Try again in a while.")
    if status < 400:
        return ProviderError("bad_request", f"{where}: a redirect, which is not followed", do=_URL_ADVICE)
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
            "bad_request", f"{options.model} cannot be asked this way: {_quote(error, key=key)}", do=do
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
