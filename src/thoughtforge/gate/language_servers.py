"""The programs the checks lean on: where they are, what to install, and how a warm language server is asked."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import itertools
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.gate.context import Broken
from thoughtforge.sandbox import process
from thoughtforge.sandbox.process import RunningProcess

INSTALL = "Install it: pip install 'thoughtforge[code]'"
PROGRAMS = ("ruff", "ty")
LIBRARIES = ("ast-grep-py", "detect-secrets", "grimp")
VERSION_SECONDS = 20.0


class ToolProgram(NamedTuple):
    """One tool as it is on this machine; without a version it is missing."""

    name: str
    version: str
    place: str = ""


def program(name: str, *, search_path: str) -> Path:
    """The program that was installed together with this one, else the one on the search path."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.is_file() else shutil.which(name, path=search_path)
    if found is None:
        raise Broken(f"{name} is missing", do=INSTALL)
    return Path(found)


def write_settings(file: Path, settings: Mapping[str, Any]) -> None:
    """The configuration file of a tool, which reads no other."""
    import tomli_w

    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(tomli_w.dumps(settings), encoding="utf-8")


def library(name: str) -> str:
    """The version of an installed library."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError as error:
        raise Broken(f"{name} is missing", do=INSTALL) from error


async def survey(search_path: str) -> tuple[ToolProgram, ...]:
    """Every tool a check may need; a missing one is in the list, without a version."""
    programs = await asyncio.gather(*(_program(name, search_path) for name in PROGRAMS))
    return (*programs, *(_library(name) for name in LIBRARIES))


async def _program(name: str, search_path: str) -> ToolProgram:
    try:
        found = program(name, search_path=search_path)
        ended = await process.run([found, "--version"], cwd=Path("/"), env={}, wall_seconds=VERSION_SECONDS)
    except Broken:
        return ToolProgram(name, "")
    words = ended.stdout.decode("utf-8", "replace").split()
    return ToolProgram(name, words[1] if ended.code == 0 and len(words) > 1 else "", str(found))


def _library(name: str) -> ToolProgram:
    try:
        return ToolProgram(name, library(name))
    except Broken:
        return ToolProgram(name, "")


ANSWER_SECONDS = 60.0
TRIES = 2
OVERTAKEN = (-32801, -32802, -32800)
"""The server gave a question up because something changed meanwhile; asking again is all it takes."""


class Start(NamedTuple):
    """How a server is started and told what to do."""

    name: str
    argv: Sequence[str | Path]
    root: Path
    options: Mapping[str, Any]
    """What it gets at the start, and whenever it asks for its configuration."""
    capabilities: Mapping[str, Any]


class ServerLost(Exception):
    """The server died or did not answer in time."""


class Server:
    """One language server, started when it is first needed."""

    def __init__(self, start: Start, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self.start = start
        self.answer_seconds = answer_seconds
        self.version = ""
        self.child: RunningProcess | None = None
        self.reading: asyncio.Task[None] | None = None
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.numbers = itertools.count(1)
        self.lock = asyncio.Lock()
        self.starts = 0

    async def ask(self, *told: tuple[str, Any], method: str, params: Any) -> Any:
        """Tell the server these things and ask it something; one question at a time, so that none overtakes another."""
        async with self.lock:
            reason = ""
            for _ in range(TRIES):
                try:
                    return await self._asked(told, method, params)
                except (ServerLost, ConnectionError) as error:
                    await self._end()
                    reason = str(error) or "the connection broke"
            raise Broken(f"{self.start.name} did not answer: {reason}", do="Try again; if it happens again, report it.")

    async def tell(self, method: str, params: Any) -> None:
        """Tell the server something; one that is not running will learn it from the files when it starts."""
        async with self.lock:
            if self.child is not None:
                with contextlib.suppress(ConnectionError):
                    await self._send({"method": method, "params": params})

    async def close(self) -> None:
        """End the server; a later question starts another."""
        async with self.lock:
            await self._end()

    async def _asked(self, told: Sequence[tuple[str, Any]], method: str, params: Any) -> Any:
        if self.child is None:
            await self._begin()
        for _ in range(TRIES):
            for what, about in told:
                await self._send({"method": what, "params": about})
            answer = await self._answer(method, params)
            if "error" not in answer:
                return answer["result"]
            if answer["error"].get("code") not in OVERTAKEN:
                break
        raise Broken(f"{self.start.name} could not answer: {answer['error'].get('message')}")

    async def _begin(self) -> None:
        self.child = await RunningProcess.start(self.start.argv, cwd=self.start.root, env={})
        self.reading = asyncio.create_task(self._read(self.child))
        self.starts += 1
        folder = {"uri": self.start.root.as_uri(), "name": self.start.root.name}
        answer = await self._answer(
            "initialize",
            {
                "processId": None,
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": self.start.capabilities,
                "initializationOptions": self.start.options,
            },
        )
        if "error" in answer:
            raise Broken(f"{self.start.name} refused to start: {answer['error'].get('message')}")
        self.version = (answer["result"].get("serverInfo") or {}).get("version", "")
        await self._send({"method": "initialized", "params": {}})

    async def _answer(self, method: str, params: Any) -> Any:
        number = next(self.numbers)
        waiting = self.waiting[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send({"id": number, "method": method, "params": params})
            return await asyncio.wait_for(waiting, self.answer_seconds)
        except TimeoutError as error:
            raise ServerLost(f"no answer to {method} within {self.answer_seconds:g} seconds") from error
        finally:
            self.waiting.pop(number, None)

    async def _send(self, message: Mapping[str, Any]) -> None:
        if self.child is None:
            raise ServerLost("it is not running")
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.child.requests.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        await self.child.requests.drain()

    async def _read(self, child: RunningProcess) -> None:
        """Every message until the server ends or says something that is none; then nobody waits for it any more."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, ValueError, ServerLost):
            while True:
                message = json.loads(await child.answers.readexactly(await _length(child.answers)))
                if "method" in message:
                    await self._reply(message)
                elif (waiting := self.waiting.get(message.get("id"))) and not waiting.done():
                    waiting.set_result(message)
        for waiting in self.waiting.values():
            if not waiting.done():
                waiting.set_exception(ServerLost("it ended"))

    async def _reply(self, message: Mapping[str, Any]) -> None:
        """A server asks for its configuration, or for leave to do something; notices need no answer."""
        if "id" not in message:
            return
        result: Any = None
        if message["method"] == "workspace/configuration":
            result = [self.start.options for _ in message["params"]["items"]]
        await self._send({"id": message["id"], "result": result})

    async def _end(self) -> None:
        child, self.child = self.child, None
        reading, self.reading = self.reading, None
        if reading is not None:
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading
        if child is not None:
            await child.close()


async def _length(answers: asyncio.StreamReader) -> int:
    """The length of the next message, from its header."""
    length = -1
    while line := (await answers.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if length < 0:
        raise ServerLost("it ended")
    return length
