"""The command line of Codex: what to start, and what its output means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thoughtforge.cages.cli import Api, Ask, Launch, Output, Told
from thoughtforge.cages.failures import failure, of_kind, unended
from thoughtforge.cages.records import records
from thoughtforge.calls.port import Usage
from thoughtforge.providers.codex_cli.config import HOME, KEY, SCHEMA, TOKEN, files, held

WITH_KEY, WITH_LOGIN = "https://api.openai.com/v1", "https://chatgpt.com/backend-api/codex"
"""Where its model is: a ChatGPT login is not accepted where keys are, nor the other way round."""


class Codex:
    """The command line of Codex, as measured with 0.166.0."""

    api: Api = "responses"
    login: tuple[str, ...] = (f"{HOME}/auth.json",)
    parts: tuple[str, ...] = ()
    moved = ("CODEX_HOME", HOME)
    # An expired login is renewed there; the login itself is sent to the model's address.
    hosts: tuple[str, ...] = ("auth.openai.com",)
    install = "npm install -g @openai/codex"
    log_in = "codex login"
    sees = True

    def __init__(self, program: str = "codex", endpoint: str = WITH_LOGIN) -> None:
        self.program = program
        self.endpoint = endpoint

    def launch(self, ask: Ask) -> Launch:
        """Everything is said in the private configuration; a repository's own is not trusted and so not read."""
        argv = ["exec", *(("resume",) if ask.session else ("-s", "read-only"))]
        for image in ask.images:
            # It takes what follows for pictures too, up to the next flag.
            argv += ["-i", str(image)]
        argv += ["--json", "--skip-git-repo-check"]
        if ask.model:
            argv += ["-m", ask.model]
        if held(ask):
            argv += ["--output-schema", str(ask.home / SCHEMA)]
        env = {"HOME": str(ask.home), "CODEX_HOME": str(ask.home / HOME)}
        env |= {KEY: ask.key} if ask.key else {}
        env |= {TOKEN: ask.door.token} if ask.door else {}
        last = (ask.session, "-") if ask.session else ("-",)
        return Launch(argv=(*argv, *last), stdin=ask.prompt.encode(), env=env, files=files(ask))

    def read(self, ask: Ask, output: Output) -> Told:
        """`turn.completed` and the exit code decide; its `error` records are often only warnings."""
        lines = list(records(output.stdout))
        failed = next((line for line in reversed(lines) if line.get("type") == "turn.failed"), None)
        if failed is not None:
            said, status = _said(failed)
            raise failure(self, ask, said, status=status)
        ended = next((line for line in reversed(lines) if line.get("type") == "turn.completed"), None)
        if ended is None or output.code != 0:
            if b"required MCP servers failed" in output.stderr:
                raise of_kind("connection", self, ask, said="it did not reach our tools")
            raise unended(self, ask, output)
        texts = [str(item.get("text") or "") for item in _items(lines) if item.get("type") == "agent_message"]
        if not texts or not texts[-1].strip():
            raise of_kind("empty", self, ask)
        usage = ended.get("usage") or {}
        return Told(
            text=texts[-1],
            session=next((str(line["thread_id"]) for line in lines if line.get("thread_id")), ""),
            model=ask.model,
            usage=Usage(input_tokens=usage.get("input_tokens"), output_tokens=usage.get("output_tokens")),
            # It goes on counting when a conversation goes on.
            cumulative=True,
        )

    def progress(self, line: bytes) -> str:
        """The tool it calls, or the beginning of what it says."""
        record: dict[str, Any] = next(records(line), {})
        item = record.get("item") or {}
        if record.get("type") == "error" and str(record.get("message")).startswith("Reconnecting"):
            return "waits for its model"
        if record.get("type") == "item.started" and item.get("type") == "mcp_tool_call":
            return f"uses {item.get('tool')}"
        if record.get("type") == "item.completed" and item.get("type") == "agent_message":
            return (str(item.get("text")).strip().splitlines() or [""])[0][:80]
        return ""


def _items(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (line["item"] for line in lines if line.get("type") == "item.completed" and isinstance(line["item"], dict))


def _said(failed: dict[str, Any]) -> tuple[str, int | None]:
    """Its words, and the status where it gives no words: a 400 is passed on as the server wrote it."""
    words = str((failed.get("error") or {}).get("message") or "")
    body = next(records(words.encode()), None)
    if body is None:
        return words, None
    error = body.get("error")
    return str(error.get("message") if isinstance(error, dict) else error or body.get("detail") or words), 400
