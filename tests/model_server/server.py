"""The server: one thread per connection, answers from a list or a function, everything asked is kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import ModuleType
from typing import Any, ClassVar, Self

from model_server import anthropic, google, openai
from model_server.answers import Answer, Asked, Cut, Fail, Hang, Html, Say, Unfinished

Script = Callable[[Asked], Answer]


class ModelServer:
    """Use as a context manager. `urls[api]` is the base_url of each wire format."""

    def __init__(self, script: Iterable[Answer] | Script) -> None:
        self.asked: list[Asked] = []
        """Every request, oldest first."""
        self.input_tokens = 0
        self.output_tokens = 0
        """What the answers so far reported, together."""
        self.closing = Event()
        self._script = script if callable(script) else _in_order(script)
        self._lock = Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def port(self) -> int:
        return self._http.server_address[1]

    @property
    def urls(self) -> dict[str, str]:
        root = f"http://127.0.0.1:{self.port}"
        return {"openai": f"{root}/v1", "anthropic": root, "google": root}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def decide(self, asked: Asked) -> Answer:
        """The answer to one request; requests are answered one decision at a time."""
        with self._lock:
            self.asked.append(asked)
            answer = self._script(asked)
            if isinstance(answer, Say) and answer.usage:
                self.input_tokens += answer.usage[0]
                self.output_tokens += answer.usage[1]
            return answer


def _in_order(answers: Iterable[Answer]) -> Script:
    left: Iterator[Answer] = iter(answers)
    return lambda asked: next(left, Fail(500, "the script has no answer left"))


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of the server."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http
    formats: ClassVar[dict[str, ModuleType]] = {"/v1/chat/completions": openai, "/v1/messages": anthropic}

    def log_message(self, *_: Any) -> None:
        """Keep quiet: a test's output is the test's."""

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        wire = self._format()
        if wire is None:
            self._send(404, {"error": {"message": f"there is nothing at {self.path}"}})
            return
        asked = wire.read(self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(data))
        self._answer(wire, asked, self.server.owner.decide(asked))

    def do_GET(self) -> None:
        self._send(404, {"error": {"message": f"there is nothing at {self.path}"}})

    def _format(self) -> ModuleType | None:
        path = self.path.partition("?")[0]
        return google if "enerateContent" in path else self.formats.get(path)

    def _answer(self, wire: ModuleType, asked: Asked, answer: Answer) -> None:
        match answer:
            case Say():
                self.server.owner.closing.wait(answer.delay) if answer.delay else None
                self._say(wire, asked, answer)
            case Fail():
                body = wire.error(answer.status, answer.message) if answer.body is None else answer.body
                self._send(answer.status, body, **answer.headers)
            case Hang():
                self.server.owner.closing.wait(answer.seconds)
                self.close_connection = True
            case Html():
                self._send(answer.status, answer.text, **{"Content-Type": "text/html"})
            case Cut():
                self._cut(wire, asked, Say(answer.text, (1, 1)))
            case Unfinished():
                self._unfinished(wire, asked, Say(answer.text, (1, 1)))

    def _say(self, wire: ModuleType, asked: Asked, say: Say) -> None:
        if not asked.stream:
            self._send(200, wire.whole(asked, say))
            return
        self._begin_stream()
        for event in wire.stream(asked, say):
            self._chunk(event)
        self.wfile.write(b"0\r\n\r\n")

    def _cut(self, wire: ModuleType, asked: Asked, say: Say) -> None:
        self.close_connection = True
        if asked.stream:
            self._begin_stream()
            self._first_half(wire, asked, say)
            return
        data = json.dumps(wire.whole(asked, say)).encode()
        self._head(200, len(data), {})
        self.wfile.write(data[: len(data) // 2])

    def _unfinished(self, wire: ModuleType, asked: Asked, say: Say) -> None:
        self._begin_stream()
        self._first_half(wire, asked, say)
        self.wfile.write(b"0\r\n\r\n")

    def _first_half(self, wire: ModuleType, asked: Asked, say: Say) -> None:
        events = list(wire.stream(asked, say))
        for event in events[: len(events) // 2]:
            self._chunk(event)

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _send(self, status: int, body: Any, **headers: str) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self._head(status, len(data), headers)
        self.wfile.write(data)

    def _head(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(length), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
