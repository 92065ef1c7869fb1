"""A warm `ty server` over the mirror, told by our configuration alone.

No file is ever opened in it: it reads the mirror and is told what changed. Three traps are avoided on purpose. With
`openFilesOnly` it never sees that a change broke another file. Asked for everything, it keeps its answer back as long
as there is nothing to tell: so it is never sent `previousResultIds`, and a file of ours with an error in it is always
there. That error is also the proof that it looked: an answer without it is no answer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from thoughtforge.gate import tools
from thoughtforge.gate.lsp import ANSWER_SECONDS, Server, Start
from thoughtforge.gate.mirror import Mirror
from thoughtforge.gate.scene import Broken, Diagnostic

ERROR = 1
CONTROL = "thoughtforge-control/control.py"
CONTROL_TEXT = 'wrong: int = "on purpose"\n'
CREATED, CHANGED, DELETED = 1, 2, 3
NOT_FOUND = ("import-not-found", "unresolved-import")
"""What the rule is called, now and in earlier versions."""
UNRESOLVED = re.compile(r"module `([^`.]+)")
SKIPPED_BY_ITSELF = (
    *(".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".mypy_cache", ".nox", ".pants.d", ".pytype"),
    *(".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist"),
    *("node_modules", "site-packages", "venv"),
)
"""Folder names ty leaves out unless it is told otherwise; whoever puts code there is judged all the same."""


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
            if not found.pop(CONTROL, None):
                raise Broken("ty did not report an error that is there", do=tools.INSTALL)
            self.everywhere = (state, {path: self._kept(path, items) for path, items in found.items()})
        return self.everywhere[1]

    async def changed(self, paths: Mapping[str, int]) -> None:
        """Tell the server which files of the mirror were created, changed or deleted."""
        changes = [{"uri": self.mirror.file(path).as_uri(), "type": kind} for path, kind in paths.items()]
        if self.server is not None and changes:
            await self.server.tell("workspace/didChangeWatchedFiles", {"changes": changes})

    async def close(self) -> None:
        """End the server."""
        if self.server is not None:
            await self.server.close()

    def _started(self) -> Server:
        if self.server is None:
            tools.write_settings(self.config, self._settings())
            control = self.mirror.file(CONTROL)
            control.parent.mkdir(parents=True, exist_ok=True)
            control.write_text(CONTROL_TEXT, encoding="utf-8")
            start = Start(
                name="ty",
                argv=(tools.program("ty", search_path=self.search_path), "server"),
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
        errors = [_diagnostic(path, item) for item in items if item.get("severity") == ERROR]
        return tuple(item for item in errors if self.environment is not None or _known_here(item, own))


def _known_here(item: Diagnostic, own: Collection[str]) -> bool:
    """Without the project's environment nobody can say whether a foreign module exists."""
    if item.code not in NOT_FOUND:
        return True
    found = UNRESOLVED.search(item.message)
    return found is None or found[1] in own or found[1] in sys.stdlib_module_names


def _diagnostic(path: str, item: Mapping[str, Any]) -> Diagnostic:
    message = str(item["message"]).partition("\n")[0]
    return Diagnostic(path, item["range"]["start"]["line"] + 1, str(item.get("code") or "types"), message)
