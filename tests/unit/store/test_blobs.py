"""Blobs: named by what is in them, written once, masked unless they must stay exact, never served damaged."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.store.file_task import FileBlobs
from thoughtforge.store.secrets import Masker
from unit.kernel.generated import STEADY


@pytest.fixture(scope="module")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> FileBlobs:
    return FileBlobs(tmp_path_factory.mktemp("task"), masker=Masker.of({"SHOP_PASSWORD": "correct-horse-battery"}))


@settings(STEADY, max_examples=60)
@given(st.binary(max_size=5_000))
def test_exact_bytes_come_back_exactly(blobs: FileBlobs, data: bytes) -> None:
    digest = blobs.put(data, exact=True)
    assert (digest, blobs.get(digest)) == (hashlib.sha256(data).hexdigest(), data)


@settings(STEADY, max_examples=60)
@given(st.text(max_size=2_000))
def test_text_comes_back_as_it_was(blobs: FileBlobs, text: str) -> None:
    assert blobs.get(blobs.put(text.encode())).decode() == text


def test_a_secret_is_hidden_before_the_name_is_made(blobs: FileBlobs) -> None:
    digest = blobs.put(b"it is correct-horse-battery")
    hidden = b"it is [masked:SHOP_PASSWORD]"
    assert (digest, blobs.get(digest)) == (hashlib.sha256(hidden).hexdigest(), hidden)


def test_bytes_that_are_no_text_are_kept_readable_unless_they_must_be_exact(blobs: FileBlobs) -> None:
    assert blobs.get(blobs.put(b"caf\xe9")) == "caf\ufffd".encode()
    assert blobs.get(blobs.put(b"caf\xe9", exact=True)) == b"caf\xe9"


def test_a_blob_is_for_its_owner_only_and_written_once(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path, masker=Masker.of({}))
    path = tmp_path / "blobs" / blobs.put(b"once")
    first = path.stat()
    blobs.put(b"once")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    assert (first.st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_missing_or_changed_blob_is_damage_and_no_answer(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path, masker=Masker.of({}))
    digest = blobs.put(b"content")
    path = tmp_path / "blobs" / digest
    path.write_bytes(b"contenu")
    with pytest.raises(LogCorrupt) as changed:
        blobs.get(digest)
    path.unlink()
    with pytest.raises(LogCorrupt) as missing:
        blobs.get(digest)
    assert (changed.value.path, changed.value.what) == (str(path), "the content does not match its name")
    assert (missing.value.path, missing.value.what) == (str(path), "missing")
