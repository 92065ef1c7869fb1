"""A small MCP server on loopback: one tool, one token, everything called is kept."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

from thoughtforge.agent_runtime.cli import Door

TOKEN = "door-token-0123456789"
TOOLS = [
    {
        "name": name,
        "description": f"To {name.replace('_', ' ')}.",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path"],
        },
    }
    for name in ("create_file", "delete_file")
]


class DoorServer:
    """Use as a context manager. `door` is what an agent is handed: of the two tools it may use one."""

    def __init__(self) -> None:
        self.called: list[tuple[str, dict[str, Any]]] = []
        """Tools and parameters, oldest first."""
        self.strangers = 0
        """Requests without the token."""
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def door(self) -> Door:
        return Door(f"http://127.0.0.1:{self._http.server_address[1]}/mcp", TOKEN, ("create_file",))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of one request."""
        if method == "initialize":
            info = {"name": "bridge", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
        if method == "tools/list":
            return {"tools": TOOLS}
        if method == "tools/call":
            self.called.append((params["name"], params["arguments"]))
            return {"content": [{"type": "text", "text": f"done: {params['name']}"}], "isError": False}
        return {}

    async def asgi(self, scope: Any, receive: Any, send: Any) -> None:
        """The same server inside another one, which asks for the token itself."""
        if scope["type"] != "http":
            for kind in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{kind}.complete"})
            return
        data, more = b"", scope["method"] == "POST"
        while more:
            message = await receive()
            data, more = data + message.get("body", b""), message.get("more_body", False)
        asked = json.loads(data or b"{}")
        status, body = 405 if not data else 200 if "id" in asked else 202, b""
        if status == 200:
            result = self.answer(asked["method"], asked.get("params", {}))
            body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: DoorServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, *_: Any) -> None:
        """Keep quiet: a test's output is the test's."""

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.headers.get("authorization") != f"Bearer {TOKEN}":
            self.server.owner.strangers += 1
            self._send(401)
            return
        asked = json.loads(data)
        if "id" not in asked:
            self._send(202)
            return
        result = self.server.owner.answer(asked["method"], asked.get("params", {}))
        self._send(200, {"jsonrpc": "2.0", "id": asked["id"], "result": result})

    def do_GET(self) -> None:
        self._send(405)

    def do_DELETE(self) -> None:
        self._send(405)

    def _send(self, status: int, body: dict[str, Any] | None = None) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
