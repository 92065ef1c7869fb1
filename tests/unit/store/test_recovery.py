"""What a crash in the middle of a write leaves: the next command that writes sets it aside and says so on record."""

from __future__ import annotations

import shutil
from pathlib import Path

from harness import thoughtforge
from thoughtforge.kernel import events as e
from thoughtforge.people.events import AbortAsked
from thoughtforge.store.log import read_records
from thoughtforge.store.verify import Proof, verify
from unit.store.conftest import GOLDEN


def test_a_message_to_a_torn_record_sets_the_torn_part_aside_with_a_warning(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(GOLDEN, tmp_path / "home" / "tasks" / "20261116-u585-add-a-json-flag-to"))
    with (folder / "events.jsonl").open("ab") as file:
        file.write(b'{"seq":79,"time":')
    here = {"cwd": tmp_path, "home": tmp_path, "THOUGHTFORGE_HOME": str(tmp_path / "home")}
    shown = thoughtforge("status", "last", "--json", **here)
    assert (shown.code, shown.json["events"]) == (0, 78)
    assert verify(folder).damage == (f"{folder / 'events.jsonl'}, line 79: 17 bytes of an unfinished line",)
    assert thoughtforge("abort", "last", **here).code == 0
    warning, abort = [record.event for record in read_records(folder)][-2:]
    assert warning == e.WarningGiven(text="an unfinished last event was set aside as torn-79.part", code="log_torn")
    assert isinstance(abort, AbortAsked)
    assert (folder / "torn-79.part").read_bytes() == b'{"seq":79,"time":'
    assert verify(folder) == Proof(events=80, blobs=43, damage=())
