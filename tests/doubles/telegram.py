"""The bot interface of Telegram, as far as sending a message goes."""

from __future__ import annotations

from typing import Any

from doubles.server import Asked, Said


class Telegram:
    """One bot that may write to one chat; `limited` makes it ask for patience."""

    def __init__(self, token: str, chat: int, *, limited: bool = False) -> None:
        self.token, self.chat, self.limited = token, chat, limited
        self.sent: list[dict[str, Any]] = []

    def __call__(self, asked: Asked) -> Said:
        if not asked.path.startswith(f"/bot{self.token}/"):
            return _wrong(401 if asked.path.startswith("/bot") else 404, "Unauthorized")
        if self.limited:
            return _wrong(429, "Too Many Requests: retry after 5")
        given = asked.json
        if str(given["chat_id"]) != str(self.chat):
            return _wrong(400, "Bad Request: chat not found")
        if len(given["text"].encode("utf-16-le")) // 2 > 4096:
            return _wrong(400, "Bad Request: message is too long")
        self.sent.append(given)
        return Said(200, {"ok": True, "result": {"message_id": len(self.sent), "text": given["text"]}})


def _wrong(code: int, description: str) -> Said:
    return Said(code, {"ok": False, "error_code": code, "description": description})
