"""An access token for Google: from a variable, or from a file with a service account or an OAuth login."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thoughtforge.integrations.http import INSTALL
from thoughtforge.kernel.errors import ThoughtForgeError
from thoughtforge.settings.environment import Machine

SCOPES = ("https://www.googleapis.com/auth/drive.readonly",)
SECONDS = 20
TOKEN_URI = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
"""Where Google exchanges logins."""


class NoToken(ThoughtForgeError):
    """There is no way to log in; the words say why."""


async def access_token(token_env: str | None, credentials: str | None, machine: Machine) -> str:
    """The token to show; a file of credentials is exchanged for one."""
    if token_env:
        token = machine.secret(token_env)
        if token is None:
            raise NoToken(f"the variable {token_env} is not set")
        return token
    if credentials is None:
        raise NoToken("no login is set up; set token_env or credentials_path")
    return await asyncio.to_thread(_from_file, machine.base / Path(credentials).expanduser())


def _from_file(path: Path) -> str:
    try:
        import google.auth.exceptions
        import httpx2
        from google.oauth2 import credentials, service_account
    except ImportError as error:
        raise NoToken(f"the library google-auth is missing. {INSTALL}") from error
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
        login = _login(info, service_account.Credentials, credentials.Credentials)
        if login is None:
            raise NoToken(f"{path.name} is neither a service account nor an authorized user")
        login.refresh(_exchange)
    except OSError as error:
        raise NoToken(f"{path.name} cannot be read ({error.strerror})") from error
    except google.auth.exceptions.RefreshError as error:
        raise NoToken(
            "Google refused the login: it has expired or was revoked. Create a new credentials file"
        ) from error
    except (ValueError, AttributeError, KeyError, google.auth.exceptions.GoogleAuthError) as error:
        raise NoToken(f"{path.name} is not a valid credentials file") from error
    except httpx2.HTTPError as error:
        raise NoToken("Google's login could not be reached") from error
    return str(login.token)


def _login(info: dict[str, Any], account: Any, person: Any) -> Any:
    """The login a file describes; google-auth itself would not keep to the address named in it."""
    if info.get("type") == "service_account":
        return account.from_service_account_info(info, scopes=SCOPES)
    if info.get("type") == "authorized_user":
        named = {key: info[key] for key in ("refresh_token", "client_id", "client_secret")}
        return person(None, **named, token_uri=info.get("token_uri", TOKEN_URI), scopes=SCOPES)
    return None


class _Reply:
    """What google-auth wants to see of an answer."""

    def __init__(self, status: int, headers: Mapping[str, str], data: bytes) -> None:
        self.status, self.headers, self.data = status, headers, data


def _exchange(url: str, method: str = "GET", body: Any = None, headers: Any = None, **_: Any) -> _Reply:
    """One request of google-auth, without the library it would bring along for that."""
    import httpx2

    near = url.startswith("http://127.0.0.1:")
    with httpx2.Client(timeout=SECONDS, trust_env=not near, follow_redirects=False) as client:
        said = client.request(method, url, content=body, headers=headers)
    return _Reply(said.status_code, said.headers, said.content)
