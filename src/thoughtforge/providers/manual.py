"""Lets a person, or any program, be the model: each request becomes a file, and the reply is awaited as a file.

`0001.request.md` holds the request as a model would see it. Its reply goes into `0001.reply.md`, in one piece: write it
elsewhere and rename it, or save it from an editor. `0001.usage.json` may tell the tokens.
"""

from __future__ import annotations

import asyncio
import json
import shlex
from contextlib import suppress
from pathlib import Path

from pydantic import Field, ValidationError

from thoughtforge.calls.port import Capabilities, Model, OnDelta, ProviderError, Reply, Reservation, Schema, Usage
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Value
from thoughtforge.settings.environment import Machine

LOOK_SECONDS = 0.2
REQUEST, REPLY, TAKEN, USAGE = ".request.md", ".reply.md", ".taken.md", ".usage.json"
DO = "Answer the newest request in the folder, or raise wait_seconds; then: thoughtforge resume TASK"


class Options(Value):
    """One entry of `providers:` with `kind: manual`."""

    folder: str = Field(default="manual", min_length=1)
    """Where requests are written and replies are awaited; a relative one starts at the folder of config.yaml."""
    editor: str = ""
    """A command that opens a file and ends when the file is closed, such as `code --wait`. It opens each reply, with
    the request beside it as a second file. Empty waits for the reply's file alone."""
    wait_seconds: float = Field(default=3_600.0, gt=0)
    """How long to wait for a reply."""
    model: str = Field(default="manual", min_length=1)
    """The model's name in the record."""


def make(options: Options, machine: Machine) -> Model:
    """The model of one configuration entry; a relative folder starts from `machine.base`."""
    return ManualModel(options, machine.base / options.folder)


class ManualModel:
    """Answers what somebody writes. It costs nothing, and nothing leaves this machine."""

    def __init__(self, options: Options, folder: Path) -> None:
        self.capabilities = Capabilities(waits_in=str(folder))
        self.offsite = False
        self.label = "manual"
        self.model = options.model
        self.folder = folder
        self.options = options

    def reserve(self, system: str, context: str, max_output: int, schema: Schema = None) -> Reservation:
        """The bytes of the text and the longest answer."""
        return Reservation(tokens=len((system + context).encode()) + max_output, usd=0.0)

    async def complete(
        self, system: str, context: str, schema: Schema = None, *, max_output: int, on_delta: OnDelta | None = None
    ) -> Reply:
        """What somebody replies; the same request that nobody has answered yet keeps its file after a restart."""
        name = _write(self.folder, _readable(system, context, schema, max_output))
        if self.options.editor:
            await _edit(self.options.editor, self.folder, name)
        text = await self._awaited(name)
        usage = _usage(self.folder / f"{name}{USAGE}")
        with suppress(FileNotFoundError):  # another task that asked the same took it
            (self.folder / f"{name}{REPLY}").replace(self.folder / f"{name}{TAKEN}")
        if on_delta is not None:
            on_delta(text)
        return Reply(text=text, model=self.model, usage=usage, usd=0.0)

    async def _awaited(self, name: str) -> str:
        """The reply, once it says something and was the same twice running: an editor may write it in two goes."""
        path, before = self.folder / f"{name}{REPLY}", b""
        for _ in range(max(2, int(self.options.wait_seconds / LOOK_SECONDS))):
            said = _bytes(path) or _bytes(self.folder / f"{name}{TAKEN}")
            if said and said == before:
                return _text(said, path)
            before = said
            await asyncio.sleep(LOOK_SECONDS)
        what = f"nobody wrote {path} within {self.options.wait_seconds:.0f} s."
        nothing = Usage(input_tokens=0, output_tokens=0)
        raise ProviderError("unanswered", what, do=DO, reply=Reply(text="", model=self.model, usage=nothing, usd=0.0))


def _write(folder: Path, text: str) -> str:
    """The request as a file with the next number; one that waits with the same text is used again."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = sorted(path.name.removesuffix(REQUEST) for path in folder.glob(f"*{REQUEST}"))
        for name in reversed(known):
            if (
                not (folder / f"{name}{TAKEN}").exists()
                and _bytes(folder / f"{name}{REQUEST}") == text.strip().encode()
            ):
                return name
        number = max((int(name) for name in known if name.isdecimal()), default=0) + 1
        while True:
            try:
                with (folder / f"{number:04}{REQUEST}").open("x", encoding="utf-8") as file:
                    file.write(text)
            except FileExistsError:  # another task asks at the same moment
                number += 1
            else:
                return f"{number:04}"
    except OSError as error:
        do = "Name a folder that can be written as `folder` of the provider."
        raise UserError(f"the request cannot be written to {folder}: {error.strerror or error}", do=do) from None


def _readable(system: str, context: str, schema: Schema, max_output: int) -> str:
    asked = f"\n\n# Schema of the reply\n\n```json\n{json.dumps(schema, indent=2)}\n```" if schema else ""
    most = f"Reply with at most {max_output:,} tokens."
    return f"# System\n\n{system.strip()}\n\n# Request\n\n{context.strip()}{asked}\n\n# Limit\n\n{most}\n"


def _bytes(path: Path) -> bytes:
    """What a file says; empty while it is not there."""
    try:
        return path.read_bytes().strip()
    except FileNotFoundError:
        return b""
    except OSError as error:
        do = "Put a file with the reply there; then: thoughtforge resume TASK"
        raise UserError(f"{path} cannot be read: {error.strerror or error}", do=do) from None


def _text(said: bytes, path: Path) -> str:
    """The reply as text; a mark some editors begin a file with is no part of it."""
    try:
        return said.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        do = "Save it as UTF-8; then: thoughtforge resume TASK"
        raise UserError(f"{path} is not UTF-8 (byte {error.start + 1})", do=do) from None


def _usage(path: Path) -> Usage:
    """What a program says it used; unknown when it says nothing or nothing that can be read."""
    try:
        return Usage.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return Usage()


async def _edit(command: str, folder: Path, name: str) -> None:
    """Open the reply in an editor, and end with it."""
    reply = folder / f"{name}{REPLY}"
    words = [*shlex.split(command), str(reply), str(folder / f"{name}{REQUEST}")]
    try:
        editor = await asyncio.create_subprocess_exec(*words)
    except OSError as error:
        do = "Correct `editor` of the provider, or leave it empty and write the file yourself."
        raise UserError(f"the editor {words[0]} cannot be started: {error.strerror or error}", do=do) from None
    try:
        await editor.wait()
    finally:
        if editor.returncode is None:
            editor.terminate()
            await editor.wait()
