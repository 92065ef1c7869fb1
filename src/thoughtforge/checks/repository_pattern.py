"""Only repositories talk to the database."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Broken, Category, Moment, Scene
from thoughtforge.gate.tools import INSTALL
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.globs import any_matches

if TYPE_CHECKING:
    from ast_grep_py import SgNode

CATEGORY: Category = "pattern"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "major"
DESCRIPTION = "Calls that read or write the database stand in the repositories only."
HINT = "Give the repository a method that says what you need, and call that."
ACTIVE = False
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py",)

WORD = re.compile(r"(?<![$\w])[A-Za-z_]\w+")


class Options(Value):
    """What data access looks like, and where it belongs."""

    patterns: tuple[str, ...] = (
        *("$X.execute($$$)", "$X.executemany($$$)", "$X.executescript($$$)", "$X.cursor($$$)"),
        *(
            "session.query($$$)",
            "session.add($$$)",
            "session.commit($$$)",
            "$X.objects.$M($$$)",
            "sqlite3.connect($$$)",
        ),
    )
    """Calls in the notation of ast-grep: `$X` stands for anything, `$$$` for any arguments."""
    allowed: tuple[str, ...] = (
        *("**/repositories/**", "**/repository/**", "**/repository.py", "**/*_repository.py"),
        *("**/migrations/**", "**/alembic/**", "tests/**"),
    )
    """Path patterns of the repositories."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every access to data outside the repositories."""
    paths = [path for path in scene.paths if path.endswith(ENDINGS) and not any_matches(path, options.allowed)]
    return [found for path in paths for found in _accesses(scene.text(path), path, options.patterns)]


def _accesses(text: str, path: str, patterns: tuple[str, ...]) -> Iterator[Found]:
    # a text without the words of a pattern cannot fit it, and looking for words is far quicker
    possible = [pattern for pattern in patterns if all(word in text for word in WORD.findall(pattern))]
    lines: dict[int, str] = {}
    for pattern in possible:
        for line, code in _matches(text, pattern):
            lines.setdefault(line, code)
    for line, code in sorted(lines.items()):
        yield Found(path, line, f"data access outside the repositories: {code}")


def _matches(text: str, pattern: str) -> Iterator[tuple[int, str]]:
    if not _sound(pattern):
        do = "Correct it: repository-pattern, options, patterns; `$X` is anything, `$$$` any arguments."
        raise Broken(f"the pattern {pattern!r} is not Python", do=do)
    for node in _tree(text).find_all(pattern=pattern):
        yield node.range().start.line + 1, node.text().split("\n", maxsplit=1)[0][:80]


@lru_cache
def _sound(pattern: str) -> bool:
    """Whether a pattern finds a text made after itself; a misspelt one would find nothing and never say so."""
    sample = pattern.replace("$$$", "all_of_them").replace("$", "any_")
    try:
        ast.parse(sample)  # ast-grep itself takes half a statement for a whole one
        return any(_tree(sample).find_all(pattern=pattern))
    except (SyntaxError, ValueError, RuntimeError):  # the last is what ast-grep raises for a pattern it cannot read
        return False


@lru_cache(maxsize=8)
def _tree(text: str) -> SgNode:
    try:
        from ast_grep_py import SgRoot
    except ImportError as error:
        raise Broken("ast-grep-py is missing", do=INSTALL) from error
    return SgRoot(text, "python").root()
