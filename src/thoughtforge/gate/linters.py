"""Warm ruff and ty, which read no configuration but ours.

The server is stateless to us: a file is opened, judged and closed in one question, so that a restart loses nothing.
A server that cannot read its configuration goes on with rules of its own; so the first question is always about a
text that breaks a rule only we ask for, and an answer without it is no answer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from thoughtforge.gate import language_servers
from thoughtforge.gate.context import Broken, Diagnostic
from thoughtforge.gate.language_servers import ANSWER_SECONDS, Server, Start
from thoughtforge.gate.mirror import Mirror

SYNTAX = "invalid-syntax"
RUFF_CONTROL = "W291"
RUFF_CONTROL_TEXT = "trailing = 1 \n"


class RuffEdit(NamedTuple):
    """Whole lines in place of others: those from index `first` up to `last`."""

    first: int
    last: int
    text: str


class Ruff:
    """What ruff says about the files of a mirror."""

    def __init__(
        self,
        mirror: Mirror,
        settings: Mapping[str, Any],
        *,
        folder: Path,
        search_path: str,
        own: Callable[[], Iterable[str]] = tuple,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self.mirror = mirror
        self.settings = settings
        self.own = own
        """Modules that count as the project's own though they may not exist yet."""
        self.config = folder / "ruff.toml"
        self.search_path = search_path
        self.answer_seconds = answer_seconds
        self.server: Server | None = None
        self.proven = False
        """Whether the server has shown that it goes by our configuration."""
        self.places: dict[str, Any] = {}
        """The settings the server runs with."""
        self.known: dict[str, tuple[str, tuple[Diagnostic, ...]]] = {}
        """Path → the text that was judged and what was said; ruff looks at one file at a time."""

    async def look(self, path: str) -> tuple[Diagnostic, ...]:
        """Everything the rules asked for find in one file."""
        await self._settle()
        text = self.mirror.texts.get(path, "")
        known = self.known.get(path)
        if known is not None and known[0] == text:
            return known[1]
        if not self.proven:
            self.proven = any(each.code == RUFF_CONTROL for each in await self._asked("control.py", RUFF_CONTROL_TEXT))
        if not self.proven:
            raise Broken("ruff rejects its configuration", do="Check the options in conformance/*.yaml.")
        found = tuple(each for each in await self._asked(path, text) if each.code != RUFF_CONTROL)
        self.known[path] = (text, found)
        return found

    async def _settle(self) -> None:
        """Begin anew when other modules are the project's own: the order of imports depends on them."""
        places = with_places(self.settings, self.mirror, self.own())
        if places == self.places:
            return
        old, self.server, self.proven, self.places = self.server, None, False, places
        self.known.clear()
        if old is not None:
            await old.close()

    async def fixes(self, path: str, text: str, *, code: str) -> list[RuffEdit]:
        """What ruff itself would write in place of the lines it has this against."""
        await self._settle()
        found = [item["data"]["edits"] for item in await self._items(path, text) if item.get("code") == code]
        return [fix for edits in found for fix in map(_ruff_edit, edits) if fix is not None]

    async def _asked(self, path: str, text: str) -> list[Diagnostic]:
        return sorted(_diagnostic(path, item) for item in await self._items(path, text))

    async def _items(self, path: str, text: str) -> list[Mapping[str, Any]]:
        uri = self.mirror.file(path).as_uri()
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        answer = await self._started().ask(
            ("textDocument/didClose", {"textDocument": {"uri": uri}}),
            ("textDocument/didOpen", {"textDocument": document}),
            method="textDocument/diagnostic",
            params={"textDocument": {"uri": uri}},
        )
        return list(answer["items"])

    async def close(self) -> None:
        """End the server."""
        if self.server is not None:
            await self.server.close()

    def _started(self) -> Server:
        if self.server is None:
            language_servers.write_settings(self.config, self.places)
            start = Start(
                name="ruff",
                argv=(language_servers.program("ruff", search_path=self.search_path), "server"),
                root=self.mirror.folder,
                options={"settings": {"configuration": str(self.config), "configurationPreference": "editorOnly"}},
                capabilities={"textDocument": {"diagnostic": {}}},
            )
            self.server = Server(start, answer_seconds=self.answer_seconds)
        return self.server


def ruff_settings(wanted: Iterable[str], settings: Mapping[str, Any], *, python: str = "") -> dict[str, Any]:
    """The whole configuration: exactly the rules asked for, on every file, whatever its folder is called."""
    whole: dict[str, Any] = {"exclude": [], "lint": {"select": sorted({*wanted, RUFF_CONTROL}), "exclude": []}}
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


def with_places(settings: Mapping[str, Any], mirror: Mirror, announced: Iterable[str] = ()) -> dict[str, Any]:
    """The settings together with where the project's own modules are, for the order of imports."""
    folders = [str(mirror.folder / root) for root in mirror.roots()]
    own = [*dict.fromkeys((*(package.name for package in mirror.packages()), *sorted(announced)))]
    return merged({"src": folders, "lint": {"isort": {"known-first-party": own}}}, settings)


def _ruff_edit(edit: Mapping[str, Any]) -> RuffEdit | None:
    """One edit as lines; None when it begins or ends inside a line."""
    start, end = edit["range"]["start"], edit["range"]["end"]
    whole = start["character"] == end["character"] == 0 and edit["newText"].endswith("\n")
    return RuffEdit(start["line"], end["line"], edit["newText"]) if whole else None


def _diagnostic(path: str, item: Mapping[str, Any]) -> Diagnostic:
    # the help after the first line depends on what else is wrong in the file, so it is no part of the message
    message = str(item["message"]).partition("\n")[0]
    return Diagnostic(path, item["range"]["start"]["line"] + 1, str(item.get("code") or SYNTAX), message)


ERROR = 1
TY_CONTROL = "thoughtforge-control/control.py"
TY_CONTROL_TEXT = 'wrong: int = "on purpose"\n'
CREATED, CHANGED, DELETED = 1, 2, 3
NOT_FOUND = ("import-not-found", "unresolved-import")
"""What the rule is called, now and in earlier versions."""
UNRESOLVED = re.compile(r"module `([^`.]+)")
SKIPPED_BY_ITSELF = (
    *(".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".mypy_cache", ".nox", ".pants.d", ".pytype"),
    *(".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist"),
    *("node_modules", "site-packages", "venv"),
)
"""Folder names that ty skips by default; the gate checks code there too."""


class Ty:
    """What ty says about the files of a mirror."""

    def __init__(
        self,
        mirror: Mirror,
        *,
        folder: Path,
        search_path: str,
        environment: Path | None = None,
        more: Sequence[Path] = (),
        python: str = "",
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self.mirror = mirror
        self.config = folder / "ty.toml"
        self.search_path = search_path
        self.environment = environment
        self.more = tuple(more)
        """Further folders of modules the tests may import."""
        self.python = python
        self.answer_seconds = answer_seconds
        self.server: Server | None = None
        self.folders: frozenset[str] = frozenset()
        """The folders there were when the server started."""
        self.everywhere: tuple[int, dict[str, tuple[Diagnostic, ...]]] | None = None

    async def look(self, path: str) -> tuple[Diagnostic, ...]:
        """The errors in one file."""
        if self.everywhere is not None and self.everywhere[0] == self.mirror.state:
            return self.everywhere[1].get(path, ())
        params = {"textDocument": {"uri": self.mirror.file(path).as_uri()}}
        answer = await self._started().ask(method="textDocument/diagnostic", params=params)
        return self._kept(path, answer["items"])

    async def everything(self) -> Mapping[str, tuple[Diagnostic, ...]]:
        """The errors in every file that has one, dependents of a change included."""
        state = self.mirror.state
        if self.everywhere is None or self.everywhere[0] != state:
            answer = await self._started().ask(method="workspace/diagnostic", params={"previousResultIds": []})
            found = {self._path(report["uri"]): report["items"] for report in answer["items"]}
            if not found.pop(TY_CONTROL, None):
                raise Broken("ty did not report an error that it must find", do=language_servers.INSTALL)
            self.everywhere = (state, {path: self._kept(path, items) for path, items in found.items()})
        return self.everywhere[1]

    async def changed(self, paths: Mapping[str, int]) -> None:
        """Tell the server which files of the mirror were created, changed or deleted.

        A package in a folder that is new stays unknown to a server that runs, so the next question starts another.
        """
        if self.server is not None and any(
            kind == CREATED and str(PurePosixPath(path).parent) not in self.folders for path, kind in paths.items()
        ):
            await self.server.close()
            self.server = None
        changes = [{"uri": self.mirror.file(path).as_uri(), "type": kind} for path, kind in paths.items()]
        if self.server is not None and changes:
            await self.server.tell("workspace/didChangeWatchedFiles", {"changes": changes})

    async def close(self) -> None:
        """End the server."""
        if self.server is not None:
            await self.server.close()

    def _started(self) -> Server:
        if self.server is None:
            language_servers.write_settings(self.config, self._settings())
            self.folders = frozenset(str(PurePosixPath(path).parent) for path in self.mirror.texts)
            control = self.mirror.file(TY_CONTROL)
            control.parent.mkdir(parents=True, exist_ok=True)
            control.write_text(TY_CONTROL_TEXT, encoding="utf-8")
            start = Start(
                name="ty",
                argv=(language_servers.program("ty", search_path=self.search_path), "server"),
                root=self.mirror.folder,
                options={"diagnosticMode": "workspace", "configurationFile": str(self.config)},
                capabilities={
                    "textDocument": {"diagnostic": {}},
                    "workspace": {"configuration": True, "didChangeWatchedFiles": {"dynamicRegistration": True}},
                },
            )
            self.server = Server(start, answer_seconds=self.answer_seconds)
        return self.server

    def _settings(self) -> dict[str, Any]:
        environment: dict[str, Any] = {"root": [str(self.mirror.folder / root) for root in self.mirror.roots()]}
        if self.environment is not None:
            environment["python"] = str(self.environment)
        if self.more:
            environment["extra-paths"] = [str(place) for place in self.more]
        if self.python:
            environment["python-version"] = self.python
        shown = [f"!**/{name}/" for name in SKIPPED_BY_ITSELF]
        return {"environment": environment, "src": {"respect-ignore-files": False, "exclude": shown}}

    def _path(self, uri: str) -> str:
        place = Path(unquote(urlsplit(uri).path))
        return place.relative_to(self.mirror.folder).as_posix()

    def _kept(self, path: str, items: Iterable[Mapping[str, Any]]) -> tuple[Diagnostic, ...]:
        own = {package.name for package in self.mirror.packages()} if self.environment is None else set()
        errors = [_type_error(path, item) for item in items if item.get("severity") == ERROR]
        return tuple(item for item in errors if self.environment is not None or _known_here(item, own))


def _known_here(item: Diagnostic, own: Collection[str]) -> bool:
    """Without the project's environment nobody can say whether a foreign module exists."""
    if item.code not in NOT_FOUND:
        return True
    found = UNRESOLVED.search(item.message)
    return found is None or found[1] in own or found[1] in sys.stdlib_module_names


def _type_error(path: str, item: Mapping[str, Any]) -> Diagnostic:
    message = str(item["message"]).partition("\n")[0]
    return Diagnostic(path, item["range"]["start"]["line"] + 1, str(item.get("code") or "types"), message)
