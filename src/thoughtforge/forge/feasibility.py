"""What a plan asks the engine to try: probes of its assumptions, and the commands of its testing section."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, cast

from thoughtforge.forge.structure import PlanSection, Stretch, key_of, line_number, lines_of, marks_of, sections_of

ProbeKind = Literal["search", "import", "run", "try", "unknown"]
"""search TEXT in the repository; import NAME; run COMMAND; try the code fence below the line."""
PROBE = re.compile(r"(search|import|run|try)\b[ \t]*:?[ \t]*(.*)", re.IGNORECASE | re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
BAR = re.compile(r"(?<!\\)\|")
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
HEADER = ("assumption", "probe", "expect")
PLACES = (key_of("Risks"), key_of("Assumptions"))
SHELLS = {"", "bash", "sh", "shell", "zsh", "console", "shell-session", "terminal"}
EXPECTED = re.compile(r"(?:expect(?:ed|s)?\s*:?\s*)?(?P<told>(?:exit|prints)\b.*)$", re.IGNORECASE)
EXIT = re.compile(r"exit(?:s|\s+code|\s+status)?(?:\s+with)?\s*:?\s*(?P<code>\d{1,3})\b", re.IGNORECASE)
PRINTS = re.compile(r"\bprints\s*:?\s*(?P<text>.+)$", re.IGNORECASE)


class Expectation(NamedTuple):
    """What is expected of a probe or a command; a field that is None or empty is not compared."""

    exit_code: int | None = None
    output: str = ""
    """Text the output must contain."""
    found: bool | None = None
    """Whether what is searched or imported is there."""


class PlanProbe(NamedTuple):
    """One line `assumption | probe | expect` of the risks; an unknown kind of probe is shown as not run."""

    assumption: str
    kind: ProbeKind
    probe: str
    """Without its kind; for `try` the code of the next fence, empty when there is none."""
    expect: str
    """As written; `expected` reads it."""
    line: int
    """Line of the plan, from 1."""


class PlanCommand(NamedTuple):
    """One command of the testing section and what is expected of it."""

    command: str
    exit_code: int
    output: str
    """Text its output must contain; empty when only the exit code counts."""
    line: int


class PlanTesting(NamedTuple):
    """The testing section as values.

    Commands stand in code fences without a language or of a shell, one a line; `$ ` in front is taken off, a `\\` at
    the end joins lines, a line that begins with `#` is a comment. What is expected stands at the end of the line:
    `# exit 2`, `# prints TEXT`, or `# exit 2, prints TEXT`. Without it the exit code 0 is expected.
    """

    commands: tuple[PlanCommand, ...]
    prose: str
    """All else but comments and headings: shown as not run, never as passed."""


def expected(text: str) -> Expectation:
    """`found`, `not found`, `works`, `fails`, `exit N`, `prints TEXT`, `exit N, prints TEXT`; else text of output."""
    plain = text.strip()
    if plain.count("`") == 2:
        plain = _unquoted(plain)
    word = plain.casefold().rstrip(".")
    if word in ("", "found", "works", "yes", "exists", "passes", "ok"):
        return Expectation(found=True)
    if word in ("not found", "fails", "no", "missing", "absent", "none"):
        return Expectation(found=False)
    code, prints = EXIT.match(plain), PRINTS.search(plain)
    if code or prints:
        return Expectation(int(code["code"]) if code else None, _unquoted(prints["text"]) if prints else "")
    return Expectation(output=_unquoted(plain))


def _unquoted(text: str) -> str:
    plain = text.strip()
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'`":
        return plain[1:-1]
    return plain


def probes_of(text: str) -> tuple[PlanProbe, ...]:
    """The probes of a plan, in the sections Risks and Assumptions."""
    return tuple(probe for one in sections_of(text) if one.key in PLACES for probe in _probes(text, one))


def _probes(text: str, place: PlanSection) -> Iterator[PlanProbe]:
    """The probes of a section; a row of a table counts when the header of the table names the three columns."""
    fences = marks_of(place.text).hidden
    offset = place.end - len(place.text)
    base = line_number(text, offset)
    probing = False
    for line in lines_of(place.text):
        bare = ITEM.sub("", line.text, count=1).strip()
        in_table = bare.startswith("|")
        cells = _cells(bare)
        if in_table and tuple(cell.casefold() for cell in cells) == HEADER:
            probing = True
        elif not in_table:
            probing = False
        if len(cells) != len(HEADER) or (in_table and not probing) or _is_frame(cells):
            continue
        number = base + place.text.count("\n", 0, line.start)
        yield _probe(cells, number, _next_fence(place.text, fences, line.start))


def _cells(line: str) -> list[str]:
    inner = line.removeprefix("|")
    inner = inner[:-1] if line.startswith("|") and inner.endswith("|") and not inner.endswith("\\|") else inner
    bars = BAR.split(CODE.sub(lambda code: code.group().replace("\\|", "|").replace("|", "\0"), inner))
    return [cell.strip().replace("\\|", "|").replace("\0", "|") for cell in bars]


def _is_frame(cells: Sequence[str]) -> bool:
    """The header of a table, or its line of dashes."""
    return tuple(cell.casefold() for cell in cells) == HEADER or all(set(cell) <= set(":-") for cell in cells)


def _probe(cells: Sequence[str], line: int, code: str) -> PlanProbe:
    assumption, probe, expect = cells
    found = PROBE.fullmatch(probe.strip("`").strip() if probe.count("`") == 2 and probe[:1] == "`" else probe)
    if not found:
        return PlanProbe(assumption, "unknown", probe, expect, line)
    kind = cast("ProbeKind", found[1].lower())
    told = code if kind == "try" else _unquoted(found[2])
    return PlanProbe(assumption, kind, told, expect, line)


def _next_fence(text: str, fences: Sequence[Stretch], at: int) -> str:
    """The code of the first fence after a line."""
    for start, end in fences:
        if start > at:
            inside = text[start:end].split("\n")
            return "" if inside[0].lstrip().startswith("<!--") else "\n".join(inside[1:-1]).replace("\r", "")
    return ""


def testing_of(text: str) -> PlanTesting:
    """The commands in the code fences of the testing section."""
    commands: list[PlanCommand] = []
    prose: list[str] = []
    for place in sections_of(text):
        if place.key != key_of("Testing"):
            continue
        base = line_number(text, place.end - len(place.text))
        for start, end in marks_of(place.text).hidden:
            commands += _commands(place.text[start:end], base + place.text.count("\n", 0, start))
            if not _is_shell(place.text[start:end]) and not place.text[start:end].lstrip().startswith("<!--"):
                prose.append(place.text[start:end])
        prose += [line.text for line in lines_of(place.text) if line.text.strip() and not _is_mark(line.text)]
    return PlanTesting(tuple(commands), "\n".join(prose))


def _is_mark(line: str) -> bool:
    return line.lstrip().startswith("#") or set(line.strip()) <= set("- ")


def _is_shell(fence: str) -> bool:
    first = fence.lstrip().partition("\n")[0].rstrip()
    info = first.lstrip("`~").strip()
    return first[:1] in "`~" and (info.split() or [""])[0].lower() in SHELLS


def _commands(fence: str, line: int) -> Iterator[PlanCommand]:
    if not _is_shell(fence):
        return
    lines = [one.rstrip("\r") for one in fence.split("\n")][:-1]
    joined, began = "", 0
    for number, one in enumerate(lines[1:], line + 1):
        began = began if joined else number
        joined += one.strip()
        if joined.endswith("\\"):
            joined = f"{joined[:-1].rstrip()} "
            continue
        if joined and not joined.startswith("#"):
            yield _command(joined, began)
        joined = ""
    if joined.strip() and not joined.startswith("#"):
        yield _command(joined.strip(), began)


def _command(text: str, line: int) -> PlanCommand:
    command, comment = _parted(text)
    found = EXPECTED.match(comment)
    told = expected(found["told"]) if found else Expectation()
    return PlanCommand(command.removeprefix("$ ").strip(), told.exit_code or 0, told.output, line)


class CommentedLine(NamedTuple):
    """A line of a shell, and the comment at its end."""

    command: str
    comment: str


def _parted(text: str) -> CommentedLine:
    """A `#` within quotes begins no comment."""
    for found in re.finditer(r"\s#\s*", text):
        try:
            shlex.split(text[: found.start()])
        except ValueError:
            continue
        return CommentedLine(text[: found.start()].strip(), text[found.end() :].strip())
    return CommentedLine(text.strip(), "")
