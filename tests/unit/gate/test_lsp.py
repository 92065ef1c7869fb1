"""A server that hangs, dies or talks nonsense is started once more and then makes the check broken, never green."""

import asyncio
import sys
from pathlib import Path

import pytest

from thoughtforge.gate.context import Broken
from thoughtforge.gate.language_servers import Server, Start

SERVER = """
import json, os, sys, time
how, count = sys.argv[1], sys.argv[2]
with open(count, "a") as file:
    file.write("x")
starts = len(open(count).read())

def read():
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else sys.exit(0)

def write(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()

told = []
while True:
    message = read()
    if message.get("method") == "initialize":
        write({"id": 99, "method": "workspace/configuration", "params": {"items": [{}, {}]}})
        answer = read()
        told.append(answer["result"])
        write({"id": message["id"], "result": {"serverInfo": {"version": "7"}}})
    elif "id" in message:
        bad = how.endswith("once") and starts == 1 or not how.endswith("once")
        if bad and how.startswith("hang"):
            time.sleep(600)
        if bad and how.startswith("die"):
            os._exit(3)
        if bad and how.startswith("nonsense"):
            sys.stdout.buffer.write(b"Content-Length: 5\\r\\n\\r\\n{{{{{")
            sys.stdout.buffer.flush()
        if how == "refuse":
            write({"id": message["id"], "error": {"code": -32603, "message": "no such thing"}})
        elif how == "overtaken" and "again" not in told:
            told.append("again")
            write({"id": message["id"], "error": {"code": -32801, "message": "changed"}})
        else:
            write({"id": message["id"], "result": {"told": told, "starts": starts}})
    else:
        told.append(message["method"])
"""


def ask(tmp_path: Path, how: str, *, seconds: float = 20.0) -> dict[str, object]:
    script, count = tmp_path / "server.py", tmp_path / "count"
    script.write_text(SERVER)
    start = Start("the server", (sys.executable, script, how, count), tmp_path, {"option": 1}, {})

    async def run() -> dict[str, object]:
        server = Server(start, answer_seconds=seconds)
        try:
            answer: dict[str, object] = await server.ask(("note", {}), method="question", params={})
            return answer
        finally:
            await server.close()

    return asyncio.run(run())


def test_a_question_is_answered_with_what_was_told_before_it(tmp_path: Path) -> None:
    options = [{"option": 1}, {"option": 1}]
    assert ask(tmp_path, "well") == {"told": [options, "initialized", "note"], "starts": 1}


@pytest.mark.parametrize("how", ["hang once", "die once", "nonsense once"])
def test_a_server_that_fails_once_is_started_again_and_told_again(tmp_path: Path, how: str) -> None:
    answer = ask(tmp_path, how, seconds=2.0 if how.startswith("hang") else 20.0)
    assert answer["starts"] == 2
    assert answer["told"][1:] == ["initialized", "note"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("hang", "the server did not answer: no answer to question within 1 seconds"),
        ("die", "the server did not answer: it ended"),
        ("nonsense", "the server did not answer: it ended"),
        ("refuse", "the server could not answer: no such thing"),
    ],
)
def test_a_server_that_fails_twice_is_broken(tmp_path: Path, how: str, why: str) -> None:
    with pytest.raises(Broken) as broken:
        ask(tmp_path, how, seconds=1.0 if how == "hang" else 20.0)
    assert broken.value.what == why
    assert (tmp_path / "count").read_text() == ("x" if how == "refuse" else "xx")


def test_a_question_overtaken_by_a_change_is_asked_again(tmp_path: Path) -> None:
    assert ask(tmp_path, "overtaken")["starts"] == 1


def test_a_program_that_is_no_server_is_broken(tmp_path: Path) -> None:
    async def run() -> None:
        server = Server(Start("true", ("/bin/sh", "-c", "exit 0"), tmp_path, {}, {}))
        try:
            await server.ask(method="question", params={})
        finally:
            await server.close()

    with pytest.raises(Broken, match="true did not answer"):
        asyncio.run(run())
