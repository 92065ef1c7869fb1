"""What a tool is handed and what it answers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from thoughtforge.code.patch import numbered, split_lines
from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.git import TreeEntry
from thoughtforge.workspaces.tree import FileTree

if TYPE_CHECKING:
    from thoughtforge.code.session import CodeSession
    from thoughtforge.gate.findings import Finding


class Edit(NamedTuple):
    """New content of one file; None takes the file away."""

    path: str
    data: bytes | None
    executable: bool | None = None
    """None leaves that as it is; a new file is not."""


@dataclass
class ToolContext:
    """All a tool can reach."""

    tree: FileTree
    """The files as they are now."""
    session: CodeSession | None = None
    """What the stages that write code work with; None in every other stage."""
    edit: Callable[[ToolContext, Sequence[Edit]], Awaitable[str]] | None = None
    """Put edits on record, make them and run the gate; answers the verdict in words."""
    own: Callable[[str], bool] = lambda path: False
    """Whether this stage itself made a file."""
    only_own: bool = False
    """Whether files that were there before are added to and never edited."""
    start: str = ""
    """The commit the stage began with."""
    may_write: Callable[[str], bool] = lambda path: True
    """Whether the role may write a file in this stage."""
    given: Callable[[Finding], bool] = lambda finding: False
    """Whether a finding is in a file that stays as it is, such as a given test, and does not count."""
    way_out: str = ""
    """What else than undoing helps when all findings are in files the role may not write; their names follow."""
    fitting: Callable[[Sequence[str]], int] = len
    """How many of the first lines of an answer the agent will be shown; a tool ends its answer there and says so."""

    shown: dict[str, bool] = field(default_factory=dict)
    """What the agent has seen so far, by title of a block or path of a file, and whether it was all of it."""
    kept: Callable[[str], str] = lambda path: ""
    """Why a file must not be deleted or written anew as a whole; empty when it may."""

    def saw(self, name: str, *, whole: bool) -> None:
        """The agent has seen it; what it once saw whole stays so."""
        self.shown[name] = whole or self.shown.get(name, False)

    def the_session(self) -> CodeSession:
        """The session; in a stage without one the tool cannot be used."""
        if self.session is None:
            raise UserError("this stage does not write or run code", do="Use another tool, or complete the stage.")
        return self.session

    def must_not_lose(self, path: str) -> None:
        """A file of which the agent has not seen all is a UserError: what it does not know would be lost."""
        if why := self.kept(path):
            raise UserError(why, do="Read all of it at once first, or change it with edit_file.")

    async def before(self, path: str) -> bytes:
        """A file as it was when the stage began."""
        session = self.the_session()
        return await session.workspace.read(self.start or session.workspace.base, path)

    async def write(self, edits: Sequence[Edit]) -> str:
        """Make edits together; the verdict of the gate."""
        if self.edit is None:
            raise UserError("this stage does not write files", do="Use another tool, or complete the stage.")
        return await self.edit(self, edits)


class ToolResult(NamedTuple):
    """A tool's answer. `end` is set when the agent's work is over with it."""

    ok: bool
    summary: str
    """One line, for the record and for later steps."""
    output: str
    """The whole answer, for the agent's next step."""
    end: dict[str, Any] | None = None


BOM = "\ufeff"
BINARY_LOOK = 8 * 1024
"""A NUL byte this early makes a file binary; git looks at as much."""


class Content(NamedTuple):
    """One text file. `text` has \\n for every line end when all of them are the same."""

    path: str
    text: str
    newline: str = "\n"
    bom: bool = False

    def decoded(self, data: bytes) -> str:
        """Another version of this file as text, in the same way."""
        text = data.decode("utf-8", "replace").removeprefix(BOM)
        return text.replace("\r\n", "\n") if self.newline != "\n" else text

    def encoded(self, text: str) -> bytes:
        """Another text as the bytes of this file, in its style."""
        return encode((BOM if self.bom else "") + text.replace("\n", self.newline), self.path)


def encode(text: str, path: str) -> bytes:
    """Text as UTF-8; what cannot be written so, or would be no text, is a UserError."""
    if "\0" in text:
        raise UserError(f"the text for {path} has a NUL character", do="Write text; binary files cannot be written.")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(
            f"the text for {path} has half of a surrogate pair at character {error.start + 1}",
            do="Write the character itself instead of an escape.",
        ) from error


def check_size(data: bytes, path: str, *, context: ToolContext) -> None:
    """Nothing larger is written than a person allowed."""
    most = context.the_session().rules.change.file_kb
    if len(data) > most * 1024:
        raise UserError(
            f"{path} would have {len(data):,} bytes; the limit is {most} KB",
            do="Write smaller files; a person can raise change.file_kb in config.yaml.",
        )


async def plain_file(context: ToolContext, path: str) -> TreeEntry:
    """The file of that name as it is now; a link, a submodule, a hidden or missing file is a UserError."""
    entry = context.tree.entries.get(context.tree.composed.get(path, path))
    if entry is None:
        await context.tree.read(path)  # says in words why not
        raise UserError(f"there is no file {path}", do="List the files to see what there is.")
    if entry.kind != "file":
        raise UserError(f"{path} is a {entry.kind}, not a plain file", do="Work on the files themselves.")
    return entry


def free_path(context: ToolContext, path: str, *, leaving: str = "") -> None:
    """A path for a new file; one that is hidden, taken, a folder or below a file is a UserError. `leaving` may go."""
    if hidden := context.tree.ignore.reason(path):
        raise UserError(hidden, do="Use another name; a person can change what is hidden in .thoughtforgeignore.")
    known = context.tree.composed
    if path in known:
        raise UserError(f"{path} exists already", do="Change it with edit_file, or use another name.")
    if any(other.startswith(f"{path}/") for other in known):
        raise UserError(f"{path} is a folder", do="Name a file.")
    alike = next((other for other in known if other != leaving and other.casefold() == path.casefold()), None)
    if alike:
        raise UserError(f"{path} differs from {alike} in case only", do="Use another name; on some disks they are one.")
    parts = path.split("/")
    above = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
    if taken := next((folder for folder in above if folder in known), None):
        raise UserError(f"{taken} is a file, so nothing can be below it", do="Use another folder.")


async def read_bytes(context: ToolContext, path: str) -> bytes:
    """The whole content of a plain file."""
    entry = await plain_file(context, path)
    workspace = context.the_session().workspace
    return await workspace.read(await workspace.tree(), entry.path)


async def read_content(context: ToolContext, path: str) -> Content:
    """A text file; one that is binary or not UTF-8 is a UserError, because writing it back would damage it."""
    entry = await plain_file(context, path)
    data = await read_bytes(context, path)
    if b"\0" in data[:BINARY_LOOK]:
        raise UserError(f"{path} is a binary file", do="Only text can be edited.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not UTF-8 (byte {error.start + 1}), so it cannot be edited without damage",
            do="Leave it as it is, or ask a person to convert it.",
        ) from error
    whole = text.count("\r\n")
    windows = bool(whole) and whole == text.count("\n") and whole == text.count("\r")
    plain = text.replace("\r\n", "\n") if windows else text
    return Content(entry.path, plain.removeprefix(BOM), "\r\n" if windows else "\n", text.startswith(BOM))


def counted(number: int, word: str) -> str:
    """A number with its noun: 1 line, 3 lines."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def line_count(text: str) -> int:
    """How many lines a text has, the last one also when it does not end."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def difference(before: str, after: str) -> str:
    """How much a text changed, in lines: +12 −1."""
    old, new = before.split("\n"), after.split("\n")
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    blocks = difflib.SequenceMatcher(None, old[same:], new[same:], autojunk=len(old) > 2000).get_matching_blocks()
    kept = same + sum(block.size for block in blocks)
    return f"+{len(new) - kept} −{len(old) - kept}"


PLACES = 10
LOOKED_AT = 4000
"""Lines compared in search of the nearest; comparing is slow."""
ALIKE = 0.6


def replace(text: str, old: str, *, new: str, path: str, every: bool = False) -> str:
    """The text with old replaced: at its one place, or at every place."""
    old, new = (_plain(part, text) for part in (old, new))
    if old == new:
        raise UserError(
            "old and new are the same; nothing would change", do="Give the text as it should become in new."
        )
    count = text.count(old)
    if old.endswith("\n") and f"\n{text}".endswith(f"\n{old[:-1]}") and (every or not count):
        text, count = f"{text}\n", count + 1  # the last line has no line break, and gets one
    if count == 1 or (every and count):
        return text.replace(old, new)
    if count:
        raise UserError(
            f"the text occurs {count} times in {path}, at lines {_lines_of(text, old)}",
            do="Take more lines around the place into old, or replace all of them with all: true.",
        )
    raise _missing(text, old, path)


def _plain(part: str, text: str) -> str:
    """Line ends as the text has them."""
    return part if "\r" in text else part.replace("\r\n", "\n")


def _lines_of(text: str, old: str) -> str:
    starts = [found.start() for found in re.finditer(re.escape(old), text)]
    told = ", ".join(str(text.count("\n", 0, at) + 1) for at in starts[:PLACES])
    return told + (" …" if len(starts) > PLACES else "")


def _missing(text: str, old: str, path: str) -> UserError:
    lines, wanted = split_lines(text), split_lines(old)
    if not lines:
        return UserError(f"{path} is empty", do="Give its whole content as a patch: @@ -0,0 +1,COUNT @@.")
    if "\r" in text:
        return UserError(
            f"the text does not occur in {path}, which mixes line ends (\\r\\n and \\n)",
            do="Replace within one line at a time.",
        )
    if places := _indented_otherwise(lines, wanted):
        told = ", ".join(f"{at + 1}–{at + len(wanted)}" if len(wanted) > 1 else str(at + 1) for at in places[:PLACES])
        return UserError(
            f"the text does not occur in {path}; with other indentation it is at lines {told}",
            do="Copy the text exactly as it is in the file; nothing was changed.",
            details=(numbered(lines, places[0] + 1, places[0] + len(wanted)),),
        )
    at = _nearest(lines, wanted)
    if at is None:
        return UserError(f"the text does not occur in {path}", do="Read the file and copy the text from it exactly.")
    spaces = ["".join(line.split()) for line in lines[at : at + len(wanted)]]
    blank = " Only spaces or line breaks differ." if spaces == ["".join(line.split()) for line in wanted] else ""
    return UserError(
        f"the text does not occur in {path}; the nearest lines begin at line {at + 1}.{blank}",
        do="Copy the text exactly as it is in the file; nothing was changed.",
        details=(numbered(lines, at + 1, at + max(len(wanted), 3)),),
    )


def _indented_otherwise(lines: list[str], wanted: list[str]) -> list[int]:
    """Where the same lines are with other white space at their beginning or end."""
    bare, sought = [line.strip() for line in lines], [line.strip() for line in wanted]
    if not any(sought):
        return []
    return [at for at in range(len(bare) - len(sought) + 1) if bare[at : at + len(sought)] == sought]


def _nearest(lines: list[str], wanted: list[str]) -> int | None:
    """Where the first line with content of what was wanted has its best counterpart, moved back to the beginning."""
    offset = next((at for at, line in enumerate(wanted) if line.strip()), None)
    if offset is None:
        return None
    matcher = difflib.SequenceMatcher(None, "", wanted[offset].strip(), autojunk=False)
    best, found = ALIKE, None
    for at, line in enumerate(lines[:LOOKED_AT]):
        matcher.set_seq1(line.strip()[:300])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, found = ratio, max(at - offset, 0)
    return found
