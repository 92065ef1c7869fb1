"""Notion's Markdown endpoint: pages in parts, and every refusal it documents."""

from __future__ import annotations

import re

from doubles.server import Asked, Said


class Notion:
    """Pages by id; a page may name the ids of the parts that come after it."""

    def __init__(self, token: str, pages: dict[str, tuple[str, tuple[str, ...]]]) -> None:
        self.token, self.pages = token, pages
        self.forbidden: set[str] = set()
        self.busy: set[str] = set()

    def __call__(self, asked: Asked) -> Said:
        if asked.headers.get("authorization") != f"Bearer {self.token}":
            return _wrong(401, "unauthorized", "API token is invalid.")
        if "notion-version" not in asked.headers:
            return _wrong(400, "missing_version", "Notion-Version header should be defined.")
        found = re.fullmatch(r"/v1/pages/([0-9a-f-]+)/markdown", asked.path)
        if found is None:
            return _wrong(400, "invalid_request_url", "Invalid request URL.")
        page = found[1]
        if page in self.forbidden:
            return _wrong(403, "restricted_resource", "Insufficient permissions for this endpoint.")
        if page in self.busy:
            return _wrong(429, "rate_limited", "You have been rate limited.")
        if page not in self.pages:
            return _wrong(404, "object_not_found", f"Could not find page with ID: {page}.")
        text, parts = self.pages[page]
        said = {"object": "page_markdown", "id": page, "markdown": text, "truncated": bool(parts)}
        return Said(200, {**said, "unknown_block_ids": list(parts)})


def _wrong(status: int, code: str, message: str) -> Said:
    return Said(status, {"object": "error", "status": status, "code": code, "message": message})
