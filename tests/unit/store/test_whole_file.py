"""A file is replaced whole, or stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from thoughtforge.store.viewfiles import write_whole


def test_a_file_is_made_with_its_folder_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.md"
    for data in (b"one", b"two"):
        write_whole(path, data)
    assert ([one.name for one in path.parent.iterdir()], path.read_bytes()) == (["b.md"], b"two")


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").write_bytes(b"old")
    with pytest.raises(OSError, match="directory"):
        write_whole(tmp_path / "taken", b"new")
    assert sorted(str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*")) == ["taken", "taken/inside"]
