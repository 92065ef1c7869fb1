"""Text and code out of a file: UTF-8, or another encoding that is named; anything else is no text."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import NamedTuple

CODE = re.compile(
    r".*\.(?:bash|c|cc|clj|cpp|cs|css|dart|ex|go|h|hpp|hs|html|ipynb|java|jl|jsx?|kt|lua|m|php|pl|proto|ps1|py|r|rb|rs"
    r"|scala|sh|sql|svelte|swift|tf|tsx?|vue|zig)|Dockerfile|Makefile",
    re.IGNORECASE,
)
"""Names of source files."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", ""),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
"""How a file may begin → how it is decoded, and what a person calls that. The longer mark comes first."""
TEXTUAL = frozenset({"", ".txt", ".md", ".markdown", ".rst", ".csv", ".tsv", ".log", ".json", ".yaml", ".yml", ".xml"})
"""Endings that promise text, so that an old encoding is worth a try."""


class NotText(Exception):
    """The file holds no text we can read; the words say why."""


class Text(NamedTuple):
    """What was read, and what is unusual about it."""

    text: str
    note: str


def read_text(path: Path, most: int) -> Text:
    """The text of a file, at most so many characters."""
    data = path.read_bytes()
    decoded = _decode(data, path)
    return cut(decoded.text.replace("\r\n", "\n"), most, decoded.note)


def cut(text: str, most: int, note: str = "") -> Text:
    """The beginning of a text that is too long, said so in the note."""
    if len(text) <= most:
        return Text(text, note)
    told = f"only the first {most:,} of {len(text):,} characters were taken (the limit is resources.max_text_kb)"
    return Text(text[:most], f"{note}; {told}" if note else told)


def _decode(data: bytes, path: Path) -> Text:
    for mark, encoding, shown in MARKS:
        if data.startswith(mark):
            try:
                return Text(data.decode(encoding), f"it was read as {shown}" if shown else "")
            except UnicodeDecodeError as error:
                raise NotText(f"it begins as {shown or 'UTF-8'} and is none") from error
    ending = path.suffix.lower()
    if b"\0" in data:
        raise NotText(f"the format {ending} is not supported" if ending else "it is not a text file")
    try:
        return Text(data.decode("utf-8"), "")
    except UnicodeDecodeError as error:
        if ending not in TEXTUAL and not CODE.fullmatch(path.name):
            raise NotText(f"the format {ending} is not supported") from error
    try:
        return Text(data.decode("cp1252"), "it is not UTF-8 and was read as Windows-1252")
    except UnicodeDecodeError as error:
        raise NotText("its encoding is not known; save it as UTF-8") from error
