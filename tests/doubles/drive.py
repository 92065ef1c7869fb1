"""Google Drive as far as reading goes: facts, folders, export, media; and Google's exchange of logins."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qs

from doubles.server import Asked, Said

DOCUMENT = "application/vnd.google-apps.document"
SHEET = "application/vnd.google-apps.spreadsheet"
FOLDER = "application/vnd.google-apps.folder"
EXPORTED = {DOCUMENT: "text/markdown", SHEET: "text/csv"}


class File(NamedTuple):
    """One file of the double."""

    kind: str
    text: str = ""
    parent: str = ""


class Drive:
    """Files by id. Every page of a listing has two files, so that nobody forgets the next page."""

    def __init__(self, token: str, files: dict[str, File]) -> None:
        self.token, self.files = token, files
        self.forbidden: set[str] = set()
        self.large: set[str] = set()
        self.withdrawn = False

    def __call__(self, asked: Asked) -> Said:
        if asked.path == "/token":
            return self._exchange(asked)
        if asked.headers.get("authorization") != f"Bearer {self.token}":
            return _wrong(401, "Request had invalid authentication credentials.")
        if asked.path == "/drive/v3/files":
            return self._list(asked)
        found = re.fullmatch(r"/drive/v3/files/([A-Za-z0-9_-]+)(/export)?", asked.path)
        if found is None or found[1] not in self.files:
            return _wrong(404, "File not found.")
        if found[1] in self.forbidden:
            return _wrong(403, "The user does not have sufficient permissions for this file.")
        return self._file(found[1], asked, export=bool(found[2]))

    def _exchange(self, asked: Asked) -> Said:
        form = parse_qs(asked.body.decode())
        known = ("urn:ietf:params:oauth:grant-type:jwt-bearer", "refresh_token")
        if self.withdrawn or form["grant_type"][0] not in known:
            return Said(400, {"error": "invalid_grant", "error_description": "Token has been expired or revoked."})
        return Said(200, {"access_token": self.token, "expires_in": 3600, "token_type": "Bearer"})

    def _list(self, asked: Asked) -> Said:
        (folder,) = re.findall(r"^'([^']+)' in parents", asked.query["q"])
        inside = [(name, file) for name, file in self.files.items() if file.parent == folder]
        begin = int(asked.query.get("pageToken", "0"))
        rows = [{"id": name, "name": name, "mimeType": file.kind} for name, file in inside[begin : begin + 2]]
        more = {"nextPageToken": str(begin + 2)} if begin + 2 < len(inside) else {}
        return Said(200, {"files": rows, **more})

    def _file(self, name: str, asked: Asked, *, export: bool) -> Said:
        file = self.files[name]
        if export:
            if name in self.large:
                return _wrong(403, "This file is too large to be exported.")
            if EXPORTED.get(file.kind) != asked.query["mimeType"]:
                return _wrong(400, "The requested conversion is not supported.")
            return Said(200, file.text.encode())
        if asked.query.get("alt") == "media":
            return Said(200, file.text.encode())
        return Said(200, {"id": name, "name": name, "mimeType": file.kind})


def _wrong(code: int, message: str) -> Said:
    return Said(code, {"error": {"code": code, "message": message}})
