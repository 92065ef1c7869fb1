"""Each real agent in the real cage, with its own shell and file tools left on: only our tools change anything."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, Self

import pytest

from agents.loose import MODELS, NAMES, OWN, Loose, cli_of
from agents.scripts import ours
from agents.tool_server import TOKEN, TOOLS, Called, ToolServer
from caged import Counting, ScriptCli
from model_server import Answer, Asked, ModelServer, Result, Say, Use
from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cli import Cli, CliOptions
from thoughtforge.agent_runtime.turn import Turn, TurnEnded
from thoughtforge.settings.environment import Machine
from thoughtforge.testing.install import own_interpreter

KEY, SECRET = "the-real-key-4711", "a-secret-of-our-environment-0815"
PROBE = Path(__file__).with_name("probe.py")
BRIDGED = {"path": "bridged.txt", "content": "by the bridge\n"}
ROOT = Path(__file__).parents[2]


class Yard(NamedTuple):
    """A machine with a person, their checkout, a task store with a workspace in it, and a page of ours."""

    root: Path

    @property
    def person(self) -> Path:
        return self.root / "person"

    @property
    def checkout(self) -> Path:
        return self.person / "checkout"

    @property
    def task(self) -> Path:
        return self.checkout / ".thoughtforge" / "tasks" / "t1"

    @property
    def work(self) -> Path:
        return self.task / "workspace"

    @property
    def homes(self) -> Path:
        return self.root / "homes"

    @property
    def machine(self) -> Machine:
        path = f"{Path(shutil.which('node') or '/usr/bin/node').parent}:/usr/bin:/bin"
        return Machine({"KEY": KEY}.get, self.root, self.person, path, self.homes)

    def files(self) -> dict[str, str]:
        """Everything of the person's, the workspace included."""
        found = (path for path in self.person.rglob("*") if path.is_file())
        return {str(path.relative_to(self.person)): path.read_text() for path in found}


def make_yard(root: Path, ports: dict[str, int]) -> Yard:
    """Everything an agent must not see is there, and the probe knows where."""
    yard = Yard(root)
    texts = {
        yard.work / "code.py": "x = 1\n",
        yard.work / ".claude/settings.json": '{"hooks": {}}\n',
        yard.work / ".mcp.json": '{"mcpServers": {}}\n',
        yard.task / "log.jsonl": "the log\n",
        yard.task / "blobs/held": "a held-back case\n",
        yard.checkout / "README.md": "the checkout\n",
        yard.person / ".ssh/id": "a key\n",
        yard.homes / "other/login": "another agent's login\n",
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (yard.work / "link").symlink_to(yard.person / ".ssh/id")
    read = {
        "the workspace": yard.work / "code.py",
        "hidden configuration": yard.work / ".claude/settings.json",
        "the log": yard.task / "log.jsonl",
        "a held-back case": yard.task / "blobs/held",
        "the checkout": yard.checkout / "README.md",
        "a key of the person": yard.person / ".ssh/id",
        "the same by a link": yard.work / "link",
        "another home": yard.homes / "other/login",
        "our own code": ROOT / "pyproject.toml",
    }
    write = {
        "a new file": yard.work / "new.txt",
        "a file": yard.work / "code.py",
        "hidden configuration": yard.work / ".mcp.json",
    }
    places = {
        "read": {name: str(path) for name, path in read.items()},
        "list": {"the task": str(yard.task), "the checkout": str(yard.checkout)},
        "write": {name: str(path) for name, path in write.items()},
        "scribble": [str(yard.task / "log.jsonl"), str(yard.checkout / "README.md"), str(yard.person / ".profile")],
        "connect": ports,
        "get": {"the gateway without its token": "http://127.0.0.1:4455/mcp"},
        "tunnel": {"our page": f"127.0.0.1:{ports['our page']}", "another machine": "192.0.2.1:443"},
        "secrets": [SECRET, KEY],
        "workspace": str(yard.work),
        "process": os.getpid(),
    }
    (yard.work / "places.json").write_text(json.dumps(places))
    shutil.copy(PROBE, yard.work / "probe.py")
    return yard


CAGED = {
    "read the workspace": "x = 1\n",
    "read hidden configuration": "ENOENT",
    "read the log": "ENOENT",
    "read a held-back case": "ENOENT",
    "read the checkout": "ENOENT",
    "read a key of the person": "ENOENT",
    "read the same by a link": "ENOENT",
    "read another home": "ENOENT",
    "read our own code": "ENOENT",
    "list the task": ["workspace"],
    "list the checkout": [".thoughtforge"],
    "write a new file": "EROFS",
    "write a file": "EROFS",
    "write hidden configuration": "EROFS",
    "connect to our page": "ECONNREFUSED",
    "connect to its model": "ECONNREFUSED",
    "get the gateway without its token": 404,
    "tunnel to our page": ["200", "404"],
    "tunnel to another machine": ["403"],
    "tunnel of a stranger": ["407"],
    "remount": "tried",
    "signal to us": "ESRCH",
    "secrets seen": [],
    "way out": "ENETUNREACH",
}
"""What the probe finds in a cage."""


class Visit(NamedTuple):
    """One turn of an agent that tried everything."""

    name: str
    yard: Yard
    before: dict[str, str]
    ended: TurnEnded
    asked: list[Asked]
    results: tuple[Result, ...]
    calls: list[Called]
    meter: Counting
    visits: int

    @property
    def report(self) -> dict[str, Any]:
        """What the probe said."""
        (found,) = re.findall(r"^.*REPORT:(\{.*\})\s*$", self.results[1].text, re.MULTILINE)
        report: dict[str, Any] = json.loads(found)
        return report


@pytest.fixture(scope="module")
def secret() -> Iterator[None]:
    """Our own environment has something to hide."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET_OF_OURS", SECRET)
        yield


@pytest.fixture(scope="module", params=NAMES)
def visit(
    request: pytest.FixtureRequest, programs: Path, secret: None, tmp_path_factory: pytest.TempPathFactory
) -> Visit:
    name: str = request.param
    own, root = OWN[name], tmp_path_factory.mktemp(name)
    cli = Loose(name, cli_of(name, programs))

    def model(asked: Asked) -> Answer:
        bridge = {ours(tool): tool.name for tool in asked.tools}
        probe = f"{own_interpreter().python} -I {root / 'person/checkout/.thoughtforge/tasks/t1/workspace/probe.py'}"
        steps = [
            own.writes(Yard(root).work / "new.txt"),
            own.runs(probe),
            Use(bridge.get("create_file", "none"), BRIDGED, usage=(100, 50)),
        ]
        return steps[len(asked.results)] if len(asked.results) < len(steps) else Say("I tried.", usage=(100, 50))

    with ModelServer(model) as server, Page() as page:
        yard = make_yard(root, {"our page": page.port, "its model": server.port})
        before, meter, tools = yard.files(), Counting(), ToolServer(yard.work)
        ended = turn(cli, yard, MODELS[name], server=server, tools=tools, meter=meter)
    return Visit(name, yard, before, ended, server.asked, server.asked[-1].results, tools.calls, meter, page.visits)


def turn(cli: Cli, yard: Yard, model: str, *, server: ModelServer, tools: ToolServer, meter: Counting) -> TurnEnded:
    """One turn in the cage."""
    base_url = server.urls[cli.api]
    options = CliOptions(model=model, key_env="KEY", base_url=base_url, turn_seconds=120)
    asked = Turn(
        "You build.", "stage: red", yard.work, TOOLS, tools.app(), TOKEN, meter, "t1", hidden=(".claude", ".mcp.json")
    )
    return asyncio.run(CliAgent(cli, options, yard.machine).turn(asked))


class Page:
    """Stands for our own web page, or any server that listens on loopback; a context manager."""

    def __init__(self) -> None:
        self.visits = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._thread = Thread(target=self._serve, daemon=True)

    @property
    def port(self) -> int:
        number: int = self._socket.getsockname()[1]
        return number

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                visitor, _ = self._socket.accept()
                self.visits += 1
                visitor.close()


def test_the_agent_runs_to_its_end_in_the_cage(visit: Visit) -> None:
    assert (visit.ended.text, visit.ended.notes) == ("I tried.", ())
    assert [len(asked.results) for asked in visit.asked] == [0, 1, 2, 3]


def test_what_goes_through_our_tools_arrives_and_nothing_else_does(visit: Visit) -> None:
    assert visit.calls == [Called("create_file", BRIDGED)]
    bridged = str(visit.yard.work.relative_to(visit.yard.person) / "bridged.txt")
    assert visit.yard.files() == {**visit.before, bridged: "by the bridge\n"}


def test_its_own_way_to_write_fails_and_its_model_is_told(visit: Visit) -> None:
    assert re.search(OWN[visit.name].refused, visit.results[0].text), visit.results[0].text


def test_its_shell_reaches_nothing_that_is_not_meant_for_it(visit: Visit) -> None:
    assert visit.report == CAGED
    assert visit.visits == 0


def test_its_model_gets_the_real_key_which_the_agent_never_has(visit: Visit) -> None:
    logins = {value.removeprefix("Bearer ") for asked in visit.asked for value in asked.login.values()}
    assert logins == {KEY}
    assert not any(KEY in json.dumps(asked.body) for asked in visit.asked)


def test_every_request_is_admitted_and_counted(visit: Visit) -> None:
    used = [(settled.usage.input_tokens, settled.usage.output_tokens) for _, settled in visit.meter.settled]
    assert used == [(100, 50)] * 4
    assert len(visit.meter.wanted) == 4


SCRIPT = """\
import json, os, runpy, sys, pathlib
here = pathlib.Path(json.load(open(os.path.join(os.environ["HOME"], "ask.json")))["work"])
probe = runpy.run_path(str(here / "probe.py"))
print(json.dumps({"text": json.dumps(probe["report"](json.loads((here / "places.json").read_text())))}))
"""


def test_a_script_in_the_same_cage_reaches_nothing_either(secret: None, tmp_path: Path) -> None:
    program = tmp_path / "script"
    program.write_text(f"#!{sys.executable}\n{SCRIPT}")
    program.chmod(0o755)
    with ModelServer([]) as server, Page() as page:
        yard = make_yard(tmp_path / "yard", {"our page": page.port, "its model": server.port})
        before, tools = yard.files(), ToolServer(yard.work)
        ended = turn(ScriptCli(program), yard, "m", server=server, tools=tools, meter=Counting())
    assert json.loads(ended.text) == CAGED
    assert (yard.files(), tools.calls, server.asked, page.visits) == (before, [], [], 0)


def test_without_the_cage_the_same_probe_reaches_everything(secret: None, tmp_path: Path) -> None:
    with ModelServer([]) as server, Page() as page:
        yard = make_yard(tmp_path, {"our page": page.port, "its model": server.port})
        env = {**os.environ, "HOME": str(yard.person)}
        command = [sys.executable, "-I", yard.work / "probe.py"]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout.removeprefix("REPORT:"))
    same = [name for name, found in CAGED.items() if report[name] == found]
    # What is the same: the file it may read, that it tried, and perhaps that there is no way to other machines.
    assert set(same) - {"way out"} == {"read the workspace", "remount"}
    assert (report["secrets seen"], page.visits) == ([SECRET], 1)
