"""What the checks look at: a folder, the base commit, the changed lines and the warm tools, read once per change."""

from __future__ import annotations

import ast
import asyncio
import difflib
import hashlib
import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from thoughtforge.gate.cache import TEXT_BYTES, BaseFiles
from thoughtforge.gate.context import Diagnostic
from thoughtforge.gate.findings import Moved
from thoughtforge.gate.linters import CHANGED, CREATED, DELETED, Ruff, Ty
from thoughtforge.gate.mirror import PYTHON, Mirror, PackageGraph, decode

if TYPE_CHECKING:
    from grimp import ImportGraph

T = TypeVar("T")


class Files:
    """Everything that is known about the files of one folder, and who can be asked about them."""

    def __init__(
        self, root: Path, before: BaseFiles | None, *, mirror: Mirror, ruff: Ruff, ty: Ty, graph: PackageGraph
    ) -> None:
        self.root = root
        self.before = before
        self.mirror = mirror
        self.ruff = ruff
        self.ty = ty
        self.graph = graph
        self.texts: dict[str, str] = {}
        self.digests: dict[str, str] = {}
        self.moved = Moved(before.texts if before else {})
        self.lines: dict[str, tuple[str, list[str]]] = {}
        self.trees: dict[str, tuple[str, ast.Module | None]] = {}
        self.asked: dict[tuple[str, str], tuple[int, asyncio.Future[Any]]] = {}

    async def refresh(self, paths: Iterable[str]) -> None:
        """Take these files as they are now, and tell the tools."""
        kinds: dict[str, int] = {}
        for path in paths:
            data = _bytes(self.root / path)
            if data is None:
                self._forget(path, kinds)
            else:
                self._take(path, data, kinds)
        for path in self.moved.trace(self.texts) & self.texts.keys():
            self._show(path, self.texts[path], kinds)
        await self.ty.changed(kinds)

    async def once(self, tool: str, path: str, ask: Callable[[], Awaitable[T]]) -> T:
        """One question for all checks that want to know the same about the same state of the files."""
        return await self.begin(tool, path, ask)

    def begin(self, tool: str, path: str, ask: Callable[[], Awaitable[T]]) -> asyncio.Future[T]:
        """As `once`, without waiting for the answer; whoever wants it asks again."""
        known = self.asked.get((tool, path))
        if known is None or known[0] != self.mirror.state:
            known = self.asked[tool, path] = (self.mirror.state, asyncio.ensure_future(ask()))
            known[1].add_done_callback(_heard)
        return known[1]

    def tree_digest(self) -> str:
        """Names the content of all files together."""
        whole = "\0".join(f"{path}\0{digest}" for path, digest in sorted(self.digests.items()))
        return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()

    def changed(self, paths: Iterable[str]) -> dict[str, frozenset[int]]:
        """The lines of these files that differ from the base commit."""
        known = self.before.texts if self.before else {}
        origins = self.moved.origins
        return {path: changed_lines(known.get(origins.get(path, path)), self.texts.get(path, "")) for path in paths}

    async def close(self) -> None:
        """End the tools; nobody waits for an answer any more."""
        for _, task in self.asked.values():
            task.cancel()
        await asyncio.gather(*(task for _, task in self.asked.values()), return_exceptions=True)
        self.asked.clear()
        await self.ruff.close()
        await self.ty.close()

    def _take(self, path: str, data: bytes, kinds: dict[str, int]) -> None:
        digest = hashlib.sha256(data).hexdigest()
        if self.digests.get(path) == digest:
            return
        self.digests[path] = digest
        self.texts[path] = text = "" if len(data) > TEXT_BYTES and not path.endswith(PYTHON) else decode(path, data)
        self._show(path, text, kinds)

    def _show(self, path: str, text: str, kinds: dict[str, int]) -> None:
        """Put a file into the mirror, with the suppressions it had at the base commit."""
        there = path in self.mirror.texts
        base = self.before.texts.get(self.moved.origins.get(path, path)) if self.before else None
        if self.mirror.shows(path) and self.mirror.put(path, text, base=base):
            kinds[path] = CHANGED if there else CREATED

    def _forget(self, path: str, kinds: dict[str, int]) -> None:
        self.digests.pop(path, None)
        self.texts.pop(path, None)
        if self.mirror.drop(path):
            kinds[path] = DELETED


class View:
    """A context for one check: some of the files."""

    def __init__(
        self,
        files: Files,
        paths: tuple[str, ...],
        changed: Mapping[str, frozenset[int]] | None,
        *,
        is_test: Callable[[str], bool] = lambda path: False,
    ) -> None:
        self.files = files
        self.is_test = is_test
        self.root = files.root
        self.paths = paths
        self.changed = changed

    def text(self, path: str) -> str:
        """A file's text; empty for one that is not there or is no text."""
        return self.files.texts.get(path, "")

    def base_text(self, path: str) -> str | None:
        """The file as the base commit has it."""
        return self.files.before.texts.get(path) if self.files.before else None

    def origin(self, path: str) -> str:
        """What a file that was moved was called at the base commit; its own path for any other."""
        return self.files.moved.origins.get(path, path)

    def base_paths(self) -> tuple[str, ...]:
        """Every file of the base commit."""
        return self.files.before.paths if self.files.before else ()

    def module(self, path: str) -> ast.Module | None:
        """A Python file's syntax tree, parsed once; None when it does not parse."""
        text = self.text(path)
        known = self.files.trees.get(path)
        if known is None or known[0] != text:
            known = self.files.trees[path] = (text, _tree(text))
        return known[1]

    def line(self, path: str, number: int) -> str:
        """One line of a file; empty where there is none."""
        text = self.text(path)
        known = self.files.lines.get(path)
        if known is None or known[0] is not text:
            known = self.files.lines[path] = (text, text.split("\n"))
        return known[1][number - 1] if 0 < number <= len(known[1]) else ""

    async def ruff(self, path: str) -> tuple[Diagnostic, ...]:
        """What ruff says about a Python file."""
        return await self.files.once("ruff", path, lambda: self.files.ruff.look(path))

    async def types(self, path: str) -> tuple[Diagnostic, ...]:
        """What the type checker says about a Python file."""
        return await self.files.once("ty", path, lambda: self.files.ty.look(path))

    async def graph(self) -> ImportGraph | None:
        """Who imports whom, read in a thread."""
        return await self.files.once("graph", "", lambda: asyncio.to_thread(self.files.graph.build))


def _heard(answer: asyncio.Future[Any]) -> None:
    """An error in an answer that nobody waits for any more is no news."""
    if not answer.cancelled():
        answer.exception()


def _tree(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in a stranger's code are not ours to announce
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bytes(file: Path) -> bytes | None:
    """The content of a plain file; a link is never followed, and what is no file has none."""
    try:
        return file.read_bytes() if not file.is_symlink() else None
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def changed_lines(before: str | None, now: str) -> frozenset[int]:
    """The numbers of the lines that are new or different; all of a file that was not there before."""
    new = now.split("\n")
    if before is None:
        return frozenset(range(1, len(new) + 1))
    old = before.split("\n")
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    # the middle alone is compared closely: edits are small, and the comparison is not quick
    matcher = difflib.SequenceMatcher(
        None, old[start : len(old) - end], new[start : len(new) - end], autojunk=len(new) - start - end > 2000
    )
    ranges = [(block[3], block[4]) for block in matcher.get_opcodes() if block[0] != "equal"]
    return frozenset(start + number + 1 for first, last in ranges for number in range(first, last))


def _common(one: list[str], other: list[str]) -> int:
    """How many lines at the beginning are the same."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
