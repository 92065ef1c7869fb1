"""A file's content as an agent edits it: text with plain line ends, written back in the style it had."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workshop.desk import Desk
from thoughtforge.workspaces.git import Entry

BOM = "\ufeff"
BINARY_LOOK = 8 * 1024
"""A NUL byte this early makes a file binary; git looks at as much."""


class Content(NamedTuple):
    """One text file. `text` has \\n for every line end when all of them are the same."""

    path: str
    text: str
    newline: str = "\n"
    bom: bool = False

    def encoded(self, text: str) -> bytes:
        """Another text as the bytes of this file, in its style."""
        return encode((BOM if self.bom else "") + text.replace("\n", self.newline), self.path)


def encode(text: str, path: str) -> bytes:
    """Text as UTF-8; what cannot be written so, or would be no text, is a Mistake."""
    if "\0" in text:
        raise Mistake(f"the text for {path} has a NUL character", do="Write text; binary files cannot be written.")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Mistake(
            f"the text for {path} has half of a surrogate pair at character {error.start + 1}",
            do="Write the character itself instead of an escape.",
        ) from error


def check_size(data: bytes, path: str, *, desk: Desk) -> None:
    """Nothing larger is written than a person allowed."""
    most = desk.the_workshop().rules.change.file_kb
    if len(data) > most * 1024:
        raise Mistake(
            f"{path} would have {len(data):,} bytes; the limit is {most} KB",
            do="Write smaller files; a person can raise change.file_kb in config.yaml.",
        )


async def plain_file(desk: Desk, path: str) -> Entry:
    """The file of that name as it is now; a link, a submodule, a hidden or missing file is a Mistake."""
    entry = desk.tree.entries.get(desk.tree.composed.get(path, path))
    if entry is None:
        await desk.tree.read(path)  # says in words why not
        raise Mistake(f"there is no file {path}", do="List the files to see what there is.")
    if entry.kind != "file":
        raise Mistake(f"{path} is a {entry.kind}, not a plain file", do="Work on the files themselves.")
    return entry


def free_path(desk: Desk, path: str, *, leaving: str = "") -> None:
    """A path for a new file; one that is hidden, taken, a folder, or below a file is a Mistake. `leaving` gives way."""
    if hidden := desk.tree.ignore.reason(path):
        raise Mistake(hidden, do="Use another name; a person can change what is hidden in .thoughtforgeignore.")
    known = desk.tree.composed
    if path in known:
        raise Mistake(f"{path} exists already", do="Change it with edit_file, or use another name.")
    if any(other.startswith(f"{path}/") for other in known):
        raise Mistake(f"{path} is a folder", do="Name a file.")
    alike = next((other for other in known if other != leaving and other.casefold() == path.casefold()), None)
    if alike:
        raise Mistake(f"{path} differs from {alike} in case only", do="Use another name; on some disks they are one.")
    parts = path.split("/")
    above = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
    if taken := next((folder for folder in above if folder in known), None):
        raise Mistake(f"{taken} is a file, so nothing can be below it", do="Use another folder.")


async def read_bytes(desk: Desk, path: str) -> bytes:
    """The whole content of a plain file."""
    entry = await plain_file(desk, path)
    workspace = desk.the_workshop().workspace
    return await workspace.read(await workspace.tree(), entry.path)


async def read_content(desk: Desk, path: str) -> Content:
    """A text file; one that is binary or not UTF-8 is a Mistake, because writing it back would damage it."""
    entry = await plain_file(desk, path)
    data = await read_bytes(desk, path)
    if b"\0" in data[:BINARY_LOOK]:
        raise Mistake(f"{path} is a binary file", do="Only text can be edited.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(
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
