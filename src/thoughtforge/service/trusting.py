"""Allow the settings of a repository's config.yaml, take that back, or write settings of one's own."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from thoughtforge.service.app import App
from thoughtforge.settings.config import Config, parse
from thoughtforge.settings.environment import find_repository
from thoughtforge.settings.trust import Trust, place
from thoughtforge.settings.trust_table import why


def allow(app: App) -> None:
    """Record exactly the settings that were read as trusted."""
    trust = app.loaded.trust
    if trust.keys:
        app.trust.write(place(trust.path), text=trust.text, by=app.who, at=app.clock())


def revoke(app: App) -> bool:
    """Take trust back; whether there was any."""
    return app.trust.remove(place(app.loaded.path))


def save_config(app: App, text: str) -> App:
    """Write a person's own config.yaml and trust it; settings they have not trusted before stay so.

    Answers the program with the new configuration.
    """
    before = app.loaded
    written = parse(text, source=str(before.path))
    draft = before.path.with_name(".config.yaml.draft")
    draft.unlink(missing_ok=True)
    with draft.open("x", encoding="utf-8") as file:  # never through a link the repository brought along
        file.write(text)
    draft.replace(before.path)
    after = app.anew()
    if before.trust.in_effect and after.loaded.declared == written:  # not what somebody else put there meanwhile
        allow(after)
        return after.anew()
    return after


def difference(trust: Trust) -> str:
    """What changed since a person trusted these settings; empty when they never did."""
    if trust.before is None or trust.before == trust.text:
        return ""
    old, new = trust.before.splitlines(), trust.text.splitlines()
    return "\n".join(difflib.unified_diff(old, new, "trusted before", "now", lineterm=""))


def named_files(trust: Trust) -> tuple[str, ...]:
    """Files of the repository that the settings name: the digest covers their path, not what is in them."""
    root = find_repository(trust.path.absolute().parent)
    if root is None:
        return ()
    bases = (trust.path.parent, root)
    found = (base / text for text in _texts(yaml.safe_load(trust.text)) for base in bases)
    return tuple(sorted({str(file) for file in found if _is_file_in(file, root)}))


def _is_file_in(file: Path, root: Path) -> bool:
    try:
        return file.is_file() and file.resolve().is_relative_to(root.resolve())
    except (OSError, ValueError):  # a text that cannot be a path
        return False


def _texts(value: Any) -> Iterator[str]:
    """Every text in it, once: an alias in YAML may lead back to itself, or to the same thing a billion times."""
    waiting, seen = [value], set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list) and id(one) not in seen:
            seen.add(id(one))
            waiting += one.values() if isinstance(one, dict) else one


class TrustView(NamedTuple):
    """The settings of a repository that need a person's trust, and whether they have it."""

    path: str
    trusted: bool
    by: str | None
    keys: tuple[str, ...]
    why: dict[str, str]
    settings: str
    diff: str
    files: tuple[str, ...]
    problems: tuple[str, ...]
    digest: str | None


def trust_view(trust: Trust) -> TrustView:
    """What `thoughtforge trust` shows."""
    return TrustView(
        path=str(trust.path),
        trusted=trust.in_effect,
        by=trust.allowed_by or None,
        keys=tuple(trust.keys),
        why={key: why(key) for key in trust.keys},
        settings=trust.text,
        diff=difference(trust),
        files=named_files(trust),
        problems=tuple(trust.wrong),
        digest=trust.digest if trust.keys else None,
    )


def after_allowing(app: App) -> TrustView:
    """What was allowed is what was shown, also when the file has changed meanwhile."""
    return trust_view(app.loaded.trust._replace(allowed_by=app.who))


class ConfigView(NamedTuple):
    """The effective configuration, with every default filled in."""

    path: str
    trusted: bool
    config: dict[str, Any]
    created: bool
    waiting: tuple[str, ...]
    """Settings that have no effect until the person trusts them."""


def config_view(app: App, *, defaults: bool = False) -> ConfigView:
    """What holds here, or what holds when nothing is set."""
    loaded = app.loaded
    config = Config() if defaults else loaded.config
    waiting = () if loaded.trust.in_effect else tuple(loaded.trust.keys)
    data = config.model_dump(mode="json")
    return ConfigView(str(loaded.path), loaded.trust.in_effect, data, loaded.created, waiting)
