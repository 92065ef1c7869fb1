"""What of a login an agent may give back: renewed tokens and their times, in the same shape, for the same account.

An agent can write anything into the file. So nothing is taken over as it lies there: the person's own login is kept,
and only tokens and times are put into it. Whatever else differs makes it another login, and that is refused.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

TOKENS = frozenset({"accesstoken", "refreshtoken", "idtoken", "access", "refresh", "token"})
TIMES = frozenset(
    {"expiresat", "expiresin", "expires", "expiry", "expirydate", "lastrefresh"}
    | {"refreshtokenexpiresat", "refreshtokenexpiresin"}
)
TOLD = frozenset({"scope", "scopes", "tokentype", "subscriptiontype", "ratelimittier"})
"""What a server says about a login beside it: the person's is kept, and a difference means nothing."""
KEYS = frozenset({"key", "apikey", "openaiapikey"})
"""Credentials that are never renewed."""
WHO = ("iss", "sub")
"""What in a token that can be read says whose it is."""
LONGEST = 64 * 1024

Json = dict[str, Any]


def parsed(data: bytes) -> Json | None:
    """The JSON object a login file is; None for anything else."""
    try:
        found = json.loads(data, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def part(login: Json, parts: tuple[str, ...]) -> Json:
    """What of a login an agent needs: these entries of the file, or all of it when none is named."""
    return {name: value for name, value in login.items() if name in parts} if parts else login


def usable(login: Any) -> bool:
    """Whether there is a token or a key in it at all."""
    if not isinstance(login, Mapping):
        return False
    known = TOKENS | KEYS
    return any(
        bool(value.strip()) if isinstance(value, str) and _plain(name) in known else usable(value)
        for name, value in login.items()
    )


def renewed(before: Json, after: Json) -> Json | str:
    """The login with its renewed tokens; in words why it is none when anything else was changed."""
    problems = list(_differences(before, after, ""))
    return problems[0] if problems else _with_tokens(before, after)


def written(login: Json, like: bytes) -> bytes:
    """The login as text, laid out like the file it goes into."""
    return json.dumps(login, ensure_ascii=False, indent=2 if b"\n" in like.strip() else None).encode()


def _differences(before: Json, after: Json, above: str) -> Iterator[str]:
    for name in [*before, *(name for name in after if name not in before)]:
        where, plain = f"{above}{name}"[:80], _plain(name)
        if plain in TOLD or (plain in TOKENS | TIMES and name not in after):
            continue
        if name not in after:
            yield f"{where} is missing"
        elif name not in before:
            if plain not in TIMES or not _is_time(after[name]):
                yield f"{where} is new"
        elif isinstance(before[name], dict) and isinstance(after[name], dict):
            yield from _differences(before[name], after[name], f"{where}.")
        elif not _same(plain, before[name], after[name]):
            yield f"{where} is different"


def _same(plain: str, before: Any, after: Any) -> bool:
    if plain in TOKENS:
        return isinstance(before, str) and _is_token(after) and _whose(before) == _whose(after)
    if plain in TIMES:
        return _is_time(after)
    return type(before) is type(after) and bool(before == after)


def _with_tokens(before: Json, after: Json) -> Json:
    merged = dict(before)
    for name, value in after.items():
        plain = _plain(name)
        if plain in TOKENS | TIMES:
            merged[name] = value
        elif isinstance(value, dict) and plain not in TOLD:
            merged[name] = _with_tokens(before[name], value)
    return merged


def _whose(token: str) -> dict[str, Any]:
    """Issuer and subject of a token that is a JWT; nothing for one that cannot be read."""
    body = token.split(".")[1] if token.count(".") == 2 else ""
    try:
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (ValueError, RecursionError):
        return {}
    return {name: claims[name] for name in WHO if name in claims} if isinstance(claims, dict) else {}


def _is_token(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST and value.isascii() and value.isprintable()


def _is_time(value: Any) -> bool:
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or numeric or (isinstance(value, str) and len(value) <= 64 and value.isprintable())


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")
