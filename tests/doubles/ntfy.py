"""An ntfy server in its two publish forms, with its error codes and its trap for long messages."""

from __future__ import annotations

import re
from typing import Any

from doubles.server import Asked, Said

LONGEST = 4096


class Ntfy:
    """Keeps what was published, by topic. `token` makes it ask for one."""

    def __init__(self, token: str = "") -> None:
        self.token = token
        self.published: dict[str, list[dict[str, Any]]] = {}

    def __call__(self, asked: Asked) -> Said:
        if self.token and asked.headers.get("authorization") != f"Bearer {self.token}":
            return _wrong(401, 40101, "unauthorized")
        if asked.path == "/v1/health":
            return Said(200, {"healthy": True})
        if asked.method == "POST" and asked.path == "/":
            return self._publish(asked.json)
        found = re.fullmatch(r"/([-_A-Za-z0-9]{1,64})", asked.path)
        if asked.method == "POST" and found:
            names = {"topic": found[1], "message": asked.body.decode(), "title": asked.headers.get("title", "")}
            return self._publish({**names, "priority": int(asked.headers.get("priority", "3"))})
        return _wrong(404, 40401, "page not found")

    def _publish(self, given: dict[str, Any]) -> Said:
        if not re.fullmatch(r"[-_A-Za-z0-9]{1,64}", str(given.get("topic", ""))):
            return _wrong(400, 40009, "invalid request: topic invalid")
        if given.get("priority", 3) not in range(1, 6):
            return _wrong(400, 40007, "invalid request: priority invalid")
        message = given.get("message", "")
        if len(message.encode()) > LONGEST:
            message = "You received a file: attachment.txt"
        kept = {"event": "message", **given, "message": message}
        self.published.setdefault(given["topic"], []).append(kept)
        return Said(200, kept)


def _wrong(status: int, code: int, error: str) -> Said:
    return Said(status, {"code": code, "http": status, "error": error, "link": "https://ntfy.sh/docs/publish/"})
