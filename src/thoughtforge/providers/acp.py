"""Any agent that speaks the Agent Client Protocol, such as `gemini --acp` or `opencode acp`.

The protocol is the way to talk: prompt, progress, permission, cancel. It holds nobody back: agents were measured that
write files and run commands without a question, and some ignore a refusal. The cage does that, and our tools are the
only way out of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field

from thoughtforge import __version__
from thoughtforge.agent_runtime import login
from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cage import Cage
from thoughtforge.agent_runtime.cli import Api, Ask, CliOptions, Launch, Output, TurnOutput
from thoughtforge.agent_runtime.failures import failure, of_kind, unended
from thoughtforge.agent_runtime.launch import timely, watched
from thoughtforge.calls.port import ProviderError, Usage
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.settings.environment import Machine

if TYPE_CHECKING:
    from acp.client.connection import ClientSideConnection
    from acp.schema import HttpMcpServer, PermissionOption, PromptResponse, RequestPermissionResponse, ToolCallUpdate

NOT_LOGGED_IN = -32000
"""The protocol's code for an agent that wants a login first."""

STOPS = {"max_tokens": "truncated", "max_turn_requests": "truncated", "refusal": "refused", "cancelled": "connection"}
"""Reasons for the end of a turn that stand for a failure; `end_turn` is the only one that does not."""

Words = Callable[[str], None]


class Options(CliOptions):
    """One entry of `providers:` with `kind: acp`."""

    command: str = Field(min_length=1)
    """The agent's program, by name or path."""
    args: tuple[str, ...] = ()
    """Arguments that turn the protocol on, such as `--acp`."""
    api: Api = "openai"
    """The wire format between it and its model."""
    base_url: str = Field(min_length=1)
    """The URL of its model."""
    env: dict[str, str] = Field(default_factory=dict)
    """Its environment variables. `{model_url}`, `{key}` and `{home}` stand for its model's URL, key and home."""
    files: dict[str, str] = Field(default_factory=dict)
    """Its own configuration: path in its private home → text, with the same placeholders."""
    login: tuple[str, ...] = ()
    """Files below the person's home that hold its login, used when no key is named."""
    hosts: tuple[str, ...] = ()
    """Hosts it contacts to renew that login."""


def make(options: Options, machine: Machine) -> AcpAgent:
    """The agent of one configuration entry."""
    if find_spec("acp") is None:
        what = "the provider acp needs agent-client-protocol, not installed here"
        raise UserError(what, do="Install it: pip install 'thoughtforge[agents]'")
    return AcpAgent(Acp(options), options, machine)


class Acp:
    """What is known of such an agent: what a person wrote down."""

    install = "see the agent's own manual"
    log_in = "see the agent's own manual"
    images = False

    def __init__(self, options: Options) -> None:
        self.options = options
        self.program = options.command
        self.api: Api = options.api
        self.endpoint = options.base_url
        self.login = options.login
        self.parts: tuple[str, ...] = ()
        self.moved = ("", "")
        self.hosts = options.hosts

    def launch(self, ask: Ask) -> Launch:
        """Its process; everything else is said in the conversation."""

        def filled(text: str) -> str:
            for word, value in (("{model_url}", ask.model_url), ("{key}", ask.key), ("{home}", str(ask.home))):
                text = text.replace(word, value)
            return text

        env = {name: filled(value) for name, value in self.options.env.items()}
        files = {name: filled(text) for name, text in self.options.files.items()}
        return Launch(self.options.args, env={"HOME": str(ask.home), **env}, files=files)

    def read(self, ask: Ask, output: Output) -> TurnOutput:
        """Its output is the conversation; what is left afterwards tells only why there was none."""
        raise unended(self, ask, output)

    def progress(self, line: bytes) -> str:
        """Words already."""
        return line.decode(errors="replace")


class AcpAgent(CliAgent):
    """The same agent in the same cage; only what is said to it and heard from it differs."""

    async def _told(self, cage: Cage, ask: Ask, *, on_line: Callable[[bytes], None] | None = None) -> TurnOutput:
        launch = self.cli.launch(ask)
        login.filled(cage.inmate.home, launch.files)
        return await watched(cage, self._talked(cage, ask, launch, on_line=on_line))

    async def _talked(
        self, cage: Cage, ask: Ask, launch: Launch, *, on_line: Callable[[bytes], None] | None = None
    ) -> TurnOutput:
        async with cage.talking(launch) as talk:
            hear: Words = (lambda words: on_line(words.encode())) if on_line else (lambda words: None)
            speaking = asyncio.ensure_future(converse(self.cli, ask, talk.writer, reader=talk.reader, hear=hear))
            try:
                waiting: list[asyncio.Future[Any]] = [speaking, talk.stopped]
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if talk.stopped.done() and talk.stopped.result():
                    timely(cage, SandboxResult(-1, b"", talk.errors(), b"", talk.stopped.result(), False))
                return await speaking
            except ProviderError as error:
                raise _hidden(error, cage.behind.proxy.upstream.key) from None
            finally:
                speaking.cancel()
                await asyncio.gather(speaking, return_exceptions=True)


def _hidden(error: ProviderError, key: str) -> ProviderError:
    """The same error; the server may have repeated the key, and the agent the server's words."""
    if not key or key not in error.message:
        return error
    return type(error)(error.kind, error.message.replace(key, "***"), do=error.do)


async def converse(
    cli: Any, ask: Ask, writer: asyncio.StreamWriter, *, reader: asyncio.StreamReader, hear: Words
) -> TurnOutput:
    """One prompt and its answer; raises ProviderError or Transient unless the agent says that the turn has ended."""
    from acp import RequestError, connect_to_agent
    from pydantic import ValidationError

    client = Client(ask, hear)
    connection = connect_to_agent(cast(Any, client), writer, reader)
    try:
        session, ended = await _prompted(cli, ask, connection, client)
    except RequestError as error:
        if error.code == NOT_LOGGED_IN:
            raise of_kind("auth", cli, ask) from None
        raise failure(cli, ask, f"{error} {json.dumps(error.data) if error.data else ''}") from None
    except ValidationError:
        raise of_kind("malformed", cli, ask, said="it violates the protocol") from None
    except ConnectionError:
        raise of_kind("connection", cli, ask, said="it ended before its answer") from None
    finally:
        await connection.close()
    if kind := STOPS.get(ended.stop_reason):
        raise of_kind(kind, cli, ask)
    if not client.text.strip():
        raise of_kind("empty", cli, ask)
    return TurnOutput(client.text, session=session, model=ask.model, usage=_usage(ended))


async def _prompted(cli: Any, ask: Ask, connection: ClientSideConnection, client: Client) -> tuple[str, PromptResponse]:
    from acp import PROTOCOL_VERSION, text_block
    from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation

    # Neither files nor a terminal of ours: whoever wants to write uses our tools.
    without = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=False, write_text_file=False), terminal=False)
    us = Implementation(name="thoughtforge", version=__version__)
    it = await connection.initialize(PROTOCOL_VERSION, client_capabilities=without, client_info=us)
    can = it.agent_capabilities
    if ask.door and not (can and can.mcp_capabilities and can.mcp_capabilities.http):
        raise of_kind("bad_request", cli, ask, said="it cannot reach tools over HTTP")
    if ask.session:
        await connection.load_session(str(ask.work), ask.session, mcp_servers=[*_servers(ask)])
        session = ask.session
    else:
        session = (await connection.new_session(str(ask.work), mcp_servers=[*_servers(ask)])).session_id
    client.forget()  # a conversation that goes on is told again from its beginning
    try:
        return session, await connection.prompt(session, [text_block(_prompt(ask))])
    except asyncio.CancelledError:
        with contextlib.suppress(Exception):
            await connection.cancel(session)
        raise


class Client:
    """Our side: hears what the agent says and answers when it asks for permission. It offers nothing else."""

    def __init__(self, ask: Ask, hear: Words) -> None:
        self.text = ""
        """What the agent said after its last use of a tool."""
        self._tools = frozenset(_names(ask))
        self._hear = hear

    def forget(self) -> None:
        """Begin again."""
        self.text = ""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Something happened."""
        kind = getattr(update, "session_update", "")
        if kind == "tool_call":
            self.text = ""
            self._hear(f"uses {update.title}"[:80])
        elif kind == "agent_message_chunk" and (said := getattr(update.content, "text", "")):
            self.text += said
            self._hear(self.text.strip().rpartition("\n")[2][-80:])

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Our own tools once, nothing for ever, everything else not at all."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        self.text = ""
        wanted = "allow_once" if tool_call.title in self._tools else "reject_once"
        found = next((option for option in options if option.kind == wanted), None)
        outcome = AllowedOutcome(option_id=found.option_id, outcome="selected") if found else None
        return RequestPermissionResponse(outcome=outcome or DeniedOutcome(outcome="cancelled"))


def _names(ask: Ask) -> Iterator[str]:
    """What agents call our tools when they ask. Whole names: the text of a command is a title as well."""
    for tool in ask.door.tools if ask.door else ():
        yield from (f"bridge_{tool}", f"mcp_bridge_{tool}", f"mcp__bridge__{tool}", f"mcp.bridge.{tool}")
        yield f"{tool} (bridge MCP Server)"


def _servers(ask: Ask) -> Iterator[HttpMcpServer]:
    from acp.schema import HttpHeader, HttpMcpServer

    if ask.door:
        header = HttpHeader(name="Authorization", value=f"Bearer {ask.door.token}")
        yield HttpMcpServer(type="http", name="bridge", url=ask.door.url, headers=[header])


def _prompt(ask: Ask) -> str:
    parts = [ask.system, ask.prompt]
    if ask.schema is not None:
        wanted = "Answer with one JSON value and nothing else. It must fit this JSON schema:"
        parts[1:1] = [f"{wanted}\n{json.dumps(ask.schema)}"]
    return "\n\n".join(part for part in parts if part)


def _usage(ended: PromptResponse) -> Usage:
    """As the agent says; several count only their last request, so the proxy's own count goes before it."""
    if ended.usage is None:
        return Usage()
    return Usage(input_tokens=ended.usage.input_tokens or None, output_tokens=ended.usage.output_tokens or None)
