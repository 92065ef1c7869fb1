"""ntfy: long messages are cut by bytes, and the real server takes what we send, where there is one."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles import Server
from doubles.ntfy import LONGEST, Ntfy
from thoughtforge.integrations.notice import Notice, cut_bytes
from thoughtforge.notifiers.ntfy import LOOKS, MOST_BYTES, Options, send
from thoughtforge.settings.environment import Machine

MACHINE = Machine(lambda name: None, Path("/nonexistent"))
PROGRAM = shutil.which("ntfy")


def notice(summary: str, event: str = "error") -> Notice:
    given = {"project_id": "t-1", "project_name": "Zoë", "phase": "build", "event_type": event, "summary": summary}
    return Notice.model_validate(given)


def test_a_long_message_is_cut_before_the_server_makes_a_file_of_it() -> None:
    double = Ntfy()
    with Server(double) as server:
        told = asyncio.run(send(notice("ü" * 5000), Options(url=server.url, topic="forge"), MACHINE))
    (kept,) = double.published["forge"]
    assert (told, len(kept["message"].encode()) <= MOST_BYTES < LONGEST, kept["message"][-1]) == ("", True, "…")
    assert kept["message"].startswith("üüü")


@pytest.mark.parametrize(("text", "most", "cut"), [("abc", 3, "abc"), ("abcd", 3, "…"), ("üüü", 5, "ü…"), ("", 3, "")])
def test_a_cut_never_splits_a_letter(text: str, most: int, cut: str) -> None:
    assert cut_bytes(text, most) == cut


def test_every_event_has_a_priority_the_server_knows() -> None:
    assert {1, 2, 3, 4, 5} >= {priority for priority, _ in LOOKS.values()}
    assert sorted(LOOKS) == sorted(Notice.model_fields["event_type"].annotation.__args__)  # type: ignore[union-attr]


def test_the_servers_error_code_is_told() -> None:
    with Server(Ntfy("secret")) as server:
        told = asyncio.run(send(notice("x"), Options(url=server.url, topic="forge"), MACHINE))
    assert told == "ntfy answered 401 (40101): unauthorized"


@pytest.fixture
def real(tmp_path: Path) -> Iterator[str]:
    """The ntfy server itself, on loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{probe.getsockname()[1]}"
    names = {"base-url": f"http://{place}", "listen-http": place, "cache-file": str(tmp_path / "cache.db")}
    (tmp_path / "server.yml").write_text("\n".join(f'{key}: "{value}"' for key, value in names.items()) + "\n")
    with (tmp_path / "log").open("wb") as log:
        argv = [str(PROGRAM), "serve", "--config", str(tmp_path / "server.yml")]
        process = subprocess.Popen(argv, stdout=log, stderr=log)
    try:
        _wait(f"http://{place}/v1/health", tmp_path / "log")
        yield f"http://{place}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(url: str, log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as said:
                assert json.load(said) == {"healthy": True}
                return
        except urllib.error.URLError:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)


@pytest.mark.skipif(PROGRAM is None, reason="the ntfy server is not installed")
def test_the_real_server_takes_our_notices(real: str) -> None:
    options = Options(url=real, topic="forge")
    told = [asyncio.run(send(notice(text), options, MACHINE)) for text in ("short", "ü" * 5000)]
    with urllib.request.urlopen(f"{real}/forge/json?poll=1&since=all", timeout=10) as said:
        kept = [json.loads(line) for line in said.read().splitlines()]
    assert told == ["", ""]
    assert [(one["title"], one["priority"], one["tags"]) for one in kept] == [("Zoë: error", 5, ["rotating_light"])] * 2
    assert [one["message"][:5] for one in kept] == ["short", "üüüüü"]
    assert ["attachment" in one for one in kept] == [False, False]
