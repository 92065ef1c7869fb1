"""No password, key or token is in the code.

detect-secrets is asked through `scan_file` and a temporary file: its functions for a line and for a diff either find
secrets in `return 3` or miss real ones. Its comments that allow a secret are not obeyed.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
import threading
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any

from thoughtforge.gate.context import Broken, Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.gate.language_servers import INSTALL
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.patterns import any_matches

CATEGORY: Category = "security"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = "No file contains a password, key or token."
HINT = "Read it from the environment or a secret store, and revoke this one: it has leaked."
ACTIVE = True
RUFF = ("S105", "S106", "S107")
ENDINGS: tuple[str, ...] = ()

SOURCES = (
    ".c",
    ".cpp",
    ".cs",
    ".go",
    ".java",
    ".js",
    ".jsx",
    ".kt",
    ".php",
    ".py",
    ".rb",
    ".rs",
    ".swift",
    ".ts",
    ".tsx",
)
"""Files that are read line by line; others may be read as a whole, so no line of them is left out."""
NOISY = ("Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector")
"""Detectors that take every digest and every address for a secret."""
HEURISTICS = (
    *("is_sequential_string", "is_potential_uuid", "is_likely_id_string", "is_templated_secret"),
    *("is_prefixed_with_dollar_sign", "is_indirect_reference", "is_not_alphanumeric_string"),
)
_scanning = threading.Lock()
"""detect-secrets keeps its settings in one place for the whole process."""


class Options(Value):
    """What is left out."""

    exclude: tuple[str, ...] = ("**/*.lock", "**/*.map", "**/*.min.js", "**/*.svg", "**/*-lock.json", "**/*-lock.yaml")
    """Path patterns of files that are full of digests."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every secret in the lines that changed, or in all of them when there is nothing to compare with."""
    found: list[Violation] = []
    texts: dict[str, str] = {}
    for path in context.paths:
        if not any_matches(path, options.exclude):
            said = await context.ruff(path) if path.endswith(".py") else ()
            found += [
                Violation(path, each.line, _named(each.message), rule=each.code) for each in said if each.code in RUFF
            ]
            texts[path] = context.text(path)
    lines = {path: _wanted(text, path, context) for path, text in texts.items()}
    seen = {(each.path, each.line) for each in found}
    scanned = await asyncio.to_thread(_scan, {path: each for path, each in lines.items() if each})
    return [*found, *(each for each in scanned if (each.path, each.line) not in seen)]


def _named(message: str) -> str:
    """The message without the secret itself."""
    return re.sub(r'(: )".*"$', "", message)


def _wanted(text: str, path: str, context: CheckContext) -> dict[int, str]:
    """The lines to look at. All that read the same belong together, so that a copy is told from the first one."""
    lines = text.split("\n")
    if context.changed is None:
        return dict(enumerate(lines, start=1))
    numbers = context.changed.get(path, frozenset())
    same = {lines[number - 1].strip() for number in numbers if number <= len(lines)} - {""}
    return {number: line for number, line in enumerate(lines, start=1) if line.strip() in same}


def _scan(files: dict[str, dict[int, str]]) -> list[Violation]:
    signs = _signs()
    suspect = {path: _suspect(path, lines, signs) for path, lines in files.items()}
    if not any(suspect.values()):
        return []
    with _detecting(), tempfile.TemporaryDirectory() as folder:
        return [found for path, lines in suspect.items() if lines for found in _file(path, lines, Path(folder))]


@contextmanager
def _detecting() -> Iterator[None]:
    """detect-secrets with our settings; it keeps them in one place for the whole process."""
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.settings import transient_settings
    except ImportError as error:
        raise Broken("detect-secrets is missing", do=INSTALL) from error
    with _scanning:
        known: dict[str, Any] = get_mapping_from_secret_type_to_class()
        names = {plugin.__name__ for plugin in known.values()} - set(NOISY)
        filters = [{"path": f"detect_secrets.filters.heuristic.{name}"} for name in HEURISTICS]
        with transient_settings({"plugins_used": [{"name": name} for name in sorted(names)], "filters_used": filters}):
            yield


@cache
def _signs() -> tuple[re.Pattern[str], ...]:
    """Expressions one of which fits wherever a detector finds something."""
    with _detecting():
        from detect_secrets.plugins.keyword import DENYLIST
        from detect_secrets.settings import get_plugins

        own = [sign for plugin in get_plugins() for sign in getattr(plugin, "denylist", ())]
        return (*own, re.compile("|".join(DENYLIST), re.IGNORECASE))


def _suspect(path: str, lines: dict[int, str], signs: tuple[re.Pattern[str], ...]) -> dict[int, str]:
    """The lines in which some sign of a secret is: the detectors take a thousand times as long for each line."""
    if PurePosixPath(path).suffix not in SOURCES:
        return lines
    numbers = sorted(lines)
    text = "\n".join(lines[number] for number in numbers)
    starts = list(accumulate((len(lines[number]) + 1 for number in numbers), initial=0))[:-1]
    hits: set[int] = set()
    for sign in signs:
        for match in sign.finditer(text):
            # a sign may begin with the line break before it and end with the one behind
            hits.update(range(bisect_right(starts, match.start()) - 1, bisect_right(starts, match.end())))
    return {numbers[hit]: lines[numbers[hit]] for hit in sorted(hits)}


def _file(path: str, lines: dict[int, str], folder: Path) -> Iterator[Violation]:
    from detect_secrets.core.scan import scan_file

    numbers = sorted(lines)
    copy = folder / f"lines{PurePosixPath(path).suffix}"  # the ending tells the detectors how values are quoted
    copy.write_text("".join(f"{lines[number]}\n" for number in numbers), encoding="utf-8", errors="replace", newline="")
    kinds = {(numbers[secret.line_number - 1], secret.type) for secret in scan_file(str(copy))}
    for number in sorted({line for line, _ in kinds}):
        kind = min(each for line, each in kinds if line == number)
        yield Violation(path, number, f"this line contains a secret ({kind})", rule=kind.lower().replace(" ", "-"))
