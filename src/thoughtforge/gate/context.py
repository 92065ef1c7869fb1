"""The context of a check, and the protocol of a check."""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from thoughtforge.gate.findings import Severity, Violation

if TYPE_CHECKING:
    from grimp import ImportGraph
    from pydantic import BaseModel

Moment = Literal["every_edit", "new_file", "stage_end"]
"""When a check runs: after every edit, after one that adds a file, or at the end of a stage, where all of them run."""
Category = Literal["syntax", "types", "style", "architecture", "pattern", "security", "quality", "tests", "honesty"]


class Diagnostic(NamedTuple):
    """What a tool said about one place of a file."""

    path: str
    line: int
    code: str
    message: str


class CheckContext(Protocol):
    """The files under judgement, as data; nothing in them is ever run by looking."""

    root: Path
    paths: tuple[str, ...]
    """The files to look at, from the root; a finding elsewhere is dropped."""
    changed: Mapping[str, frozenset[int]] | None
    """Lines that differ from the base commit; None when everything counts."""

    @property
    def is_test(self) -> Callable[[str], bool]:
        """Whether a file is a test."""
        ...

    def text(self, path: str) -> str:
        """A file's text; empty for a file that is not there or is no text."""
        ...

    def base_text(self, path: str) -> str | None:
        """The file as the base commit has it; None when it has none, or when there is no base."""
        ...

    def origin(self, path: str) -> str:
        """What a file that was moved was called at the base commit; its own path for any other."""
        ...

    def base_paths(self) -> tuple[str, ...]:
        """Every file of the base commit."""
        ...

    def module(self, path: str) -> ast.Module | None:
        """A Python file's syntax tree; None when it does not parse."""
        ...

    def ruff(self, path: str) -> Awaitable[tuple[Diagnostic, ...]]:
        """What ruff says about a Python file with the rules all active checks asked for, suppressions ignored."""
        ...

    def types(self, path: str) -> Awaitable[tuple[Diagnostic, ...]]:
        """What the type checker says about a Python file, warnings left out."""
        ...

    def graph(self) -> Awaitable[ImportGraph | None]:
        """Who imports whom among the repository's own Python packages; None when it has none."""
        ...


class Check(Protocol):
    """What a file in checks/ offers, by its own name with - for _, or several times by name as `CHECKS`."""

    CATEGORY: Category
    MOMENT: Moment
    SEVERITY: Severity
    DESCRIPTION: str
    HINT: str
    ACTIVE: bool
    """Whether it runs by default."""
    RUFF: tuple[str, ...]
    """Rule codes or prefixes it needs of ruff; empty for most."""
    ENDINGS: tuple[str, ...]
    """Suffixes of the files it checks; empty for all."""
    Options: type[BaseModel]
    """What conformance/*.yaml may set for it."""

    def ruff_settings(self, options: Any) -> dict[str, Any]:
        """What its options mean for ruff.toml; optional."""
        ...

    def run(self, context: CheckContext, options: Any) -> Awaitable[Iterable[Violation]]:
        """Everything wrong. Raises Broken when it cannot tell."""
        ...


class Broken(Exception):
    """A check that could not run: what happened, and what to install or repair."""

    def __init__(self, what: str, *, do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.do = do
