"""Files against the record, and folders taken away whatever is in them."""

import hashlib
import os
from pathlib import Path

import pytest

from thoughtforge.workspaces.checkout import Recorded, differences, remove_folder


def recorded(data: bytes, mode: str = "100644") -> Recorded:
    return Recorded(mode, hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest())


def test_equal_files_links_and_empty_submodules_do_not_differ(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "run").write_bytes(b"r")
    (tmp_path / "run").chmod(0o700)
    (tmp_path / "link").symlink_to("nowhere")
    entries = {b"a": recorded(b"a"), b"run": recorded(b"r", "100755"), b"link": recorded(b"nowhere", "120000")}
    assert differences(tmp_path, {**entries, b"sub": Recorded("160000", "0" * 40)}) == ()


def test_files_in_a_submodule_and_a_folder_in_the_place_of_a_file_differ(tmp_path):
    for path in ("sub/x", "file/y"):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_bytes(b"")
    assert differences(tmp_path, {b"sub": Recorded("160000", "0" * 40), b"file": recorded(b"")}) == (
        "file",
        "file/y",
        "sub/x",
    )


def test_a_link_with_the_content_of_a_file_is_no_file_and_a_file_no_link(tmp_path):
    (tmp_path / "a").symlink_to("text")
    (tmp_path / "b").write_bytes(b"text")
    assert differences(tmp_path, {b"a": recorded(b"text"), b"b": recorded(b"text", "120000")}) == ("a", "b")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is shut for the superuser")
def test_a_shut_folder_is_named(tmp_path):
    (tmp_path / "shut").mkdir(mode=0)
    try:
        assert differences(tmp_path, {}) == ("shut/",)
    finally:
        (tmp_path / "shut").chmod(0o700)


def test_a_folder_goes_with_shut_folders_in_it_and_what_links_lead_to_stays(tmp_path):
    (tmp_path / "kept/sub").mkdir(parents=True)
    (tmp_path / "kept/file").write_text("kept")
    (tmp_path / "kept/sub").chmod(0o500)
    gone = tmp_path / "gone"
    (gone / "a/b").mkdir(parents=True)
    (gone / "a/b/file").write_text("x")
    os.link(tmp_path / "kept/file", gone / "a/shared")
    (gone / "link").symlink_to(tmp_path / "kept")
    (gone / "a/link").symlink_to(tmp_path / "kept/sub")
    (gone / "a/b").chmod(0)
    (gone / "a").chmod(0o500)
    remove_folder(gone)
    assert not gone.exists()
    assert (tmp_path / "kept/file").read_text() == "kept"
    assert (tmp_path / "kept/sub").stat().st_mode & 0o777 == 0o500


def test_a_link_in_the_place_of_a_folder_is_taken_away_alone(tmp_path):
    Path(tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept")
    remove_folder(tmp_path / "link")
    remove_folder(tmp_path / "never there")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
