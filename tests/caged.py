"""A small Python script plays the agent: a real process in the real cage."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cli import Api, Ask, CliOptions, Launch, Output, TurnOutput
from thoughtforge.agent_runtime.turn import Admission, Answered, Turn, TurnEnded, Wanted
from thoughtforge.calls.port import ProviderError, Reply
from thoughtforge.settings.environment import Machine

PREFIX = """\
import json, os, socket, sys, time, urllib.request
ASK = json.load(open(os.path.join(os.environ["HOME"], "ask.json")))

def post(url, body, **headers):
    headers = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()

def messages(**more):
    body = {"model": "m", "max_tokens": 9000, "messages": [{"role": "user", "content": ASK["prompt"]}], **more}
    return post(ASK["model_url"] + "/v1/messages", body, **{"x-api-key": ASK["key"]})

def tried(what):
    try:
        return str(what())
    except OSError as error:
        return type(error).__name__ + " " + str(error.errno)

def say(text):
    print(json.dumps({"text": text}), flush=True)
"""
ASKS = """
status, answer = messages()
print(json.dumps({"text": json.loads(answer)["content"][0]["text"]}))
"""


class ScriptCli:
    """The facts of the script."""

    endpoint = "https://model.example"
    login: tuple[str, ...] = (".script/login.json",)
    parts: tuple[str, ...] = ()
    moved = ("", "")
    hosts: tuple[str, ...] = ()
    install = "npm install -g script"
    log_in = "script login"
    images = False

    def __init__(self, program: Path, api: Api = "anthropic") -> None:
        self.program = str(program)
        self.api: Api = api

    def launch(self, ask: Ask) -> Launch:
        fields = {**ask._asdict(), "home": str(ask.home), "work": str(ask.work)}
        return Launch(("--word",), ask.prompt.encode(), {"OWN": "yes"}, {"ask.json": json.dumps(fields)})

    def read(self, ask: Ask, output: Output) -> TurnOutput:
        lines = output.stdout.splitlines()
        if output.code or not lines:
            raise ProviderError("broken", f"ended with {output.code}: {output.stderr.decode()}")
        said = json.loads(lines[-1])
        return TurnOutput(said["text"], session="s1")

    def progress(self, line: bytes) -> str:
        return json.loads(line)["text"]


class Counting:
    """A meter that writes everything down and refuses from a number on."""

    def __init__(self, most: int = 100, max_output: int = 500) -> None:
        self.most = most
        self.max_output = max_output
        self.wanted: list[Wanted] = []
        self.settled: list[tuple[str, Answered]] = []

    def admit(self, wanted: Wanted) -> Admission:
        self.wanted.append(wanted)
        if len(self.wanted) > self.most:
            return Admission(refusal="the cap is reached")
        return Admission(max_output=self.max_output, ticket=f"t{len(self.wanted)}")

    def settle(self, ticket: str, answered: Answered) -> None:
        self.settled.append((ticket, answered))


class Place:
    """A machine with a person, homes and a workspace, and the script as its agent."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "workspace"
        self.folder.mkdir()
        self.person = root / "person"
        self.person.mkdir()
        self.secrets: dict[str, str] = {"SCRIPT_KEY": "the-real-key"}
        self.allow_weak = False
        self.search_path = os.environ["PATH"]

    @property
    def machine(self) -> Machine:
        return Machine(self.secrets.get, self.root, self.person, self.search_path, self.root / "homes", self.allow_weak)

    def agent(
        self, code: str, *, api: Api = "anthropic", cli: dict[str, Any] | None = None, **options: object
    ) -> CliAgent:
        program = self.root / "script"
        program.write_text(f"#!{sys.executable}\n{PREFIX}{dedent(code)}", encoding="utf-8")
        program.chmod(0o755)
        given = {"key_env": "SCRIPT_KEY", "timeout_seconds": 60, **options}
        facts = ScriptCli(program, api)
        vars(facts).update(cli or {})
        return CliAgent(facts, CliOptions.model_validate(given), self.machine)

    def complete(
        self, code: str, *, max_output: int = 100, schema: dict[str, object] | None = None, **options
    ) -> Reply:
        agent = self.agent(code, **options)
        return asyncio.run(agent.complete("You answer.", "What is it?", schema, max_output=max_output))

    def asked(self, **fields: Any) -> Turn:
        """A turn in the workspace."""
        asked = Turn("You build.", "Build it.", self.folder, ("edit",), tools, "door", Counting(), "t1")
        return asked._replace(**fields)

    def turn(
        self, code: str, *, meter: Counting | None = None, turn: dict[str, Any] | None = None, **options
    ) -> TurnEnded:
        agent = self.agent(code, **options)
        return asyncio.run(agent.turn(self.asked(**{"meter": meter or Counting(), **(turn or {})})))


async def tools(scope, receive, send):
    """Our tools, as small as can be: says what it was sent."""
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    body = (await receive())["body"]
    given = json.loads(body or b"null")
    await asyncio.sleep(given.get("wait", 0))
    text = json.dumps({"path": scope["path"], "body": given}).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": text})
