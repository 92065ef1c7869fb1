"""A folder of resources: what can be read is read, everything else is named with the reason."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sample_documents import docx, pdf
from thoughtforge.settings.outside import Resources
from thoughtforge.think.resources import Gathered, Resource, Skipped, read_resources

LIMITS = Resources()
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def read(folder: Path, **limits: float) -> Gathered:
    return read_resources(folder, Resources.model_validate(limits))


def skipped(folder: Path, name: str, data: bytes, **limits: float) -> str:
    """Why a file with this content is not read."""
    (folder / name).write_bytes(data)
    gathered = read(folder, **limits)
    assert gathered.resources == ()
    (one,) = gathered.skipped
    assert one.name == name
    return one.why


def test_text_code_and_pictures_are_taken_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.md").write_text("# Über\r\n")
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "sub" / "c").write_text("no ending\n")
    (tmp_path / "d.png").write_bytes(PNG)
    (tmp_path / ".hidden").write_text("x")
    assert read(tmp_path) == Gathered(
        (
            Resource("a.py", "code", "x = 1\n", tmp_path / "a.py"),
            Resource("b.md", "text", "# Über\n", tmp_path / "b.md"),
            Resource("d.png", "image", "", tmp_path / "d.png"),
            Resource("sub/c", "text", "no ending\n", tmp_path / "sub" / "c"),
        )
    )


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / "resources") == Gathered()


@pytest.mark.parametrize(
    ("data", "note"),
    [
        ("grün".encode("utf-8-sig"), ""),
        (codecs.BOM_UTF16_LE + "grün".encode("utf-16-le"), "it was read as UTF-16"),
        (codecs.BOM_UTF32_BE + "grün".encode("utf-32-be"), "it was read as UTF-32"),
        ("grün".encode("cp1252"), "it is not UTF-8 and was read as Windows-1252"),
    ],
    ids=["mark", "utf-16", "utf-32", "windows"],
)
def test_another_encoding_is_read_and_named(tmp_path: Path, data: bytes, note: str) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    assert read(tmp_path).resources == (Resource("a.txt", "text", "grün", tmp_path / "a.txt", note),)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.xlsx", b"PK\x03\x04\0\0", "the format .xlsx is not supported"),
        ("a.bin", b"\xff\xfe\xfa", "it begins as UTF-16 and is none"),
        ("a.odt", b"\x93\x94\x81", "the format .odt is not supported"),
        ("a.txt", b"\x81\x8d", "its encoding is not known; save it as UTF-8"),
        ("a.png", b"<html>", "it is no PNG image"),
        ("a.pdf", b"%PDF-1.7 but no more", "it is damaged or no PDF"),
        ("a.docx", b"no zip at all", "it is damaged or no DOCX"),
        ("a.docx", b"\xd0\xcf\x11\xe0 and so on", "it is encrypted, or in the older .doc format"),
        ("a.md", b"", "it is empty"),
        ("a.md", b" \n ", "there is no text in it"),
    ],
)
def test_what_cannot_be_read_is_named_with_the_reason(tmp_path: Path, name: str, data: bytes, why: str) -> None:
    assert skipped(tmp_path, name, data) == why


def test_a_pdf_and_a_docx_give_their_text(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("Roses by the wall"))
    (tmp_path / "b.docx").write_bytes(docx("Garden", "Roses by the wall"))
    first, second = read(tmp_path).resources
    assert (first.kind, first.text, first.note) == ("pdf", "Roses by the wall", "")
    assert (second.kind, second.text, second.note) == ("docx", "# Garden\n\nRoses by the wall", "")


def test_an_encrypted_pdf_is_named(tmp_path: Path) -> None:
    assert skipped(tmp_path, "a.pdf", pdf("secret", encrypted=True)) == "it is encrypted"


def test_a_pdf_without_text_is_named(tmp_path: Path) -> None:
    why = "there is no text in it; pages that are only pictures are not read"
    assert skipped(tmp_path, "a.pdf", pdf("")) == why


def test_a_docx_that_would_unpack_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 101_000_000)
    assert read(tmp_path).skipped == (Skipped("a.docx", "it unpacks to more than 100 MB"),)


def test_a_docx_with_broken_parts_is_named(tmp_path: Path) -> None:
    whole = docx("Garden", "Roses").replace(b"</w:body>", b"</w:brdy>")
    with zipfile.ZipFile(tmp_path / "empty.docx", "w") as archive:
        archive.writestr("readme.txt", "nothing else")
    (tmp_path / "broken.docx").write_bytes(whole)
    why = "it is damaged or no DOCX"
    assert read(tmp_path).skipped == (Skipped("broken.docx", why), Skipped("empty.docx", why))


def test_a_file_above_the_limit_is_skipped_with_the_name_of_the_limit(tmp_path: Path) -> None:
    why = "it has 0.0 MB, more than 0.001 (the limit is resources.max_file_mb)"
    assert skipped(tmp_path, "a.txt", b"x" * 1001, max_file_mb=0.001) == why
    (tmp_path / "a.txt").write_bytes(b"x" * 1000)
    assert len(read(tmp_path, max_file_mb=0.001).resources) == 1


def test_a_long_text_is_cut_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 1001)
    gathered = read(tmp_path, max_text_kb=1)
    (one,) = gathered.resources
    assert one.text == "x" * 1000
    told = "only the first 1,000 of 1,001 characters were taken (the limit is resources.max_text_kb)"
    assert gathered.said() == (f"'a.txt': {told}.",)


def test_too_many_files_are_named(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(name)
    gathered = read(tmp_path, max_files=2)
    assert [one.name for one in gathered.resources] == ["a", "b"]
    assert gathered.said() == ("'c' was skipped: there are already 2 files (the limit is resources.max_files).",)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "resources"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "outside").mkdir()
    (folder / "a.txt").write_text("a")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "in.txt").symlink_to("a.txt")
    (folder / "gone.txt").symlink_to("nowhere.txt")
    (folder / "outside").symlink_to(tmp_path / "outside")
    gathered = read(folder)
    assert [one.name for one in gathered.resources] == ["a.txt", "in.txt"]
    assert gathered.skipped == (
        Skipped("gone.txt", "it cannot be read (No such file or directory)"),
        Skipped("out.txt", "it is a link that leads out of the folder"),
        Skipped("outside", "it is a link that leads out of the folder"),
    )


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    assert read(tmp_path).skipped == (Skipped("a.txt", "it is no file that can be read"),)


READ = """
import pathlib, sys
from thoughtforge.think.resources import read_resources
from thoughtforge.settings.outside import Resources
print(*read_resources(pathlib.Path(sys.argv[1]), Resources()).said(), sep="\\n")
"""


def test_without_the_libraries_a_document_is_named_with_the_way_to_get_them(tmp_path: Path) -> None:
    folder, broken = tmp_path / "resources", tmp_path / "broken"
    folder.mkdir()
    broken.mkdir()
    (folder / "a.pdf").write_bytes(pdf("Roses"))
    (folder / "b.docx").write_bytes(docx("Garden", "Roses"))
    for name in ("pypdfium2", "mammoth"):
        (broken / f"{name}.py").write_text("raise ImportError('not installed')\n")
    argv = [sys.executable, "-c", READ, str(folder)]
    ran = subprocess.run(argv, env={"PYTHONPATH": str(broken)}, capture_output=True, text=True, check=False)
    install = "Install it: pip install 'thoughtforge[think]'."
    assert (ran.stderr, ran.stdout.splitlines()) == (
        "",
        [
            f"'a.pdf' was skipped: the library pypdfium2 is missing. {install}",
            f"'b.docx' was skipped: the library mammoth is missing. {install}",
        ],
    )
