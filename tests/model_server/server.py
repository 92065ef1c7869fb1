"""The server: one thread per connection, answers from a list or a function, everything asked is kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import ModuleType
from typing import Any, ClassVar, Self

from model_server import anthropic, google, openai, responses
from model_server.answers import (
    Answer,
    Broken,
    Fail,
    Foreign,
    Garbled,
    Hang,
    Html,
    Say,
    Stall,
    Unfinished,
    Use,
)
from model_server.asked import Asked
from model_server.pieces import event

Script = Callable[[Asked], Answer]


class ModelServer:
    """Use as a context manager. `urls[api]` is the base_url of each wire format."""

    def __init__(self, script: Iterable[Answer] | Script) -> None:
        self.asked: list[Asked] = []
        """Every request, oldest first."""
        self.tokens: list[tuple[int, int]] = []
        """What the answer to each request reported, as (input, output); (0, 0) when it reported nothing."""
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
        return {"openai": f"{root}/v1", "responses": f"{root}/v1", "anthropic": root, "google": root}

    @property
    def bytes(self) -> list[int]:
        """The size of each request's body."""
        return [asked.size for asked in self.asked]

    @property
    def input_tokens(self) -> int:
        return sum(given for given, _ in self.tokens)

    @property
    def output_tokens(self) -> int:
        return sum(made for _, made in self.tokens)

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
            self.tokens.append((isinstance(answer, Say | Use) and answer.usage) or (0, 0))
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
    formats: ClassVar[dict[str, ModuleType]] = {
        "/v1/chat/completions": openai,
        "/v1/messages": anthropic,
        "/responses": responses,
    }

    def log_message(self, *_: Any) -> None:
        """Keep quiet: a test's output is the test's."""

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        wire = self._format()
        if wire is None:
            self._send(404, {"error": {"message": f"there is nothing at {self.path}"}})
            return
        asked = wire.read(self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(data))
        self._answer(wire, asked, self.server.owner.decide(replace(asked, size=len(data))))

    def do_GET(self) -> None:
        self._send(404, {"error": {"message": f"there is nothing at {self.path}"}})

    def _format(self) -> ModuleType | None:
        path = self.path.partition("?")[0]
        if "enerateContent" in path:
            return google
        return next((wire for end, wire in self.formats.items() if path.endswith(end)), None)

    def _answer(self, wire: ModuleType, asked: Asked, answer: Answer) -> None:
        match answer:
            case Use():
                self._answer(wire, asked, answer.said)
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
            case Foreign():
                self._stream([event(answer.body)]) if asked.stream else self._send(200, answer.body)
            case _:
                self._break(answer, wire, asked)

    def _say(self, wire: ModuleType, asked: Asked, say: Say) -> None:
        if asked.stream:
            self._stream(wire.stream(asked, say))
        else:
            self._send(200, wire.whole(asked, say))

    def _break(self, answer: Broken, wire: ModuleType, asked: Asked) -> None:
        """Send a part of the answer, and end as badly as the script wants it."""
        say = Say(answer.text, (1, 1), calls=answer.calls)
        if asked.stream:
            events = list(wire.stream(asked, say))
            half = len(events) // 2
            broken = [events[half][: len(events[half]) // 2] + b"\n\n"] if isinstance(answer, Garbled) else []
            self._stream([*events[:half], *broken], ends=isinstance(answer, Garbled | Unfinished))
        else:
            data = json.dumps(wire.whole(asked, say)).encode()
            half = len(data) // 2
            self._head(200, half if isinstance(answer, Garbled) else len(data), {})
            self.wfile.write(data[:half])
        if isinstance(answer, Stall):
            self.server.owner.closing.wait(answer.seconds)
        self.close_connection = True

    def _stream(self, events: Iterable[bytes], *, ends: bool = True) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for data in events:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        if ends:
            self.wfile.write(b"0\r\n\r\n")

    def _send(self, status: int, body: Any, **headers: str) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self._head(status, len(data), headers)
        self.wfile.write(data)

    def _head(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(length), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
