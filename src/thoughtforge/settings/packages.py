"""How this person reaches package indexes: what a set-up with network is given of their settings, and nothing else."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

_NAMES = re.compile(
    r"(PIP_(INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|CERT|TRUSTED_HOST|DEFAULT_TIMEOUT|NO_INDEX|CLIENT_CERT)"
    r"|UV_(INDEX_URL|EXTRA_INDEX_URL|DEFAULT_INDEX|INDEX|FIND_LINKS|NATIVE_TLS)"
    r"|(HTTPS?|NO|ALL)_PROXY|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS|NPM_CONFIG_REGISTRY"
    r"|GOPROXY|GONOSUMDB|GOSUMDB)",
    re.IGNORECASE,
)
_PLACES = re.compile(r"(?:file://)?(/[^\s'\"=]+)")
"""Folders of this machine that settings name, as a path or as a file:// address."""


class Access(NamedTuple):
    """What a set-up may use to fetch packages."""

    env: dict[str, str]
    files: tuple[Path, ...]


def package_access() -> Access:
    """The person's settings for pip, uv, npm and go, with the files and folders they name."""
    env = {name: value for name, value in os.environ.items() if _NAMES.fullmatch(name) and value}
    given = os.environ.get("PIP_CONFIG_FILE", "")
    own = [Path(given)] if given else [Path.home() / place for place in (".config/pip/pip.conf", ".pip/pip.conf")]
    own = [path for path in own if path.is_file()]
    if own:
        env["PIP_CONFIG_FILE"] = str(own[0])  # the set-up has another home
    files = [*own[:1], *(path for path in (Path("/etc/pip.conf"),) if path.is_file())]
    told = [*env.values(), *(path.read_text(encoding="utf-8", errors="replace") for path in files)]
    named = {Path(place) for text in told for place in _PLACES.findall(text) if not place.startswith("//")}
    # an index on this machine is a folder of links, often to files beside it
    named |= {place.parent for place in named if place.name == "simple"}
    return Access(env, tuple(sorted({*files, *(place for place in named if place.exists() and place != Path("/"))})))
