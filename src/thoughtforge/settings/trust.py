"""Which settings of a repository's config.yaml a person has allowed. Everything else in it is as if it were not there.

Only a file that lies in a git repository needs trust: it may come from somebody else. A digest stands for the very text
a person was shown; see docs/design/trust.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from thoughtforge.kernel.errors import Mistake
from thoughtforge.settings.environment import find_repository
from thoughtforge.settings.trust_store import TrustStore
from thoughtforge.settings.trust_table import is_free, is_section, why

Settings = dict[str, Any]


class Split(NamedTuple):
    """Settings in two halves: those that need no trust, and those that do."""

    free: Settings
    sensitive: Settings


class Trust(NamedTuple):
    """How the sensitive settings of a file stand."""

    path: Path
    keys: tuple[str, ...] = ()
    """What needs trust here; empty when nothing does."""
    text: str = ""
    """The settings as they are shown; the digest is this text's."""
    allowed_by: str = ""
    """Who allowed them; empty when nobody did."""
    before: str | None = None
    """What a person trusted here before, to show the difference."""
    wrong: tuple[str, ...] = ()
    """What else a person should know: a record that cannot be used, a digest that does not fit."""

    @property
    def digest(self) -> str:
        """The digest of the settings."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def in_effect(self) -> bool:
        """Whether all settings of the file count."""
        return not self.keys or bool(self.allowed_by)

    def require(self) -> None:
        """Stop whoever needs the settings that are not in effect."""
        if self.in_effect:
            return
        changed = " changed after you trusted them and" if self.before is not None else ""
        raise Mistake(
            f"settings in {self.path}{changed} take effect only when you trust them: {', '.join(self.keys)}",
            do=f"Read them, then allow them: thoughtforge trust (in CI: THOUGHTFORGE_TRUST={self.digest})",
            details=(*(f"{key}: {why(key)}" for key in self.keys), *self.wrong),
        )


def split(data: Mapping[str, Any], defaults: Mapping[str, Any], *, path: str = "") -> Split:
    """Part the settings; one that says what holds anyway changes nothing and needs no trust."""
    parts = Split({}, {})
    for key, value in data.items():
        here = f"{path}{key}"
        if isinstance(value, dict) and is_section(here):
            inner = split(value, defaults.get(key) or {}, path=f"{here}.")
            parts.free[key] = inner.free
            parts.sensitive.update({key: inner.sensitive} if inner.sensitive else {})
        elif is_free(here) or (key in defaults and value == defaults[key]):
            parts.free[key] = value
        else:
            parts.sensitive[key] = value
    return parts


def judge(path: Path, sensitive: Settings, store: TrustStore) -> Trust:
    """How these settings of this file stand."""
    keys = tuple(_keys(sensitive, ""))
    if not keys or not in_repository(path):
        return Trust(path)
    found = store.read(place(path))
    trust = Trust(path, keys, shown(sensitive), before=found.text, wrong=found.wrong)
    if store.given:
        if store.given == trust.digest:
            return trust._replace(allowed_by="THOUGHTFORGE_TRUST")
        told = f"THOUGHTFORGE_TRUST is {store.given[:80]}, these settings have {trust.digest}"
        trust = trust._replace(wrong=(*trust.wrong, told))
    return trust._replace(allowed_by=found.by) if found.text == trust.text else trust


def shown(sensitive: Settings) -> str:
    """The settings as plain ASCII, in one order: whatever a value holds, a terminal shows it and does not obey it."""
    return yaml.safe_dump(sensitive, sort_keys=True, allow_unicode=False, width=1000, default_flow_style=False)


def place(path: Path) -> Path:
    """What trust is kept under: the folder's real path, since paths in the file start there, and the file's name."""
    return path.parent.resolve() / path.name


def in_repository(path: Path) -> bool:
    """Whether a file lies in a git repository, by the path that was taken or by where links lead."""
    return any(find_repository(one.parent) is not None for one in (path.absolute(), path.resolve()))


def _keys(settings: Settings, path: str) -> Iterator[str]:
    for key, value in settings.items():
        here = f"{path}{key}"
        if isinstance(value, dict) and is_section(here):
            yield from _keys(value, f"{here}.")
        else:
            yield here
