"""Run inside a cage: tries everything an agent must not be able to do, and says what came of it as one line of JSON.

Standard library only. What to try is in places.json beside this file.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener


def tried(attempt: Callable[[], Any]) -> Any:
    """What came of it, or the kernel's word for why not."""
    try:
        return attempt()
    except HTTPError as error:
        return error.code
    except OSError as error:
        reason = getattr(error, "reason", error)
        return errno.errorcode.get(getattr(reason, "errno", None) or 0, str(error))


def reached(url: str) -> int:
    """The status of a web page, never by way of a proxy."""
    with build_opener(ProxyHandler({})).open(url, timeout=10) as answer:
        return int(answer.status)


def connected(port: int) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=10):
        return "connected"


def routed(host: str) -> str:
    """Whether there is a way to another machine; choosing it sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect((host, 9))
        return "routed"


def environments() -> str:
    """Every environment that can be read here."""
    texts = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            texts.append(place.read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return "\0".join([*texts, *(f"{name}={value}" for name, value in os.environ.items())])


def report(places: dict[str, Any]) -> dict[str, Any]:
    """Everything that was tried, by its name."""
    found: dict[str, Any] = {}
    for name, path in places["read"].items():
        found[f"read {name}"] = tried(lambda path=path: Path(path).read_text(encoding="utf-8"))
    for name, path in places["list"].items():
        found[f"list {name}"] = tried(lambda path=path: sorted(place.name for place in Path(path).iterdir()))
    for name, path in places["write"].items():
        found[f"write {name}"] = tried(lambda path=path: Path(path).write_text("planted\n", encoding="utf-8"))
    for path in places["scribble"]:
        # What comes of it is seen from outside: in a cage there may be room for scribbling where nothing real is.
        tried(lambda path=path: Path(path).write_text("planted\n", encoding="utf-8"))
    for name, port in places["connect"].items():
        found[f"connect to {name}"] = tried(lambda port=port: connected(port))
    for name, url in places["get"].items():
        found[f"get {name}"] = tried(lambda url=url: reached(url))
    seen = environments()
    found["secrets seen"] = [secret for secret in places["secrets"] if secret in seen]
    found["way out"] = tried(lambda: routed("192.0.2.1"))
    return found


if __name__ == "__main__":
    places = json.loads(Path(__file__).with_name("places.json").read_text(encoding="utf-8"))
    sys.stdout.write(f"REPORT:{json.dumps(report(places))}\n")
