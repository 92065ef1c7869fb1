"""Where a model is, which key it gets and what a call with it can cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from genai_prices import Usage as PricedUsage
from pydantic import ValidationError

from thoughtforge.calls.port import Reservation
from thoughtforge.calls.prices import Price
from thoughtforge.calls.prices import cost as cost_of
from thoughtforge.providers import http
from thoughtforge.providers.http.answer import parameters
from thoughtforge.settings.environment import Machine

FRAMING = 512
PRICE = Price(input_per_million=1.0, output_per_million=10.0)


def cost(options: http.Options, usage: PricedUsage, model: str) -> float | None:
    return cost_of(options.price, usage, model=model, endpoint=options.endpoint)


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://127.8.9.1/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://localhost:1234", True),
        ("http://models.localhost/v1", True),
        ("http://192.168.1.20:11434/v1", False),
        ("http://localhost.example.com/v1", False),
        ("https://127.0.0.1.example.com/v1", False),
        ("https://gateway.example.com/v1", False),
        ("", False),
    ],
)
def test_only_this_machine_counts_as_loopback(url: str, *, loopback: bool) -> None:
    options = http.Options(model="m", base_url=url, key_env="")
    assert options.loopback is loopback
    assert http.make(options, Machine(lambda name: None, Path())).offsite is not loopback


@pytest.mark.parametrize("url", ["127.0.0.1:11434", "ftp://host/v1", "http://", "localhost"])
def test_a_base_url_without_scheme_or_host_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match="must begin with http:// or https:// and name a host"):
        http.Options(model="m", base_url=url)


@pytest.mark.parametrize(
    ("given", "variable"),
    [
        ({"api": "openai"}, "OPENAI_API_KEY"),
        ({"api": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"api": "google"}, "GEMINI_API_KEY"),
        ({"base_url": "https://gateway.example.com/v1"}, "OPENAI_API_KEY"),
        ({"base_url": "http://127.0.0.1:1/v1"}, ""),
        ({"base_url": "http://127.0.0.1:1/v1", "key_env": "MINE"}, "MINE"),
        ({"key_env": ""}, ""),
    ],
)
def test_the_key_comes_from_the_variable_the_configuration_means(given: dict[str, str], variable: str) -> None:
    assert http.Options.model_validate({"model": "m", **given}).key_variable == variable


def reserved(options: http.Options, **given: object) -> Reservation:
    return http.HttpModel(options, "").reserve("é" * 10, "x" * 80, 50, **given)  # type: ignore[arg-type]


def test_a_reservation_counts_bytes_framing_and_the_whole_answer() -> None:
    options = http.Options(model="m", base_url="http://127.0.0.1:1/v1", price=PRICE)
    given = 100 + FRAMING
    assert reserved(options) == Reservation(tokens=given + 50, usd=(given * 1.0 + 50 * 10.0) / 1e6)


def test_a_reservation_counts_the_schema_when_it_is_told() -> None:
    options = http.Options(model="m", base_url="http://127.0.0.1:1/v1")
    assert reserved(options, schema={"type": "object"}) == Reservation(tokens=100 + 18 + FRAMING + 50, usd=None)


def test_a_reservation_never_exceeds_the_configured_output_or_context_window() -> None:
    short = http.Options(model="m", base_url="http://127.0.0.1:1/v1", max_output_tokens=20)
    small = http.Options(model="m", base_url="http://127.0.0.1:1/v1", context_window=300)
    assert (reserved(short).tokens, reserved(small).tokens) == (100 + FRAMING + 20, 300)


def test_a_known_model_is_priced_by_the_table_and_reserved_at_no_less() -> None:
    options = http.Options(model="gpt-4o-mini")
    assert cost(options, PricedUsage(input_tokens=1000, output_tokens=100), "gpt-4o-mini") == 0.00021
    usd = http.HttpModel(options, "").reserve("", "x" * 1000, 100).usd
    assert usd is not None
    assert usd >= 0.00021


def test_writing_to_a_prompt_cache_is_part_of_the_reservation() -> None:
    options = http.Options(api="anthropic", model="claude-sonnet-4-5")
    given = 1000 + FRAMING
    cached = PricedUsage(input_tokens=given, cache_write_tokens=given, output_tokens=100)
    plain = PricedUsage(input_tokens=given, output_tokens=100)
    dearest = cost(options, cached, "claude-sonnet-4-5")
    assert http.HttpModel(options, "").reserve("", "x" * 1000, 100).usd == dearest
    assert dearest != cost(options, plain, "claude-sonnet-4-5")


@pytest.mark.parametrize(
    ("given", "each"),
    [
        ({"api": "openai"}, 1.0),
        ({"api": "anthropic"}, 1.25),
        ({"api": "openai", "price": {"cache_write_per_million": 2}}, 2.0),
        ({"api": "anthropic", "price": {"cache_write_per_million": 0}}, 1.0),
        ({"api": "openai", "price": {"cached_per_million": 1.1}}, 1.1),
    ],
)
def test_with_a_configured_price_it_is_too(given: dict[str, Any], each: float) -> None:
    price = {"input_per_million": 1.0, "output_per_million": 10.0, **given.get("price", {})}
    options = http.Options.model_validate({"model": "m", **given, "price": price})
    usd = http.HttpModel(options, "").reserve("", "x" * 1000, 100).usd
    assert usd == pytest.approx(((1000 + FRAMING) * each + 100 * 10.0) / 1e6)


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        ("http://127.0.0.1:1/v1", "gpt-4o-mini"),
        ("https://gateway.example.com/v1", "gpt-4o-mini"),
        ("", "a-model-nobody-sells"),
    ],
)
def test_an_unknown_price_stays_unknown(base_url: str, model: str) -> None:
    options = http.Options(model=model, base_url=base_url)
    assert cost(options, PricedUsage(input_tokens=1000, output_tokens=100), model) is None
    assert http.HttpModel(options, "").reserve("a", "b", 10).usd is None


CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("base_url", "schema", "strict"),
    [
        ("", CLOSED, True),
        ("", CLOSED | {"required": []}, None),
        ("", {"type": "object"}, None),
        ("http://127.0.0.1:1/v1", CLOSED, None),
    ],
)
def test_only_a_schema_openai_can_take_word_for_word_is_enforced_strictly(
    base_url: str, schema: dict[str, object], *, strict: bool | None
) -> None:
    wanted = parameters(http.Options(model="m", base_url=base_url), "native", schema).output_object
    assert wanted is not None
    assert (wanted.json_schema, wanted.strict) == (schema, strict)
