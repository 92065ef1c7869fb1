"""Run inside a cage: tries everything an agent must not be able to do, and says what came of it as one line of JSON.

Standard library only. What to try is in places.json beside this file.
"""

from __future__ import annotations

import base64
import errno
import json
import os
import re
import shutil
import socket
import subprocess
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


def signalled(process: int) -> str:
    os.kill(process, 0)
    return "signalled"


def known_token() -> str:
    """What opens the gateway: the agent has it, in its home, so that it can reach our tools and its model."""
    for place in Path(os.environ.get("HOME", "/nonexistent")).rglob("*"):
        if place.is_file() and (found := re.search(rb"http://127\.0\.0\.1:4455/([0-9a-f]+)", place.read_bytes())):
            return found[1].decode()
    return ""


def tunnelled(target: str, token: str) -> list[str]:
    """What the gateway says to a tunnel, and what is found at its end."""
    with socket.create_connection(("127.0.0.1", 4455), timeout=10) as way:
        word = base64.b64encode(f"agent:{token}".encode()).decode()
        way.sendall(f"CONNECT {target} HTTP/1.1\r\nProxy-Authorization: Basic {word}\r\n\r\n".encode())
        said = [_status(way)]
        if said == ["200"]:
            way.sendall(f"GET / HTTP/1.1\r\nHost: {target}\r\nConnection: close\r\n\r\n".encode())
            said.append(_status(way))
    return said


def _status(way: socket.socket) -> str:
    head = b""
    while b"\r\n\r\n" not in head and (data := way.recv(4096)):
        head += data
    return head.decode().split()[1]


def remounted(folder: str) -> str:
    """Try to make the workspace writable from a namespace of one's own; whether it worked is seen from outside."""
    again = 'mount -o remount,rw,bind "$0" "$0"; echo planted > "$0/new.txt"'
    subprocess.run(["unshare", "-Urm", "sh", "-c", again, folder], capture_output=True, check=False, timeout=20)
    return "tried" if shutil.which("unshare") else "not tried"


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
    for name, target in places["tunnel"].items():
        found[f"tunnel to {name}"] = tried(lambda target=target: tunnelled(target, known_token()))
    found["tunnel of a stranger"] = tried(lambda: tunnelled("127.0.0.1:80", "guessed"))
    found["remount"] = remounted(places["workspace"])
    found["signal to us"] = tried(lambda: signalled(places["process"]))
    seen = environments()
    found["secrets seen"] = [secret for secret in places["secrets"] if secret in seen]
    found["way out"] = tried(lambda: routed("192.0.2.1"))
    return found


if __name__ == "__main__":
    places = json.loads(Path(__file__).with_name("places.json").read_text(encoding="utf-8"))
    sys.stdout.write(f"REPORT:{json.dumps(report(places))}\n")
