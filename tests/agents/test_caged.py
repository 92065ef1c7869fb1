"""Claude Code and Codex as they are configured, in their cage: the login goes in, edits come out through our tools."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agents import test_claude, test_codex
from agents.door import DoorServer
from agents.running import nobody
from caged import Counting
from model_server import Cut, Fail, Hang, ModelServer, Say, Use
from model_server.answers import Answer
from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cli import Ask, Launch
from thoughtforge.agent_runtime.turn import Turn, TurnEnded
from thoughtforge.calls.port import ProviderError
from thoughtforge.kernel.errors import UserError
from thoughtforge.providers import claude_cli, codex_cli
from thoughtforge.settings.environment import Machine


class Kind(NamedTuple):
    """What the tests must know of an agent."""

    provider: Any
    program: str
    model: str
    log_in: Callable[[Path], None]
    login: str
    tool: str
    writes: Callable[[Path], list[Answer]]
    loose: Callable[[Launch, Ask], Launch]
    """The same start with its own tools on and everything allowed."""


LOOSE_CODEX = "gpt-5.5"
"""A model whose tools of its own Codex knows."""


def loose_claude(launch: Launch, ask: Ask) -> Launch:
    argv = ("-p", "--output-format", "stream-json", "--verbose", "--allowedTools", "Write,Bash", "--model", ask.model)
    config = ("--mcp-config", str(ask.home / claude_cli.BRIDGE))
    return launch._replace(argv=(*argv, *config))


def loose_codex(launch: Launch, ask: Ask) -> Launch:
    argv = ("exec", "--json", "--skip-git-repo-check", "-s", "danger-full-access", "-m", LOOSE_CODEX, "-")
    lines = launch.files[test_codex.CONFIG].splitlines(True)
    kept = "".join(line for line in lines if line.startswith(("model_provider", "mcp_servers")))
    return launch._replace(argv=argv, files={test_codex.CONFIG: kept})


KINDS = {
    "claude": Kind(
        claude_cli,
        "claude",
        test_claude.MODEL,
        test_claude.log_in,
        "Bearer sk-ant-oat01-dummy-access",
        "mcp__bridge__create_file",
        test_claude.writes,
        loose_claude,
    ),
    "codex": Kind(
        codex_cli,
        "codex",
        test_codex.MODEL,
        test_codex.log_in,
        f"Bearer {test_codex.ACCESS}",
        "create_file",
        lambda work: test_codex.writes(),
        loose_codex,
    ),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def person(home: Path) -> Path:
    """The person's own home, not the agent's."""
    return home


class Configured(NamedTuple):
    """An agent on a machine of its own."""

    kind: Kind
    programs: Path
    root: Path
    person: Path
    work: Path

    def agent(self, url: str, **options: Any) -> CliAgent:
        """The agent of a configuration entry with these options."""
        machine = Machine(
            {"A_KEY": "the-real-key"}.get, self.root, self.person, os.environ["PATH"], self.root / "homes"
        )
        command = str(self.programs / ".bin" / self.kind.program)
        given = {"model": self.kind.model, "command": command, "base_url": url, **options}
        made: CliAgent = self.kind.provider.make(self.kind.provider.Options.model_validate(given), machine)
        return made

    def turn(self, agent: CliAgent, door: DoorServer, **more: Any) -> TurnEnded:
        """A turn of it in the workspace."""
        given = Turn("You build.", "Build it.", self.work, ("create_file",), door.asgi, "a-token", Counting(), "green")
        return asyncio.run(agent.turn(given._replace(**more)))


@pytest.fixture
def configured(kind: Kind, programs: Path, tmp_path: Path, person: Path, work: Path) -> Configured:
    return Configured(kind, programs, tmp_path, person, work)


def url(configured: Configured, server: ModelServer) -> str:
    return server.urls[configured.agent("http://127.0.0.1").cli.api]


def kind_of(configured: Configured, address: str, **options: Any) -> str:
    agent = configured.agent(address, key_env="A_KEY", **options)
    with pytest.raises(ProviderError) as caught:
        asyncio.run(agent.complete("You plan.", "Plan it.", max_output=500))
    assert "the-real-key" not in f"{caught.value.message} {caught.value.do}"
    return caught.value.kind


def test_an_answer_with_the_login_of_the_person(configured: Configured) -> None:
    configured.kind.log_in(configured.person)
    with ModelServer([Say("A plan.", (20, 6))]) as server:
        agent = configured.agent(url(configured, server))
        reply = asyncio.run(agent.complete("You plan.", "Plan it.", max_output=500))
    (asked,) = server.asked
    assert (reply.text, reply.usage.input_tokens, reply.usage.output_tokens) == ("A plan.", 20, 6)
    assert asked.login == {"authorization": configured.kind.login}
    assert list((configured.root / "homes").iterdir()) == []


def test_without_key_and_login_nothing_is_started(configured: Configured) -> None:
    agent = configured.agent("https://model.example")
    with pytest.raises(UserError, match="is not logged in") as caught:
        asyncio.run(agent.complete("You plan.", "Plan it.", max_output=500))
    assert agent.cli.log_in in caught.value.do


def test_it_works_through_our_tools_and_goes_on_where_it_was(configured: Configured) -> None:
    said: list[Answer] = [Use(configured.kind.tool, {"path": "a.txt", "content": "x"}, usage=(20, 6))]
    said += [Say("Done.", (30, 5)), Say("Still done.", (40, 5))]
    heard: list[str] = []
    with ModelServer(said) as server, DoorServer() as door:
        agent = configured.agent(url(configured, server), key_env="A_KEY")
        first = configured.turn(agent, door, progress=heard.append)
        second = configured.turn(agent, door, session=first.session, prompt="And now?")
    assert (first.text, second.text, second.session) == ("Done.", "Still done.", first.session)
    assert door.called == [("create_file", {"path": "a.txt", "content": "x"})]
    assert heard == ["uses create_file", "Done."]
    assert server.asked[2].user.splitlines()[-1] == "And now?"
    assert "the-real-key" in "".join(server.asked[0].login.values())


def test_its_own_tools_cannot_write_even_when_they_are_on(configured: Configured) -> None:
    with ModelServer(configured.kind.writes(configured.work)) as server, DoorServer() as door:
        model = LOOSE_CODEX if configured.kind.program == "codex" else configured.kind.model
        agent = configured.agent(url(configured, server), key_env="A_KEY", model=model)
        agent.cli = Loose(agent.cli, configured.kind.loose)
        ended = configured.turn(agent, door)
    assert ended.text == "Done."
    assert list(configured.work.iterdir()) == []
    assert "read-only file system" in server.asked[1].results[0].text.lower() + server.asked[2].results[1].text.lower()


class Loose:
    """The real agent, started as if it had no limits."""

    def __init__(self, cli: Any, loose: Callable[[Launch, Ask], Launch]) -> None:
        self._cli = cli
        self._loose = loose

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cli, name)

    def launch(self, ask: Ask) -> Launch:
        return self._loose(self._cli.launch(ask), ask)


def test_an_agent_whose_turn_is_cancelled_is_gone(configured: Configured) -> None:
    with ModelServer(lambda asked: Hang()) as server:
        agent = configured.agent(url(configured, server), key_env="A_KEY")

        async def cancelled() -> None:
            call = asyncio.ensure_future(agent.complete("You plan.", "Plan it.", max_output=500))
            while not server.asked:
                await asyncio.sleep(0.02)
            call.cancel()
            await call

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())
    assert [line for line in running() if str(configured.root) in line] == []
    assert list((configured.root / "homes").iterdir()) == []


def running() -> list[str]:
    """Every process of this machine, by its command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes().decode(errors="replace"))
    return found


@pytest.mark.parametrize(
    ("answer", "kind_", "options"),
    [
        (Fail(401), "auth", {}),
        (Fail(429), "rate_limited", {}),
        (Fail(500), "overloaded", {}),
        (Cut(), "connection", {}),
        (Hang(), "timeout", {"timeout_seconds": 4}),
        (Hang(), "timeout", {"idle_seconds": 3}),
    ],
)
def test_failures_are_named_through_the_cage(configured: Configured, answer: Answer, kind_: str, options: Any) -> None:
    with ModelServer(lambda asked: answer) as server:
        assert kind_of(configured, url(configured, server), **options) == kind_
    assert len(server.asked) == 1


def test_a_model_nobody_answers_at_is_named_through_the_cage(configured: Configured) -> None:
    assert kind_of(configured, nobody()) == "connection"
