"""How packages are reached on this machine: the person's own settings for indexes, proxies and certificates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

VARIABLES = (r"(HTTP|HTTPS|ALL|NO)_PROXY", r"SSL_CERT_(FILE|DIR)", r"CURL_CA_BUNDLE")
"""Patterns of variables that concern every package manager; each language adds its own."""
LOCAL = re.compile(r"file://[^\s,]+|(?<![\w:/.])/[^\s,'\"]+")


class PackageIndex(NamedTuple):
    """What the box of a set-up is given so that packages can be reached from it."""

    env: Mapping[str, str] = {}
    """Variables such as PIP_INDEX_URL, UV_INDEX_URL, HTTPS_PROXY, PIP_CONFIG_FILE."""
    files: tuple[Path, ...] = ()
    """Files and folders they name, read-only there."""


NO_ACCESS = PackageIndex()


def access(variables: Mapping[str, str], *, home: Path, system: Path = Path("/etc")) -> PackageIndex:
    """What of an environment concerns packages, with the files it and the package managers' own settings name."""
    from thoughtforge.testing.language import dependency_rules  # a command that installs nothing needs no language

    rules = dependency_rules()
    wanted = re.compile("|".join([*VARIABLES, *(each for rule in rules for each in rule.variables)]), re.IGNORECASE)
    elsewhere = {name for rule in rules for name in rule.own_places}
    env = {
        name: value
        for name, value in variables.items()
        if wanted.fullmatch(name) and name.upper() not in elsewhere and value
    }
    used: list[Path] = []
    for rule in rules:
        if rule.reached is not None:
            more = rule.reached(env, home, system)
            env |= more.env
            used += more.files
    texts = [*env.values(), *(path.read_text(encoding="utf-8", errors="replace") for path in used)]
    return PackageIndex(env, tuple(dict.fromkeys([*used, *_places(texts)])))


def _places(texts: Iterable[str]) -> Iterator[Path]:
    """Everything on this machine that settings name and that is there; never the root itself."""
    for text in texts:
        for found in LOCAL.findall(text):
            path = Path(unquote(urlsplit(found).path) if found.startswith("file:") else found)
            while not path.exists():
                path = path.parent
            if path.name == "simple":
                path = path.parent  # an index on disk keeps its packages beside it
            if len(path.parts) > 2 or path.is_file():
                yield path
