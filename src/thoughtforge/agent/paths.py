"""Paths as agents write them: made plain or refused; and the patterns by which a role is held to some of them.

A constraint is a comma list of patterns: `*` and `?` stay within a folder, `**` crosses folders, a leading `!` forbids.
With patterns that allow, a path must fit one of them; with only `!`, everything else is allowed; a forbidding pattern
always wins, and it counts in any case of letters, because on some disks `Tests/` and `tests/` are one folder.

Composed and decomposed spellings (é as one or two characters) are the same name and become the composed one. A
character that would turn into a different one (the Kelvin sign into K) is refused: whoever reads the two cannot tell
them apart, a file system can. Invisible characters and direction marks are refused for the same reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workspaces.globs import glob

GIT_NAMES = re.compile(r"(\.git|git~\d+)[ .]*(:.*)?", re.IGNORECASE | re.DOTALL)
"""`.git` and every other spelling under which NTFS or HFS+ would open it."""
TESTS = ("tests/**", "tests/**/*")
"""Patterns that stand for the repository's tests, wherever its runner finds them."""
INVISIBLE = {"Cc": "a control character", "Cf": "an invisible character", "Cs": "a broken character"}
INVISIBLE |= {"Zl": "a line break", "Zp": "a line break"}


def clean(path: str) -> str:
    """The plain form of a path inside the repository; everything wrong with another path is said at once."""
    problems = [*_bad_characters(path), *_bad_shape(path)]
    if problems:
        raise Mistake(
            f"the path {path!r} cannot be used: {'; '.join(problems)}",
            do="Name a file by its path from the root of the repository, such as src/app.py.",
            details=tuple(problems),
        )
    return "/".join(part for part in unicodedata.normalize("NFC", path).split("/") if part not in ("", "."))


def allowed(path: str, constraint: str, is_test: Callable[[str], bool] | None = None) -> bool:
    """Whether a clean path satisfies a constraint; `tests/**` means the files the test runner calls tests."""
    permits, forbids = split(constraint)
    if any(_fits(path, pattern, is_test, fold=True) for pattern in forbids):
        return False
    return not permits or any(_fits(path, pattern, is_test) for pattern in permits)


def _fits(path: str, pattern: str, is_test: Callable[[str], bool] | None, *, fold: bool = False) -> bool:
    if pattern in TESTS and is_test is not None:
        return is_test(path) or (fold and (is_test(path.casefold()) or glob(pattern, fold=True).matches(path)))
    return glob(pattern, fold=fold).matches(path)


def split(constraint: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The allowing and the forbidding patterns of a constraint; one that can fit no clean path is a Mistake."""
    patterns = [part.strip() for part in constraint.split(",") if part.strip()]
    plain = [pattern.removeprefix("!").strip() for pattern in patterns]
    wrong = [pattern for pattern, body in zip(patterns, plain, strict=True) if not _usable(body)]
    if wrong:
        raise Mistake(
            f"the path constraint {constraint!r} has unusable patterns: {', '.join(wrong)}",
            do="Write patterns from the root of the repository, such as tests/**/* or !docs/**.",
            details=tuple(wrong),
        )
    forbids = tuple(body for pattern, body in zip(patterns, plain, strict=True) if pattern.startswith("!"))
    return tuple(body for pattern, body in zip(patterns, plain, strict=True) if not pattern.startswith("!")), forbids


def _usable(pattern: str) -> bool:
    return "\\" not in pattern and all(part not in ("", ".", "..") for part in pattern.split("/"))


def _bad_shape(path: str) -> list[str]:
    parts = path.split("/")
    names = [part for part in parts if part not in ("", ".")]
    problems = [] if names else ["it names no file"]
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        problems.append("it is absolute")
    if ".." in parts:
        problems.append("it leads upward with ..")
    if "\\" in path:
        problems.append("it contains a backslash")
    visible = ["".join(char for char in part if unicodedata.category(char) != "Cf") for part in parts]
    if any(GIT_NAMES.fullmatch(part) for part in visible):
        problems.append("it leads into a git directory")
    return problems


def _bad_characters(path: str) -> list[str]:
    """Each kind of character that must not be in a path, once."""
    found = {f"it contains {INVISIBLE[kind]}" for char in path if (kind := unicodedata.category(char)) in INVISIBLE}
    found |= {f"it contains {char}, which is not {other}" for char in path if (other := _other(char)) is not None}
    return sorted(found)


def _other(char: str) -> str | None:
    """The different character that normalising would put in place of this one."""
    normal = unicodedata.normalize("NFC", char)
    return normal if normal != char and len(normal) == 1 else None
