"""Google as a logged-in Gemini CLI meets it: the login is checked over TLS, then Code Assist is asked over loopback."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, Self

LOGIN = {
    "access_token": "dummy-access-token",
    "refresh_token": "dummy-refresh-token",
    "token_type": "Bearer",
    "scope": "https://www.googleapis.com/auth/cloud-platform",
    "expiry_date": 4_102_444_800_000,
}
HOSTS = ("oauth2.googleapis.com", "www.googleapis.com")


class Request(NamedTuple):
    """One request, to whichever of the two."""

    path: str
    login: str
    body: Any


class GoogleLogin:
    """Use as a context manager. `env` leads the agent to it, `url` is Code Assist."""

    def __init__(self, text: str, usage: tuple[int, int]) -> None:
        self.asked: list[Request] = []
        """Every request, oldest first."""
        self.reached: set[str] = set()
        """The hosts a way was asked to."""
        self.text, self.usage = text, usage
        self._folder = tempfile.TemporaryDirectory(prefix="google-")
        self.place = Path(self._folder.name)
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def env(self) -> dict[str, str]:
        return {"HTTPS_PROXY": self.url, "NODE_EXTRA_CA_CERTS": str(self.place / "ca.pem")}

    def __enter__(self) -> Self:
        certify(self.place)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        self._folder.cleanup()

    def answer(self, path: str) -> dict[str, Any]:
        """What Google says to everything but the prompt itself."""
        if path.endswith(":loadCodeAssist"):
            return {"currentTier": {"id": "free-tier", "name": "free"}, "cloudaicompanionProject": "a-project"}
        if path == "/tokeninfo":
            return {"expires_in": 3000, "scope": LOGIN["scope"], "aud": "gemini"}
        return {"email": "person@example.org"} if path.endswith("/userinfo") else {}

    def reply(self) -> dict[str, Any]:
        """The answer of the model, in Code Assist's envelope."""
        given, made = self.usage
        content = {"role": "model", "parts": [{"text": self.text}]}
        counts = {"promptTokenCount": given, "candidatesTokenCount": made, "totalTokenCount": given + made}
        candidate = {"index": 0, "content": content, "finishReason": "STOP"}
        return {"response": {"candidates": [candidate], "modelVersion": "gemini-2.5-pro", "usageMetadata": counts}}


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: GoogleLogin


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, *_: Any) -> None:
        """Keep quiet: a test's output is the test's."""

    def do_CONNECT(self) -> None:
        owner = self.server.owner
        owner.reached.add(self.path.rpartition(":")[0])
        self.send_response(200)
        self.end_headers()
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(owner.place / "server.pem", owner.place / "server.key")
        with tls.wrap_socket(self.connection, server_side=True) as inside:
            _Inside(inside, self.client_address, self.server)
        self.close_connection = True

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        owner = self.server.owner
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path.partition("?")[0]
        body = json.loads(data) if data.startswith(b"{") else None
        owner.asked.append(Request(path, self.headers.get("authorization", ""), body))
        if path.endswith(":streamGenerateContent"):
            self._send(f"data: {json.dumps(owner.reply())}\n\n".encode(), "text/event-stream")
        else:
            self._send(json.dumps(owner.answer(path)).encode(), "application/json")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _Inside(_Handler):
    """What comes through the tunnel."""

    def setup(self) -> None:
        self.connection: socket.socket = self.request
        self.rfile = self.connection.makefile("rb", -1)
        self.wfile = self.connection.makefile("wb", 0)


def certify(place: Path) -> None:
    """An authority of our own and a certificate for Google's two hosts, for this test only."""
    names = ",".join(f"DNS:{host}" for host in HOSTS)
    request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    _made(place, *request, "-subj", "/CN=tests", "-keyout", "ca.key", "-out", "ca.pem")
    _made(
        place,
        *request,
        *("-CA", "ca.pem", "-CAkey", "ca.key", "-subj", f"/CN={HOSTS[0]}", "-addext", f"subjectAltName={names}"),
        *("-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "server.key", "-out", "server.pem"),
    )


def _made(place: Path, *argv: str) -> None:
    subprocess.run(argv, cwd=place, check=True, capture_output=True)
