"""Google Drive: what an address means, folders, kinds of files, and the two ways to log in by a file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from doubles import Server
from doubles.drive import DOCUMENT, FOLDER, SHEET, Drive, File
from thoughtforge.connectors.google_drive import Options, pull, target_id
from thoughtforge.integrations.http import FetchedDocument, Pulled
from thoughtforge.settings.environment import Machine

ID, TOKEN = "1abcDEF_-23456789", "token-0123456789"


@pytest.mark.parametrize(
    ("url", "target"),
    [
        (f"https://docs.google.com/document/d/{ID}/edit", ID),
        (f"https://docs.google.com/document/u/0/d/{ID}/edit#heading=h.1", ID),
        (f"https://docs.google.com/spreadsheets/d/{ID}", ID),
        (f"https://drive.google.com/file/d/{ID}/view?usp=sharing", ID),
        (f"https://drive.google.com/open?id={ID}", ID),
        (f"https://drive.google.com/drive/u/1/folders/{ID}?usp=drive_link", ID),
        (ID, ID),
        ("https://docs.google.com/document/", None),
        ("https://drive.google.com/open?id=short", None),
        ("https://[half", None),
    ],
)
def test_the_target_of_an_address(url: str, target: str | None) -> None:
    assert target_id(url) == target


def answer(double: Drive, url: str, folder: Path, **options: Any) -> Pulled:
    with Server(double) as server:
        given = Options.model_validate({"base_url": server.url, "token_env": "A_TOKEN", **options})
        return asyncio.run(pull(url, given, Machine({"A_TOKEN": TOKEN}.get, folder)))


def test_every_document_of_a_folder_is_brought_and_the_rest_named(tmp_path: Path) -> None:
    files = {
        "folder-0001": File(FOLDER),
        "document-01": File(DOCUMENT, "# One", "folder-0001"),
        "sheet-00001": File(SHEET, "a,b", "folder-0001"),
        "notes-00001": File("text/markdown", "# Notes", "folder-0001"),
        "video-00001": File("video/mp4", "", "folder-0001"),
        "folder-0002": File(FOLDER, "", "folder-0001"),
        "elsewhere-1": File(DOCUMENT, "# Other", "folder-0002"),
    }
    assert answer(Drive(TOKEN, files), "folder-0001", tmp_path) == Pulled(
        (
            FetchedDocument("gdrive_document-01.md", b"# One"),
            FetchedDocument("gdrive_sheet-00001.csv", b"a,b"),
            FetchedDocument("gdrive_notes-00001.md", b"# Notes"),
        ),
        (
            "Google Drive video-00001 is not a document (video/mp4) and was skipped.",
            f"Google Drive folder-0002 is not a document ({FOLDER}) and was skipped.",
        ),
    )


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    told = "Google Drive folder folder-0001 is empty, or nothing in it is shared."
    assert answer(Drive(TOKEN, {"folder-0001": File(FOLDER)}), "folder-0001", tmp_path) == Pulled(failed=(told,))


def test_a_document_above_the_limit_of_google_is_told(tmp_path: Path) -> None:
    double = Drive(TOKEN, {ID: File(DOCUMENT)})
    double.large = {ID}
    told = f"Google Drive {ID} is too large to export (Google's limit is 10 MB)."
    assert answer(double, ID, tmp_path) == Pulled(failed=(told,))


def credentials(kind: str, token_uri: str) -> dict[str, str]:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    if kind == "authorized_user":
        names = {"client_id": "c", "client_secret": "s", "refresh_token": "r"}
        return {"type": kind, **names, "token_uri": token_uri}
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.PKCS8
    text = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()
    return {"type": kind, "client_email": "forge@example.org", "private_key": text, "token_uri": token_uri}


@pytest.mark.parametrize("kind", ["service_account", "authorized_user"])
def test_a_file_of_credentials_is_exchanged_for_a_token(tmp_path: Path, kind: str) -> None:
    double = Drive(TOKEN, {ID: File(DOCUMENT, "# One")})
    with Server(double) as server:
        (tmp_path / "login.json").write_text(json.dumps(credentials(kind, f"{server.url}/token")))
        options = Options(base_url=server.url, credentials_path="login.json")
        machine = Machine(lambda name: None, tmp_path)
        found = asyncio.run(pull(ID, options, machine))
        double.withdrawn = True
        refused = asyncio.run(pull(ID, options, machine))
    assert found == Pulled((FetchedDocument(f"gdrive_{ID}.md", b"# One"),))
    why = "Google refused the login: it has expired or was revoked. Create a new credentials file"
    assert refused == Pulled(failed=(f"Google Drive {ID}: {why}.",))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{}", "login.json is neither a service account nor an authorized user"),
        ("[]", "login.json is not a valid credentials file"),
        ("no json", "login.json is not a valid credentials file"),
        ('{"type": "authorized_user"}', "login.json is not a valid credentials file"),
        ('{"type": "service_account"}', "login.json is not a valid credentials file"),
        (None, "login.json cannot be read (No such file or directory)"),
    ],
)
def test_a_file_that_is_no_login_is_named(tmp_path: Path, text: str | None, why: str) -> None:
    if text is not None:
        (tmp_path / "login.json").write_text(text)
    told = answer(Drive(TOKEN, {}), ID, tmp_path, token_env=None, credentials_path="login.json")
    assert told == Pulled(failed=(f"Google Drive {ID}: {why}.",))


def test_without_a_login_it_says_what_to_set(tmp_path: Path) -> None:
    told = answer(Drive(TOKEN, {}), ID, tmp_path, token_env=None)
    why = "no login is set up; set token_env or credentials_path"
    assert told == Pulled(failed=(f"Google Drive {ID}: {why}.",))
