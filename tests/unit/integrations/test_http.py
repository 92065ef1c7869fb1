"""One question over HTTP: bounded, without redirects, and every failure a sentence without the address."""

from __future__ import annotations

import asyncio

import pytest

from doubles import Said, Server, closed_port
from thoughtforge.integrations.http import NoAnswer, ask


def test_an_answer_is_what_was_said() -> None:
    with Server(lambda asked: Said(302, {"got": asked.json, "by": asked.headers["x-key"], "q": asked.query})) as server:
        said = asyncio.run(ask("POST", server.url, headers={"x-key": "k"}, params={"a": "ü &"}, body={"one": 1}))
    assert (said.status, said.data()) == (302, {"got": {"one": 1}, "by": "k", "q": {"a": "ü &"}})
    assert (said.field("by"), said.field("nothing")) == ("k", None)


@pytest.mark.parametrize("body", [b"no json", b"[1]", b""])
def test_a_body_that_is_no_object_has_no_fields(body: bytes) -> None:
    with Server(lambda asked: Said(200, body)) as server:
        assert asyncio.run(ask("GET", server.url)).field("x") is None


def test_an_answer_that_is_too_long_is_not_taken() -> None:
    with Server(lambda asked: Said(200, b"x" * 3_000_000)) as server, pytest.raises(NoAnswer) as told:
        asyncio.run(ask("GET", f"{server.url}/secret", most=2_000_000))
    assert str(told.value) == f"{server.url.removeprefix('http://')} answered with more than 2 MB"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ftp://a.example/x", "the address does not begin with http or https"),
        ("no address", "the address does not begin with http or https"),
        ("http://a.example:99999/secret", "the address of a.example has an invalid port"),
    ],
)
def test_an_address_that_is_none_is_told(url: str, told: str) -> None:
    with pytest.raises(NoAnswer, match=told):
        asyncio.run(ask("GET", url))


def test_a_place_where_nobody_listens_is_told_without_the_path() -> None:
    with pytest.raises(NoAnswer) as told:
        asyncio.run(ask("GET", f"{closed_port()}/bot-secret"))
    assert ("could not be reached" in str(told.value), "secret" in str(told.value)) == (True, False)


def test_a_place_that_does_not_answer_in_time_is_told() -> None:
    with Server(lambda asked: Said(200, {}, after=2)) as server, pytest.raises(NoAnswer, match="within 0.2 s"):
        asyncio.run(ask("GET", server.url, seconds=0.2))
