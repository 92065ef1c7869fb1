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
ASKED = re.compile(
    r"(?:(?:it|this|that|the command)\s+)?(?:is\s+)?(?:expect(?:ed|s)?|should|must|will)\b(?:\s+to\b)?\s*:?\s*",
    re.IGNORECASE,
)
"""Words before an expectation."""
CODE_TOLD = r"(?:exit|return)(?:s|ed)?(?:\s+(?:code|status|with|is|of|value))*\s*[:=]?\s*(?P<code>\d{1,3})\b"
PRINTED = r"(?:prints?|outputs?)\b\s*:?\s*(?P<text>.+)"
STATED = re.compile(
    rf"{CODE_TOLD}(?:\s*(?:[,;]|,?\s*(?:and|with)\b)\s*(?:it\s+)?{PRINTED}"
    r"|\.?|\s*(?:[(,;—–-]|(?:as|because|for|if|on|since|when)\b)(?!.*\b(?:or|not|exits?|prints?|outputs?)\b).*)",
    re.IGNORECASE | re.DOTALL,
)
PRINTS = re.compile(PRINTED, re.IGNORECASE | re.DOTALL)
WORDED = re.compile(r"(?:exits?|outputs?|prints?|returns?|non-?zero)\b", re.IGNORECASE)
OUTCOME = re.compile(
    r"expect|should|must|\b(?:exit|return|print|output|show|report|contain|list|rais|warn|fail|error|pass|succe|green|clean"
    r"|non-?zero|no|not|nothing|only|same|equal)|\d",
    re.IGNORECASE,
)
"""Words of a comment that says what comes of a command, and does not say it in a form that can be compared."""


MOST_COMMENTS = 10


class Expectation(NamedTuple):
    """What is expected of a probe or a command; a field that is None or empty is not compared."""

    exit_code: int | None = None
    output: str = ""
    """Text the output must contain."""
    found: bool | None = None
    """Whether what is searched or imported is there."""


class PlanProbe(NamedTuple):
    """One line `assumption | probe | expect` of the risks; an unknown kind of probe is shown as not run.

    So is one whose expectation is in words that cannot be compared.
    """

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
    A command whose expectation cannot be read is prose.
    """

    commands: tuple[PlanCommand, ...]
    prose: str
    """All else but comments and headings: shown as not run, never as passed."""


def expected(text: str) -> Expectation:
    """`found`, `not found`, `works`, `fails`, `exit N`, `prints TEXT`, `exit N, prints TEXT`; else text of output."""
    plain = text.strip()
    if plain.count("`") == 2:
        plain = _unquoted(plain)
    return _read(plain) or Expectation(output=_unquoted(plain))


def _read(text: str) -> Expectation | None:
    """An expectation in one of the forms; None for other words."""
    plain = ASKED.sub("", text, count=1) if ASKED.match(text) else text
    word = plain.casefold().rstrip(".")
    if (
        word in ("found", "works", "work", "yes", "exists", "exist", "pass", "passes", "succeed", "succeeds", "ok")
        or not text
    ):
        return Expectation(found=True)
    if word in ("not found", "fails", "fail", "no", "missing", "absent", "none"):
        return Expectation(found=False)
    if code := STATED.fullmatch(plain):
        return Expectation(int(code["code"]), _unquoted(code["text"] or ""))
    if prints := PRINTS.fullmatch(plain):
        return Expectation(output=_unquoted(prints["text"]))
    return None


def _unreadable(kind: str, text: str) -> bool:
    """Whether an expectation is in words that nothing can be compared with."""
    plain = text.strip().strip("`")
    found = _read(plain)
    if found is None:
        return bool(ASKED.match(plain) or WORDED.match(plain))
    return kind == "search" and found.exit_code is not None


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
    if _unreadable(kind, expect):
        return PlanProbe(assumption, "unknown", probe, expect, line)
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
            for one in _commands(place.text[start:end], base + place.text.count("\n", 0, start)):
                if isinstance(one, str):
                    prose.append(one)
                else:
                    commands.append(one)
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


def _commands(fence: str, line: int) -> Iterator[PlanCommand | str]:
    """The commands of a fence; one whose expectation cannot be read is a sentence that says so."""
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


def _command(text: str, line: int) -> PlanCommand | str:
    told, comment = _parted(text)
    command = told.removeprefix("$ ").strip()
    ends = [0, *(found.end() for found in re.finditer(r"\s#\s*", comment))]
    read = next(filter(None, (_read(comment[at:]) for at in ends[:MOST_COMMENTS])), None) if comment else Expectation()
    if (read and read.found is False) or (read is None and OUTCOME.search(comment)):
        return f"`{command}`: what is expected cannot be read: {comment}. Write `# exit N` or `# prints TEXT`."
    return PlanCommand(command, read.exit_code or 0 if read else 0, read.output if read else "", line)


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
