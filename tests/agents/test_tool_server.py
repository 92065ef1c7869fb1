"""The tools of the tests are real: they need the token, stay in their folder and say who called what."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from agents.tool_server import TOKEN, Called, ToolServer


def call(server: ToolServer, tool: str, *, token: str = TOKEN, **params: str) -> tuple[str, bool]:
    """What the tool says, and whether it calls that an error."""
    asked: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    asked["params"] = {"name": tool, "arguments": params}
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": "application/json"}
    request = Request(server.door.url, json.dumps(asked).encode(), headers)
    with urlopen(request, timeout=20) as reply:
        result = json.load(reply)["result"]
    (content,) = result["content"]
    return content["text"], result["isError"]


def test_files_are_written_and_read_in_the_folder_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with ToolServer(folder) as server:
        written = call(server, "create_file", path="a.txt", content="ä")
        read = call(server, "read_file", path="a.txt")
        outside = call(server, "create_file", path="../b.txt", content="b")
    assert [written, read] == [("a.txt is written", False), ("ä", False)]
    assert (outside[1], "../b.txt is outside" in outside[0]) == (True, True)
    assert [path.name for path in tmp_path.rglob("*.txt")] == ["a.txt"]
    assert server.calls[1] == Called("read_file", {"path": "a.txt"})


def test_nobody_gets_in_without_the_token(tmp_path: Path) -> None:
    with ToolServer(tmp_path) as server, pytest.raises(HTTPError, match="401"):
        call(server, "create_file", token="guessed", path="a.txt", content="a")
    assert (server.calls, server.strangers, list(tmp_path.iterdir())) == ([], 1, [])


def test_calls_that_come_together_are_under_way_together(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    with ToolServer(tmp_path, slow=0.3) as server, ThreadPoolExecutor(3) as pool:
        texts = list(pool.map(lambda _: call(server, "read_file", path="a.txt"), range(3)))
    assert (texts, server.most_at_once) == ([("a", False)] * 3, 3)
