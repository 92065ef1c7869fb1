"""Brings Google documents as Markdown, one by one or all of a folder."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from thoughtforge.integrations.google_token import NoToken, access_token
from thoughtforge.integrations.http import FetchedDocument, HttpResponse, NoAnswer, Pulled, ask, failure
from thoughtforge.kernel.model import Value
from thoughtforge.settings.environment import Machine
from thoughtforge.settings.outside import checked

HOSTS = ("docs.google.com", "drive.google.com")
ID = re.compile(r"[A-Za-z0-9_-]{10,100}")
IN_PATH = re.compile(r"/(?:d|folders)/([A-Za-z0-9_-]{10,100})(?:/|$)")
FOLDER = "application/vnd.google-apps.folder"
EXPORTS = {
    "application/vnd.google-apps.document": ("text/markdown", ".md"),
    "application/vnd.google-apps.spreadsheet": ("text/csv", ".csv"),
    "application/vnd.google-apps.presentation": ("text/plain", ".txt"),
}
"""A kind of Google's own → what it is exported as, and the ending it is kept under."""
FILES = {
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/csv": ".csv",
}
"""Kinds that are fetched as they are."""
MOST_FILES = 100


class Options(Value):
    """`connectors.google_drive`."""

    token_env: str | None = None
    """The variable that holds an OAuth access token."""
    credentials_path: str | None = None
    """A file with a service account, or with an OAuth login (authorized user); its content never enters config.yaml."""
    pages: Annotated[
        tuple[str, ...], BeforeValidator(lambda given: tuple(given) if isinstance(given, list) else given)
    ] = ()
    """URLs or ids of documents and folders that every task receives."""
    base_url: Annotated[str, AfterValidator(checked)] = "https://www.googleapis.com"
    """The address of the API."""
    seconds: float = Field(default=30, gt=0, le=120)
    """The time limit of one request."""


class _Drive:
    """One conversation with Drive."""

    def __init__(self, options: Options, token: str) -> None:
        self.options = options
        self.token = token

    async def get(self, path: str, **params: str) -> HttpResponse:
        """Ask for a path below the files."""
        place = f"{self.options.base_url.rstrip('/')}/drive/v3/files{path}"
        headers = {"Authorization": f"Bearer {self.token}"}
        return await ask("GET", place, headers=headers, params=params, seconds=self.options.seconds)


def matches(url: str) -> bool:
    """Whether an address is one of Google's documents or Drive."""
    return (urlsplit(url).hostname or "").lower() in HOSTS


async def pull(url: str, options: Options, machine: Machine) -> Pulled:
    """The document behind an address or id, or every document of a folder."""
    target = target_id(url)
    if target is None:
        return failure(f"Could not parse URL: '{url}' names no Google document or folder. Copy its link from Drive.")
    try:
        token = await access_token(options.token_env, options.credentials_path, machine)
        drive = _Drive(options, token)
        said = await drive.get(f"/{target}", fields="id,name,mimeType", supportsAllDrives="true")
        if said.status != 200:
            return failure(_why(said, target))
        if said.field("mimeType") == FOLDER:
            return await _folder(drive, target)
        return await _document(drive, target, str(said.field("mimeType")))
    except (NoToken, NoAnswer) as problem:
        return failure(f"Google Drive {target}: {problem}.")


def target_id(url: str) -> str | None:
    """The id in an address, or the id itself."""
    if ID.fullmatch(url):
        return url
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    found = IN_PATH.search(parts.path)
    given = parse_qs(parts.query).get("id", [""])[0]
    return found[1] if found else given if ID.fullmatch(given) else None


async def _folder(drive: _Drive, folder: str) -> Pulled:
    """Every document directly in a folder; folders in it are named, not entered."""
    files: list[dict[str, str]] = []
    page = ""
    while True:
        more = {"pageToken": page} if page else {}
        query = f"'{folder}' in parents and trashed = false"
        shared = {"supportsAllDrives": "true", "includeItemsFromAllDrives": "true"}
        said = await drive.get("", q=query, fields="nextPageToken,files(id,name,mimeType)", **shared, **more)
        if said.status != 200:
            return failure(_why(said, folder))
        files += [one for one in said.field("files") or () if ID.fullmatch(str(one.get("id", "")))]
        page = str(said.field("nextPageToken") or "")
        if not page or len(files) > MOST_FILES:
            break
    pulled = [await _document(drive, one["id"], str(one.get("mimeType"))) for one in files[:MOST_FILES]]
    failed = [sentence for one in pulled for sentence in one.failed]
    if len(files) > MOST_FILES:
        failed.append(f"Google Drive folder {folder}: only the first {MOST_FILES} files were read.")
    if not files:
        failed.append(f"Google Drive folder {folder} is empty, or nothing in it is shared.")
    return Pulled(tuple(document for one in pulled for document in one.documents), tuple(failed))


async def _document(drive: _Drive, target: str, kind: str) -> Pulled:
    if kind in EXPORTS:
        wanted, ending = EXPORTS[kind]
        said = await drive.get(f"/{target}/export", mimeType=wanted)
    elif kind in FILES:
        ending = FILES[kind]
        said = await drive.get(f"/{target}", alt="media", supportsAllDrives="true")
    else:
        return failure(f"Google Drive {target} is not a document ({kind}) and was skipped.")
    if said.status != 200:
        return failure(_why(said, target))
    return Pulled((FetchedDocument(f"gdrive_{target}{ending}", said.body),))


def _why(said: HttpResponse, target: str) -> str:
    """What went wrong, in words that say what to do."""
    error = said.field("error")
    reason = str(error.get("message", "")) if isinstance(error, dict) else ""
    if said.status == 401:
        return "Google Drive refused the login: the token is wrong or expired. Get a new one."
    if said.status == 403 and "too large" in reason:
        return f"Google Drive {target} is too large to export (Google's limit is 10 MB)."
    if said.status == 403:
        return f"Google Drive {target}: no access. Share it with the connector's account."
    if said.status == 404:
        return f"Google Drive {target} was not found: it was deleted, or is not shared with the connector's account."
    return f"Google Drive {target}: Drive answered {said.status}: {reason or 'without a reason'}."
