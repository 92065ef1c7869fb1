"""The way from a caged agent to its model: the proxy authorises, limits, counts and settles every request once.

The agent never has the key: it sends a word of ours in its place, and the key is put in here.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from thoughtforge.agent_runtime import request_filter, wire
from thoughtforge.agent_runtime.cli import Api
from thoughtforge.agent_runtime.turn import Admission, Answered, Meter, Wanted
from thoughtforge.agent_runtime.usage import Counted, counted
from thoughtforge.agent_runtime.wire import Heartbeat
from thoughtforge.settings.outside import loopback

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    from httpx2 import AsyncClient

CONNECT_SECONDS = 30.0
BODY_BYTES = 64 * 1024 * 1024
"""The largest request; nothing an agent really says comes near it."""
FRUITLESS = 20
"""Requests in a row without a proper answer; an agent that goes on after so many never stops by itself."""
IN_VAIN = "requests to the model in a row failed"
DROPPED = frozenset(
    b"host connection keep-alive proxy-connection proxy-authorization te trailer transfer-encoding upgrade"
    b" content-length content-encoding accept-encoding expect x-http-method-override".split()
)
"""Headers that are meant for one connection only, or that we set ourselves."""


class Upstream(NamedTuple):
    """Where the model is, and the key it wants."""

    api: Api
    url: str
    key: str = ""
    stand_in: str = ""
    """What the agent sends instead of the key."""
    price: Callable[[Counted], float | None] = lambda counted: None
    """US dollars of one answer; None when unknown."""
    model: str = ""
    """The only model that may be asked; empty leaves it to the agent."""


class ProxyRequest(NamedTuple):
    """One request of the agent."""

    method: str
    path: str
    query: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class Exchange:
    """What has come back so far."""

    def __init__(self) -> None:
        self.status = 0
        self.reply = bytearray()
        self.error = "the agent disconnected before the answer"

    def answered(self, upstream: Upstream) -> Answered:
        """How it ended."""
        reply = bytes(self.reply)
        said = counted(upstream.api, reply)
        return Answered(self.status, said.model, said.usage, reply, self.error, upstream.price(said))


class Proxy:
    """Passes requests on for one turn; `ended` is done when the turn may not go on."""

    def __init__(self, upstream: Upstream, meter: Meter, *, max_requests: int) -> None:
        self.upstream = upstream
        self.max_requests = max_requests
        self.requests = 0
        self.uncounted = 0
        """Answered requests with an unknown number of tokens."""
        self.tunnels: set[str] = set()
        """Hosts the agent reached without us reading along."""
        self.pulse = Heartbeat()
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Why no further request is passed on; an exception when the meter itself failed."""
        self._fruitless = 0
        self._meter = meter
        self._stack = AsyncExitStack()
        self._client: AsyncClient | None = None

    async def close(self) -> None:
        """Let go of every connection."""
        await self._stack.aclose()

    async def answer(self, path: str, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request; `path` begins behind our own prefix."""
        self.pulse.beat()
        body = await _body(receive)
        asked = ProxyRequest(scope["method"], path, scope["query_string"], tuple(scope["headers"]), body)
        # What is encoded could be read as another path behind us.
        plain = b"%" not in scope.get("raw_path", b"")
        kind = wire.kind(self.upstream.api, asked.method, path) if plain else "unknown"
        try:
            if kind == "completion":
                await self._completion(asked, receive, send)
            elif kind == "free":
                await self._passed(asked, receive, send, Exchange())
            else:
                await self._refuse(send, 404, f"{asked.method} {path} is not available to agents")
        except ConnectionError:
            raise  # cuts the connection to the agent as the one to its model was cut
        except Exception as error:
            if not self.ended.done():
                self.ended.set_exception(error)
            raise

    async def _completion(self, asked: ProxyRequest, receive: Any, send: Any) -> None:
        api = self.upstream.api
        body = _object(asked)
        if body is None:
            await self._refuse(send, 415, "the proxy forwards only plain JSON to the model")
            return
        if why := self._unfit(asked, body):
            await self._refuse(send, 400, why)
            self._fruitless += 1
            if self._fruitless >= FRUITLESS and not self.ended.done():
                self.ended.set_result(f"{FRUITLESS} {IN_VAIN}; the last: {why}")
            return
        known = request_filter.kept(api, body)
        admission = self._admit(asked, known)
        if admission.refusal:
            await self._refuse(send, 400, admission.refusal)
            if not self.ended.done():
                self.ended.set_result(admission.refusal)
            return
        limited = wire.limited(api, known, admission.max_output, endpoint=self.upstream.url)
        exchange = Exchange()
        try:
            await self._passed(asked if limited == body else _with(asked, limited), receive, send, exchange)
        finally:
            self._settle(admission, exchange.answered(self.upstream))

    def _settle(self, admission: Admission, answered: Answered) -> None:
        known = answered.usage.input_tokens is not None and answered.usage.output_tokens is not None
        self.uncounted += answered.status == 200 and not known
        self._fruitless = 0 if answered.status == 200 and known else self._fruitless + 1
        self._meter.settle(admission.ticket, answered)

    def _unfit(self, asked: ProxyRequest, body: dict[str, Any]) -> str:
        """Why a request is not one for this model; empty when it is. The agent may ask again, the turn goes on."""
        api, only = self.upstream.api, self.upstream.model
        wanted = wire.model_of(api, asked.path, body)
        if only and not request_filter.fits(only, wanted):
            return f"this agent may use only the model {only}, not {wanted[:80]!r}"
        return request_filter.refusal(api, body)

    def _admit(self, asked: ProxyRequest, body: dict[str, Any]) -> Admission:
        api = self.upstream.api
        self.requests += 1
        if self.ended.done():
            return Admission(refusal="this turn has ended")
        if self.requests > self.max_requests:
            return Admission(refusal=f"more than {self.max_requests} requests to the model in one turn")
        if self._fruitless >= FRUITLESS:
            return Admission(refusal=f"{FRUITLESS} {IN_VAIN}")
        wanted = Wanted(wire.model_of(api, asked.path, body), asked.body, wire.most_output(api, body))
        return self._meter.admit(wanted)

    async def _passed(self, asked: ProxyRequest, receive: Any, send: Any, exchange: Exchange) -> None:
        """Pass a request on and its answer back; ends early when the agent goes away."""
        passing = asyncio.ensure_future(self._exchange(asked, send, exchange))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait([passing, gone], return_when=asyncio.FIRST_COMPLETED)
            if passing.done():
                passing.result()
        finally:
            gone.cancel()
            passing.cancel()
            await asyncio.gather(gone, passing, return_exceptions=True)

    async def _exchange(self, asked: ProxyRequest, send: Any, exchange: Exchange) -> None:
        from httpx2 import HTTPError

        try:
            await self._sent(asked, send, exchange)
            exchange.error = "" if exchange.status < 400 else f"the model answered {exchange.status}"
        except (HTTPError, OSError) as error:
            said = str(error) or type(error).__name__
            exchange.error = f"the model at {self.upstream.url} could not be reached: {said}"
            logger.info("%s", exchange.error)
            if exchange.status:
                raise BrokenPipeError(exchange.error) from None
            await self._refuse(send, 502, exchange.error)

    async def _sent(self, asked: ProxyRequest, send: Any, exchange: Exchange) -> None:
        client = await self._opened()
        url = self.upstream.url.rstrip("/") + asked.path
        if asked.query:
            url += "?" + self._keyed(asked.query).decode("latin-1")
        headers = [(name, self._keyed(value)) for name, value in asked.headers if name.lower() not in DROPPED]
        # Not compressed: we read along.
        headers.append((b"accept-encoding", b"identity"))
        async with client.stream(asked.method, url, headers=headers, content=asked.body) as response:
            exchange.status = response.status_code
            logger.info("%s %s answered %d", asked.method, asked.path, response.status_code)
            back = [pair for pair in response.headers.raw if pair[0].lower() not in DROPPED]
            await send({"type": "http.response.start", "status": response.status_code, "headers": back})
            async for data in response.aiter_bytes():
                self.pulse.beat()
                exchange.reply += data
                await send({"type": "http.response.body", "body": data, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _opened(self) -> AsyncClient:
        if self._client is None:
            from httpx2 import AsyncClient, Timeout

            # A proxy named in the environment would carry text for this machine off it.
            here = loopback(self.upstream.url)
            tls = not (here and urlsplit(self.upstream.url).scheme == "http")
            # Silence is bounded by the turn: it ends when nothing is heard for too long.
            timeout = Timeout(None, connect=CONNECT_SECONDS)
            client = AsyncClient(timeout=timeout, follow_redirects=False, trust_env=not here, verify=tls)
            self._client = await self._stack.enter_async_context(client)
        return self._client

    async def _refuse(self, send: Any, status: int, message: str) -> None:
        headers = [(b"content-type", b"application/json"), (b"x-should-retry", b"false")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": wire.refusal(self.upstream.api, status, message)})

    def _keyed(self, value: bytes) -> bytes:
        stand_in, key = self.upstream.stand_in.encode(), self.upstream.key.encode()
        return value.replace(stand_in, key) if stand_in else value


def _with(asked: ProxyRequest, body: dict[str, Any]) -> ProxyRequest:
    """The request with another body, written as short as agents write theirs."""
    return asked._replace(body=json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())


async def _body(receive: Any) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ConnectionAbortedError("the agent disconnected in the middle of a request")
        body += message.get("body", b"")
        if len(body) > BODY_BYTES:
            raise ConnectionAbortedError("the agent sent a request that is too large")
        if not message.get("more_body"):
            return bytes(body)


async def _gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _object(asked: ProxyRequest) -> dict[str, Any] | None:
    """The request's JSON object; None for anything else, also for one that is packed."""
    if any(name.lower() == b"content-encoding" and value != b"identity" for name, value in asked.headers):
        return None
    try:
        body = json.loads(asked.body, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names stand once: of two, the model's server might read the other one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name appears twice")
    return found
