"""Text out of a file that a person brought along: plain text in any usual encoding, PDF and Word."""

from __future__ import annotations

import codecs
import re
import zipfile
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from thoughtforge.integrations.http import INSTALL

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


PAGES = 500
"""The most pages taken of a PDF."""
UNPACKED = 100_000_000
"""A DOCX that unpacks to more is refused: a small archive can hold a huge one."""
PASSWORD_NEEDED = 4
"""What PDFium calls a document that asks for a password."""
OLE = b"\xd0\xcf\x11\xe0"
"""How an encrypted DOCX begins: it is no zip archive any more."""


ONE_AT_A_TIME = Lock()
"""PDFium must not be used by two threads at once."""


class UnreadableDocument(Exception):
    """A document that gives no text; the words say why."""


def read_pdf(path: Path, most: int) -> Text:
    """The text of a PDF page by page; tables become lines."""
    try:
        import pypdfium2
    except ImportError as error:
        raise UnreadableDocument(f"the library pypdfium2 is missing. {INSTALL}") from error
    with ONE_AT_A_TIME:
        return _read_pdf(pypdfium2, path, most)


def _read_pdf(pypdfium2: Any, path: Path, most: int) -> Text:
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        encrypted = getattr(error, "err_code", None) == PASSWORD_NEEDED or "assword" in str(error)
        raise UnreadableDocument("it is encrypted" if encrypted else "it is damaged or no PDF") from error
    try:
        pages = len(document)
        text = "\n\n".join(_page(document, number) for number in range(min(pages, PAGES)))
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocument("it is damaged") from error
    finally:
        document.close()
    if not text.strip():
        raise UnreadableDocument("there is no text in it; pages that are only pictures are not read")
    note = f"only the first {PAGES} of {pages} pages were read" if pages > PAGES else ""
    return cut(text, most, note)


def _page(document: Any, number: int) -> str:
    page = document[number]
    words = page.get_textpage()
    try:
        return str(words.get_text_bounded()).replace("\r\n", "\n").strip()
    finally:
        words.close()
        page.close()


def read_docx(path: Path, most: int) -> Text:
    """A DOCX as Markdown: headings, lists and emphasis stay; pictures inside are left out, with a note."""
    try:
        from xml.parsers.expat import ExpatError

        import mammoth
    except ImportError as error:
        raise UnreadableDocument(f"the library mammoth is missing. {INSTALL}") from error
    left_out: list[object] = []

    def leave_out(image: object) -> list[object]:
        left_out.append(image)
        return []

    try:
        with path.open("rb") as file:
            if file.read(len(OLE)) == OLE:
                raise UnreadableDocument("it is encrypted, or in the older .doc format")
            with zipfile.ZipFile(file) as archive:
                if sum(part.file_size for part in archive.infolist()) > UNPACKED:
                    raise UnreadableDocument(f"it unpacks to more than {UNPACKED // 1_000_000} MB")
            file.seek(0)
            made = mammoth.convert_to_markdown(file, convert_image=leave_out)
    except (zipfile.BadZipFile, KeyError, ValueError, ExpatError, AttributeError) as error:
        raise UnreadableDocument("it is damaged or no DOCX") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise UnreadableDocument("it is damaged or no DOCX") from error  # so says mammoth when parts are missing
    note = f"{len(left_out)} picture{'s' * (len(left_out) > 1)} in it left out" if left_out else ""
    return cut(str(made.value).strip(), most, note)
