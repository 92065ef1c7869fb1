"""One server on loopback; a double is a function from what was asked to what is said."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qs, unquote, urlsplit


class Asked(NamedTuple):
    """One request."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Said(NamedTuple):
    """One answer: JSON, unless the body is bytes already."""

    status: int
    body: Any
    after: float = 0
    """Seconds to wait before it."""


class Server:
    """Use as a context manager; `asked` has every request, oldest first."""

    def __init__(self, answer: Callable[[Asked], Said]) -> None:
        self.asked: list[Asked] = []
        self.answer = answer
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: Server

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of the server."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, *_: Any) -> None:
        """Keep quiet: a test's output is the test's."""

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        asked = Asked(
            self.command,
            unquote(parts.path),
            {name: values[0] for name, values in parse_qs(parts.query).items()},
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(int(self.headers.get("content-length", 0))),
        )
        owner = self.server.owner
        owner.asked.append(asked)
        said = owner.answer(asked)
        time.sleep(said.after)
        data = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
        try:
            self.send_response(said.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except ConnectionError:
            self.close_connection = True  # the client has waited long enough

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()


def closed_port() -> str:
    """An address on loopback where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
