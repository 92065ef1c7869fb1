"""Patterns of paths as git has them, matched in linear time; what agents never see; and where links lead."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from thoughtforge.workspaces.git import Git

HOPS = 40
"""Links on one way; the kernel follows as many."""


def led(root: PurePosixPath, path: str, target_of: Callable[[PurePosixPath], str | None]) -> PurePosixPath | None:
    """The place a path below a root leads to; None when its links go round in circles. `target_of` reads a link."""
    at, hops = root, 0
    todo = [*reversed(PurePosixPath(path).parts)]
    while todo:
        part = todo.pop()
        if part in ("/", ".."):
            at = PurePosixPath("/") if part == "/" else at.parent
            continue
        target = target_of(at / part)
        if target is None:
            at = at / part
            continue
        hops += 1
        if hops > HOPS:
            return None
        todo += reversed(PurePosixPath(target).parts)
    return at


TOKEN = re.compile(r"\\(?P<char>.)|\[(?P<negated>[!^]?)(?P<inner>\]?(?:\\.|[^\]\\])*)\]")
"""What gitignore and fnmatch write differently: an escaped character, or a whole class."""
NOTHING = re.compile(r"(?!)")
"""What git makes of a class without an end and of a backslash with nothing behind it."""


MORE_STARS = re.compile(r"\A\*{2,}\Z")
"""A part of stars alone; to git three of them say the same as two."""


class Glob(NamedTuple):
    """A pattern ready to match; None stands for `**`."""

    parts: tuple[re.Pattern[str] | None, ...]

    def matches(self, path: str) -> bool:
        """Whether the whole path fits."""
        at = self._skipping({0})
        for name in path.split("/"):
            at = self._skipping({after for here in at for after in self._after(here, name)})
            if not at:
                return False
        return len(self.parts) in at

    def _after(self, here: int, name: str) -> tuple[int, ...]:
        if here == len(self.parts):
            return ()
        part = self.parts[here]
        if part is None:
            return (here,)
        return (here + 1,) if part.match(name) else ()

    def _skipping(self, places: set[int]) -> set[int]:
        """The same places and those behind a `**`, which may stand for no folder at all."""
        reached = set(places)
        for here in sorted(places):
            while here < len(self.parts) and self.parts[here] is None:
                here += 1
                reached.add(here)
        return reached


@lru_cache(maxsize=1024)
def glob(pattern: str, *, classes: bool = False, fold: bool = False) -> Glob:
    """A pattern over whole paths. `classes` gives `[…]` and `\\` their gitignore meaning, `fold` ignores case."""
    if classes:
        pattern = TOKEN.sub(_without_slash, pattern)
    parts = [MORE_STARS.sub("**", part) if classes else part for part in pattern.split("/")]
    if parts[-1] == "**":
        parts.append("*")  # everything below a folder is at least one name
    return Glob(tuple(None if part == "**" else _part(part, classes, fold) for part in parts))


def any_matches(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path fits one of the patterns; the name of a folder stands for everything below it."""
    trimmed = [pattern.removeprefix("./").rstrip("/") for pattern in patterns]
    return any(glob(each).matches(path) or glob(f"{each}/**").matches(path) for each in trimmed)


def covering(path: str, patterns: tuple[str, ...], *, fold: bool = False) -> str:
    """The first pattern that fits a path; one for all that is below a folder fits its name too, which can be a link."""
    for each in patterns:
        if any(glob(one, fold=fold).matches(path) for one in {each, each.removesuffix("/**")}):
            return each
    return ""


def _part(part: str, classes: bool, fold: bool) -> re.Pattern[str]:
    if classes and re.search(r"[\[\\]", TOKEN.sub("", part)):
        return NOTHING
    text = TOKEN.sub(_plain, part) if classes else part.replace("[", "[[]")
    return re.compile(fnmatch.translate(text), re.IGNORECASE if fold else 0)


def _without_slash(token: re.Match[str]) -> str:
    """An escaped slash is a slash; one in a class parts no names, and no class fits it."""
    inner = token["inner"]
    if token["char"] == "/":
        return "/"
    if inner is None or "/" not in inner:
        return token[0]
    rest = inner.replace("/", "")
    if not rest:
        return "?" if token["negated"] else "["
    return f"[{token['negated']}{rest}]"


def _plain(token: re.Match[str]) -> str:
    """An escape or a class of gitignore as fnmatch writes it: it knows no backslash."""
    if (char := token["char"]) is not None:
        return f"[{char}]" if char in "*?[" else char
    inner = token["inner"]
    held = "".join(re.findall(r"\\(.)", inner))
    rest = re.sub(r"\\.", "", inner)
    last = "".join(each for each in held if each in "-!^")  # they mean something else at the front
    first = "".join(sorted(set(held) - set(last), key=lambda each: each != "]"))
    return f"[{'!' if token['negated'] else ''}{first}{rest}{last}]"


FILE = ".thoughtforgeignore"
DEFAULTS = (
    ".env",
    ".env.*",
    "*.pem",
    "*.key",
    "id_rsa*",
    ".netrc",
    ".npmrc",
    ".pypirc",
    "secrets.*",
)


CUT_OFF = re.compile(r"(?P<start>[^*?\[\\]*[^*?\[\\/])(?P<rest>\*{2,}(?:/.*)?)", re.DOTALL)
"""A pattern such as `a**/b`. Git cuts off the plain start first, so that the `**` behind it crosses folders."""


class IgnoreRule(NamedTuple):
    """One pattern: what it hides or brings back, and where it was written."""

    pattern: str
    source: str
    start: str
    """What every path it fits begins with."""
    glob: Glob
    """For the rest of the path."""
    hides: bool
    folders_only: bool

    def fits(self, path: str) -> bool:
        """Whether the pattern names this path."""
        return path.startswith(self.start) and self.glob.matches(path.removeprefix(self.start))


class Ignore:
    """Decides for a path; remembers its answers, because folders are asked about again and again."""

    def __init__(self, rules: tuple[IgnoreRule, ...]) -> None:
        self.rules = rules
        self.known: dict[tuple[str, bool], IgnoreRule | None] = {}

    def reason(self, path: str) -> str | None:
        """Why a path is hidden, in words; None when it is not."""
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            above = "/".join(parts[:depth])
            rule = self._deciding(above, depth < len(parts))
            if rule is not None and rule.hides:
                return f"{path} is hidden by the pattern {rule.pattern} ({rule.source})"
        return None

    def _deciding(self, path: str, folder: bool) -> IgnoreRule | None:
        key = (path, folder)
        if key not in self.known:
            fitting = (rule for rule in reversed(self.rules) if folder or not rule.folders_only)
            self.known[key] = next((rule for rule in fitting if rule.fits(path)), None)
        return self.known[key]


def parse_ignore(text: str) -> Ignore:
    """The built-in rules and those of an ignore file."""
    built_in = [_rule(line, "built in", fold=True) for line in DEFAULTS]
    return Ignore(tuple(rule for rule in [*built_in, *(_rule(line, FILE) for line in text.splitlines())] if rule))


async def read_ignore(git: Git, commit: str) -> Ignore:
    """The rules that apply to a commit."""
    raw = await git.blob(commit, FILE)
    return parse_ignore("" if raw is None else raw.decode("utf-8-sig", "replace"))


def _rule(line: str, source: str, *, fold: bool = False) -> IgnoreRule | None:
    """The rule a line stands for; None for a blank line or a comment."""
    text = _without_trailing_spaces(line)
    if not text or text.startswith("#"):
        return None
    hides = not text.startswith("!")
    body = text if hides else text[1:]
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    if not body:
        return None
    anchored = body.removeprefix("/") if "/" in body else f"**/{body}"
    cut = CUT_OFF.fullmatch(anchored)
    start, rest = (cut["start"], cut["rest"]) if cut else ("", anchored)
    return IgnoreRule(text, source, start, glob(rest, classes=True, fold=fold), hides, folders_only)


def _without_trailing_spaces(line: str) -> str:
    """Spaces at the end do not count unless a backslash holds the last of them."""
    text = line.rstrip(" \t\r")
    return f"{text} " if text.endswith("\\") and len(text) < len(line) else text
