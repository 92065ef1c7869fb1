"""The record of what a person trusted: their own, whole, and readable by nobody else; else it counts for nothing."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.settings.trust import TrustRecord, TrustStore

PLACE = Path("/somewhere/.thoughtforge/config.yaml")
KEPT = TrustRecord("provider: x\n", "ann on 2030-01-02")


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    """A store with one record."""
    made = TrustStore(tmp_path / "state" / "trust")
    made.write(PLACE, text="provider: x\n", by="ann", at="2030-01-02")
    return made


def test_a_record_is_read_back_and_only_its_owner_can_read_it(store: TrustStore) -> None:
    assert store.read(PLACE) == KEPT
    assert store.read(PLACE.parent / "other.yaml") == TrustRecord()
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (store.folder, store.file(PLACE))]
    assert modes == [0o700, 0o600]
    assert [path.name for path in store.folder.iterdir()] == [store.file(PLACE).name]


def test_a_record_is_replaced_and_removed(store: TrustStore) -> None:
    store.write(PLACE, text="new\n", by="bob", at="2031")
    assert store.read(PLACE) == TrustRecord("new\n", "bob on 2031")
    assert (store.remove(PLACE), store.remove(PLACE), store.read(PLACE)) == (True, False, TrustRecord())


@pytest.mark.parametrize("field", ["path", "digest", "text"])
def test_a_record_that_was_changed_counts_for_nothing(store: TrustStore, field: str) -> None:
    file = store.file(PLACE)
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, field: "other"}))
    found = store.read(PLACE)
    assert (found.text, "was changed by another program" in found.wrong[0]) == (None, True)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe"])
def test_a_record_that_is_no_record_counts_for_nothing(store: TrustStore, content: bytes) -> None:
    store.file(PLACE).write_bytes(content)
    found = store.read(PLACE)
    assert (found.text, len(found.wrong)) == (None, 1)


@pytest.mark.parametrize("mode", [0o644, 0o620, 0o602])
def test_a_record_that_others_can_touch_counts_for_nothing_until_it_is_made_anew(store: TrustStore, mode: int) -> None:
    store.file(PLACE).chmod(mode)
    found = store.read(PLACE)
    assert (found.text, "others can read or write" in found.wrong[0]) == (None, True)
    store.write(PLACE, text="provider: x\n", by="ann", at="2030-01-02")
    assert store.read(PLACE) == KEPT


def test_a_folder_that_others_can_write_is_refused_for_reading_and_writing(store: TrustStore) -> None:
    store.folder.chmod(0o777)
    found = store.read(PLACE)
    assert (found.text, f"chmod 700 {store.folder}" in found.wrong[0]) == (None, True)
    with pytest.raises(UserError, match="others can write"):
        store.write(PLACE, text="x", by="ann", at="")


def test_a_link_in_place_of_a_record_is_not_followed(store: TrustStore, tmp_path: Path) -> None:
    file = store.file(PLACE)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert store.read(PLACE).text is None
