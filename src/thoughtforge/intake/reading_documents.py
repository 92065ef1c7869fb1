"""Text out of PDF and DOCX. The libraries are loaded when such a file is met; without them it is named and skipped."""

from __future__ import annotations

import zipfile
from pathlib import Path
from threading import Lock
from typing import Any

from thoughtforge.intake.reading_text import Text, cut
from thoughtforge.outside.http import INSTALL

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


class Unreadable(Exception):
    """A document that gives no text; the words say why."""


def read_pdf(path: Path, most: int) -> Text:
    """The text of a PDF page by page; tables become lines."""
    try:
        import pypdfium2
    except ImportError as error:
        raise Unreadable(f"the library pypdfium2 is missing. {INSTALL}") from error
    with ONE_AT_A_TIME:
        return _read_pdf(pypdfium2, path, most)


def _read_pdf(pypdfium2: Any, path: Path, most: int) -> Text:
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        encrypted = getattr(error, "err_code", None) == PASSWORD_NEEDED or "assword" in str(error)
        raise Unreadable("it is encrypted" if encrypted else "it is damaged or no PDF") from error
    try:
        pages = len(document)
        text = "\n\n".join(_page(document, number) for number in range(min(pages, PAGES)))
    except pypdfium2.PdfiumError as error:
        raise Unreadable("it is damaged") from error
    finally:
        document.close()
    if not text.strip():
        raise Unreadable("there is no text in it; pages that are only pictures are not read")
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
        raise Unreadable(f"the library mammoth is missing. {INSTALL}") from error
    left_out: list[object] = []

    def leave_out(image: object) -> list[object]:
        left_out.append(image)
        return []

    try:
        with path.open("rb") as file:
            if file.read(len(OLE)) == OLE:
                raise Unreadable("it is encrypted, or in the older .doc format")
            with zipfile.ZipFile(file) as archive:
                if sum(part.file_size for part in archive.infolist()) > UNPACKED:
                    raise Unreadable(f"it unpacks to more than {UNPACKED // 1_000_000} MB")
            file.seek(0)
            made = mammoth.convert_to_markdown(file, convert_image=leave_out)
    except (zipfile.BadZipFile, KeyError, ValueError, ExpatError, AttributeError) as error:
        raise Unreadable("it is damaged or no DOCX") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise Unreadable("it is damaged or no DOCX") from error  # so says mammoth when parts are missing
    note = f"{len(left_out)} picture{'s' * (len(left_out) > 1)} in it left out" if left_out else ""
    return cut(str(made.value).strip(), most, note)
