"""Path patterns: `*` and `?` stay within one folder, `**` as a whole part crosses folders.

`a/**` and `a/**/*` are everything below a, `**/b` is b at any depth, `**` next to other characters is a plain `*`.
Matching walks the parts once, so that no pattern, whoever wrote it, can make it slow. That is a security property:
patterns come from repositories nobody here has read, and a library that makes one regular expression of a pattern needs
seconds for `*a*a*a*a*ab` and one long name.
"""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache
from typing import NamedTuple

TOKEN = re.compile(r"\\(?P<char>.)|\[(?P<negated>[!^]?)(?P<inner>\]?(?:\\.|[^\]\\])*)\]")
"""What gitignore and fnmatch write differently: an escaped character, or a whole class."""
NOTHING = re.compile(r"(?!)")
"""What git makes of a class without an end and of a backslash with nothing behind it."""


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
    parts = pattern.split("/")
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
