"""Whether the place a finding names exists: a file and line of the code, a heading of the plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from thoughtforge.polish.finding import ReviewFinding

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
PLACE = re.compile(r"(?P<path>[^:]+?)(?::L?(?P<first>\d+)(?:[-–:]L?(?P<last>\d+))?)?$")
WHOLE = {"", "all", "document", "general", "overall", "plan", "title", "whole document", "whole plan", "whole project"}
"""Words for no place in particular; such a finding is about everything and so about something that exists."""
BREAKS = re.compile(r"[/\\|>→:;,()\[\]\n\"“”„«»]|\s[-–—]+\s")
"""Where the place ends and something about it begins: Steps / plan, Steps (second row)."""
PART_OF = re.compile(
    r"section|heading|chapter|part|table|rows?|columns?|cells?|lines?|paragraph|bullet|entry|item|objective|plan|assessment"
    r"|first|second|third|fourth|fifth|last|final|abschnitt|tabelle|zeile|spalte|\d+"
)
"""Words that say where below a heading, not which heading."""
FILLING = re.compile(
    r"an?|and|are|as|at|be|by|do|does|for|from|how|in|into|is|its?|no|not|of|on|or|our|that|the|their|this|to|under|we|what"
    r"|when|where|which|who|whose|why|will|with|das|de[nmrs]?|die|eine?|im|und|von|zu|del|el|en|la|las|los|y"
)
"""Words that name nothing by themselves."""


def marked(findings: Iterable[ReviewFinding], exists: Callable[[str], bool]) -> tuple[ReviewFinding, ...]:
    """The findings, each with whether its location exists."""
    return tuple(finding._replace(exists=exists(finding.location)) for finding in findings)


def in_code(lines: Mapping[str, int]) -> Callable[[str], bool]:
    """Whether a location is a file of the project and a line in it; `lines` has the number of lines of every file."""
    folders = {f"{folder}/" for path in lines for folder in _folders(path)}

    def exists(location: str) -> bool:
        return _words(location) in WHOLE or any(_is_there(part, lines, folders) for part in _parts(location))

    return exists


def in_plan(text: str) -> Callable[[str], bool]:
    """Whether a location names a heading of the document, in full or by its telling words, and no other thing."""
    known = [words for words in map(_words, headings(text)) if words]

    def exists(location: str) -> bool:
        places = [words for words in map(_words, (location, *BREAKS.split(location))) if words]
        return _words(location) in WHOLE or any(_names(place, heading) for place in places for heading in known)

    return exists


def _names(place: str, heading: str) -> bool:
    """Steps, the Steps section and, for Budget and costs, the budget; not whatever else begins with such a word."""
    if place == heading:
        return True
    said, told = _telling(place), _telling(heading)
    own = [word for word in said if not PART_OF.fullmatch(word)]
    return bool(own) and any(_within(" ".join(words), " ".join(told)) for words in (said, own))


def _telling(words: str) -> list[str]:
    return [word for word in words.split() if not FILLING.fullmatch(word)]


def headings(text: str) -> Iterator[str]:
    """The headings of a Markdown document; what stands in a code fence is none."""
    fence = ""
    for line in text.splitlines():
        found = FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        elif not fence and (heading := HEADING.match(line)):
            yield heading[1]


def files_named(location: str) -> tuple[str, ...]:
    """The paths in a code location, lines taken off: what the fixer is shown."""
    found = [PLACE.match(part) for part in _parts(location)]
    return tuple(dict.fromkeys(one["path"].strip().removeprefix("./") for one in found if one))


def lines_named(location: str, path: str) -> tuple[int, ...]:
    """The first lines of the places in a file that a code location names."""
    found = [PLACE.match(part) for part in _parts(location)]
    mine = [one["first"] for one in found if one and one["path"].strip().removeprefix("./") == path]
    return tuple(int(line) for line in mine if line and int(line) > 0)


def _parts(location: str) -> list[str]:
    """One finding may name several places."""
    return [part.strip() for part in re.split(r"[,;\n]", location.replace("`", "")) if part.strip()]


def _is_there(part: str, lines: Mapping[str, int], folders: set[str]) -> bool:
    found = PLACE.match(part)
    if found is None:
        return False
    path = found["path"].strip().removeprefix("./")
    if path not in lines:
        return f"{path.rstrip('/')}/" in folders and found["first"] is None
    first = int(found["first"]) if found["first"] else 1
    # the second number of 12:5 is a column, of 12-15 a line; only the first must exist, a range may end early
    return found["first"] is None or 1 <= first <= lines[path]


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    yield from ("/".join(parts[:depth]) for depth in range(1, len(parts)))


def _words(text: str) -> str:
    """Lower-case words only: numbering, marks and the word section are left out."""
    plain = re.sub(r"^[\s#*_`>\"']*(?:section|heading)?[\s:]*(?:\d+(?:\.\d+)*[.)]?\s+)?", "", text.strip(), flags=re.I)
    return " ".join(re.findall(r"[^\W_]+", plain.lower()))


def _within(inner: str, outer: str) -> bool:
    return bool(inner) and f" {inner} " in f" {outer} "
