"""A warm `ruff server` that reads no configuration but ours.

The server is stateless to us: a file is opened, judged and closed in one question, so that a restart loses nothing.
A server that cannot read its configuration goes on with rules of its own; so the first question is always about a
text that breaks a rule only we ask for, and an answer without it is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from thoughtforge.gate import tools
from thoughtforge.gate.lsp import ANSWER_SECONDS, Server, Start
from thoughtforge.gate.mirror import Mirror
from thoughtforge.gate.scene import Broken, Diagnostic

SYNTAX = "invalid-syntax"
CONTROL = "W291"
CONTROL_TEXT = "trailing = 1 \n"


class Ruff:
    """What ruff says about the files of a mirror."""

    def __init__(
        self,
        mirror: Mirror,
        settings: Mapping[str, Any],
        *,
        folder: Path,
        search_path: str,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self.mirror = mirror
        self.settings = settings
        self.config = folder / "ruff.toml"
        self.search_path = search_path
        self.answer_seconds = answer_seconds
        self.server: Server | None = None
        self.proven = False
        """Whether the server has shown that it goes by our configuration."""
        self.known: dict[str, tuple[str, tuple[Diagnostic, ...]]] = {}
        """Path → the text that was judged and what was said; ruff looks at one file at a time."""

    async def look(self, path: str) -> tuple[Diagnostic, ...]:
        """Everything the rules asked for find in one file."""
        text = self.mirror.texts.get(path, "")
        known = self.known.get(path)
        if known is not None and known[0] == text:
            return known[1]
        if not self.proven:
            self.proven = any(each.code == CONTROL for each in await self._asked("control.py", CONTROL_TEXT))
        if not self.proven:
            raise Broken("ruff did not take its configuration", do="Check the options in conformance/*.yaml.")
        found = tuple(each for each in await self._asked(path, text) if each.code != CONTROL)
        self.known[path] = (text, found)
        return found

    async def _asked(self, path: str, text: str) -> list[Diagnostic]:
        uri = self.mirror.file(path).as_uri()
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        answer = await self._started().ask(
            ("textDocument/didClose", {"textDocument": {"uri": uri}}),
            ("textDocument/didOpen", {"textDocument": document}),
            method="textDocument/diagnostic",
            params={"textDocument": {"uri": uri}},
        )
        return sorted(_diagnostic(path, item) for item in answer["items"])

    async def close(self) -> None:
        """End the server."""
        if self.server is not None:
            await self.server.close()

    def _started(self) -> Server:
        if self.server is None:
            tools.write_settings(self.config, with_places(self.settings, self.mirror))
            start = Start(
                name="ruff",
                argv=(tools.program("ruff", search_path=self.search_path), "server"),
                root=self.mirror.folder,
                options={"settings": {"configuration": str(self.config), "configurationPreference": "editorOnly"}},
                capabilities={"textDocument": {"diagnostic": {}}},
            )
            self.server = Server(start, answer_seconds=self.answer_seconds)
        return self.server


def ruff_settings(wanted: Iterable[str], settings: Mapping[str, Any], *, python: str = "") -> dict[str, Any]:
    """The whole configuration: exactly the rules asked for, on every file, whatever its folder is called."""
    whole: dict[str, Any] = {"exclude": [], "lint": {"select": sorted({*wanted, CONTROL}), "exclude": []}}
    if python:
        whole["target-version"] = f"py{python.replace('.', '')}"
    return merged(whole, settings)


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both together: tables are merged, lists joined without doubles, anything else replaced."""
    whole = dict(under)
    for key, value in over.items():
        old = whole.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            whole[key] = merged(old, value)
        elif isinstance(old, list) and isinstance(value, list | tuple):
            whole[key] = [*old, *(item for item in value if item not in old)]
        else:
            whole[key] = list(value) if isinstance(value, tuple) else value
    return whole


def with_places(settings: Mapping[str, Any], mirror: Mirror) -> dict[str, Any]:
    """The settings together with where the project's own modules are, for the order of imports."""
    folders = [str(mirror.folder / root) for root in mirror.roots()]
    own = [package.name for package in mirror.packages()]
    return merged({"src": folders, "lint": {"isort": {"known-first-party": own}}}, settings)


def _diagnostic(path: str, item: Mapping[str, Any]) -> Diagnostic:
    # the help after the first line depends on what else is wrong in the file, so it is no part of the message
    message = str(item["message"]).partition("\n")[0]
    return Diagnostic(path, item["range"]["start"]["line"] + 1, str(item.get("code") or SYNTAX), message)
