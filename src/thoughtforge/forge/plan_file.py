"""The file of a change plan: read it, and change one part of it without touching the others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thoughtforge.forge.layout import OWN_KEYS, Layout, before_separation, layout_of
from thoughtforge.forge.structure import closed, escaped, key_of, line_number, lines_of, marks_of, sections_of
from thoughtforge.kernel.errors import UserError

MOST_BYTES = 1_000_000
"""A larger file is refused: it is no plan."""
LONE_RETURN = re.compile(r"\r(?!\n)")
FIELD = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?(?P<name>ID|Task|Created|Status|Project)(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*"
    r"(?P<value>.*)",
    re.IGNORECASE,
)
FIELDS = ("id", "task", "created", "status", "project")


class PlanHeader(NamedTuple):
    """The header as the file has it. Only the title is a fact; id, status and the rest are views of the log."""

    title: str
    id: str
    task: str
    created: str
    status: str
    project: str


class StatusRestored(NamedTuple):
    """A plan whose status line says again what the log says."""

    text: str
    notice: str
    """What a person had written there; empty when nothing was wrong."""


def decode(data: bytes, *, source: str) -> str:
    """The text of a plan file; `\\n` and `\\r\\n` stay as they are. Raises UserError for anything but UTF-8 text."""
    if len(data) > MOST_BYTES:
        told = f"{source} has {len(data):,} bytes; a change plan has at most {MOST_BYTES:,}"
        raise UserError(told, do="Shorten it, or split it into several plans.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{source}, line {line}: not UTF-8 text", do="Save it as UTF-8.") from error
    if "\0" in text:
        line = line_number(text, text.index("\0"))
        raise UserError(f"{source}, line {line}: contains a NUL character", do="Save it as plain UTF-8 text.")
    return LONE_RETURN.sub("\n", text)


def line_break(text: str) -> str:
    """What ends the lines of a file: what ends its first one."""
    return "\r\n" if text.partition("\n")[0].endswith("\r") and "\n" in text else "\n"


def header_of(text: str) -> PlanHeader:
    """The header: what stands before the first `---` or `##`; code fences there are ignored."""
    head = text[: layout_of(text).header_end]
    titles = [heading.name for heading in marks_of(head).headings]
    found: dict[str, str] = {}
    for line in lines_of(head):
        if field := FIELD.fullmatch(line.text):
            found.setdefault(field["name"].lower(), field["value"].strip())
    title = re.sub(r"(?i)^plan\s*:\s*", "", titles[0]) if titles else ""
    return PlanHeader(title, *(found.get(name, "") for name in FIELDS))


def with_field(text: str, name: str, value: str) -> str:
    """The plan with one line of its header set; a line that is missing is added below the others."""
    end = layout_of(text).header_end
    head, nl = text[:end], line_break(text)
    fields = [(line, found) for line in lines_of(head) if (found := FIELD.fullmatch(line.text))]
    for line, found in fields:
        if found["name"].lower() == name.lower():
            start = line.start + found.start("value")
            return f"{text[:start].rstrip(' ')} {value}{text[line.start + len(line.text) :]}"
    titles = marks_of(head).headings
    if fields:
        last = fields[-1][0]
        at, gap = last.start + len(last.text), ""
    elif titles:
        at, gap = titles[0].end, nl
    else:
        return f"**{name}:** {value}{nl}{nl}{text}"
    at = len(text[:at].rstrip("\r"))
    rest = text[at:]
    return f"{text[:at]}{nl}{gap}**{name}:** {value}{rest if rest.strip() else nl + rest.lstrip(chr(10))}"


def with_status(text: str, status: str) -> str:
    """The plan with this status line and nothing else changed."""
    return with_field(text, "Status", status)


def status_restored(text: str, status: str) -> StatusRestored:
    """The plan with the status of the log put back where a person wrote another one."""
    stated = header_of(text).status
    if stated == status:
        return StatusRestored(text, "")
    told = f"said {stated[:60]!r}" if stated else "was missing"
    notice = f"The status line {told}; it shows {status} again. Only commands change the status of a plan."
    return StatusRestored(with_status(text, status), notice)


def body_of(text: str) -> str:
    """What agents may write: everything but the header, the audit log and the implementation notes."""
    return _body(text, layout_of(text))


def _body(text: str, layout: Layout) -> str:
    pieces = (text[start : before_separation(text, start, end)] for start, end in layout.body)
    return "\n\n".join(piece.strip("\r\n") for piece in pieces if piece.strip())


def with_body(text: str, body: str) -> str:
    """The plan with another body; the rest stays byte for byte. Own sections in `body` are dropped."""
    layout, nl = layout_of(text), line_break(text)
    header = escaped(text[: layout.header_end])
    new = _without_own(body).replace("\r\n", "\n")
    headings = marks_of(new).headings
    opens = headings and headings[0].level > 1 and not new[: headings[0].start].strip()
    ruled = any(not header[rule.end :].strip() for rule in marks_of(header).rules)
    parts = [header, new.replace("\n", nl), *(text[one.start : one.end] for one in layout.own)]
    if not (opens or ruled):
        parts.insert(1, "---")
    return _joined(parts, nl)


def _joined(parts: Sequence[str], nl: str) -> str:
    """The parts with a blank line between them; what they have at their ends stays."""
    whole = ""
    for part in parts:
        tail = whole[len(whole.rstrip()) :]
        wanted = 1 if part.startswith(("\n", "\r")) else 2
        missing = max(wanted - tail.count("\n"), 0 if tail.endswith("\n") else 1)
        whole += nl * (missing if whole and part else 0) + part
    return whole if whole.endswith("\n") else whole + nl


def _without_own(body: str) -> str:
    """A body without own sections, its fences closed."""
    kept, at = [], 0
    for one in sections_of(body):
        if one.key in OWN_KEYS:
            kept.append(body[at : before_separation(body, at, one.start)])
            at = one.end
    text = closed("\n\n".join([*kept, body[at:]]) if kept else body)
    return text[: before_separation(text, 0, len(text))].strip("\r\n")


def agent_body(answer: str) -> str:
    """The body in an agent's answer: without a fence around all of it, a header, a preamble or own sections."""
    text = _unwrapped(answer.replace("\r\n", "\n").removeprefix("\ufeff"))
    first = next((heading.start for heading in marks_of(text).headings if heading.level > 1), 0)
    return _without_own(text[first:])


WRAPPER = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?:markdown|md|text)?[ \t]*$", re.MULTILINE | re.IGNORECASE)
SECTION_LINE = re.compile(r"^## ", re.MULTILINE)


def _unwrapped(answer: str) -> str:
    """The answer without a fence around the plan; fences inside of the plan may be as long as that one."""
    first = WRAPPER.search(answer)
    if first is None or SECTION_LINE.search(answer, 0, first.start()):
        return answer
    ends = [one for one in WRAPPER.finditer(answer, first.end()) if one.group().strip() == first["fence"]]
    inside = answer[first.end() : ends[-1].start() if ends else len(answer)]
    after = answer[ends[-1].end() :] if ends else ""
    return inside.strip("\n") if SECTION_LINE.search(inside) and not SECTION_LINE.search(after) else answer


class NewText(NamedTuple):
    """The text a section gets."""

    name: str
    text: str


def with_sections(text: str, new: Mapping[str, str]) -> str:
    """The plan with the text below some headings of its body replaced; a heading that is missing is added."""
    body = body_of(text).replace("\r\n", "\n")
    wanted = {key_of(name): NewText(name, below) for name, below in new.items() if key_of(name) not in OWN_KEYS}
    parts: list[str] = []
    done: set[str] = set()
    at = 0
    for one in sections_of(body):
        if one.key not in wanted:
            continue
        parts.append(body[at : one.start])
        at = one.end
        if one.key not in done:
            done.add(one.key)
            parts.append(f"## {one.name}\n\n{lowered(wanted[one.key].text, one.name)}\n\n")
    added = [
        f"\n\n## {each.name}\n\n{lowered(each.text, each.name)}" for key, each in wanted.items() if key not in done
    ]
    return with_body(text, f"{''.join([*parts, body[at:]]).rstrip()}{''.join(added)}")


def lowered(text: str, heading: str = "") -> str:
    """The text of a section without the heading it may repeat; headings get level 3 or lower, fences are closed."""
    text = closed(text.replace("\r\n", "\n")).strip("\n")
    marks = marks_of(text)
    if (
        marks.headings
        and not text[: marks.headings[0].start].strip()
        and key_of(marks.headings[0].name) == key_of(heading)
    ):
        return lowered(text[marks.headings[0].end :])
    for one in reversed(marks.headings):
        if one.level < 3:
            text = f"{text[: one.start]}### {one.name}{text[one.end :]}"
    return text
