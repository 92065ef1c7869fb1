"""The files people read are written from the log: deleting or damaging one changes nothing and it comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.kernel.state import State
from thoughtforge.store.file_task import FileBlobs
from thoughtforge.store.log import read_records
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import verify
from thoughtforge.store.viewfiles import ViewFiles
from thoughtforge.views.tasks import details, summary
from thoughtforge.views.values import as_data
from thoughtforge.views.yaml_text import to_yaml

NAMES = [
    "artifacts/analyze/analysis_v1.yaml",
    "artifacts/clarify/clarification_v1.yaml",
    "artifacts/intake/intake_record_v1.yaml",
    "artifacts/spec/specification_final.yaml",
    "artifacts/spec/specification_v1.yaml",
    "artifacts/spec/specification_v2.yaml",
    "artifacts/spec/specification_v3.yaml",
    "artifacts/spec/specification_v4.yaml",
    "state.yaml",
    "status.json",
]


def state_of(folder: Path) -> State:
    return fold(EMPTY, read_records(folder))


def write(folder: Path) -> dict[str, bytes]:
    """Write the views; what they say."""
    masker = Masker.of({})
    ViewFiles(folder, FileBlobs(folder, masker=masker), masker).write(state_of(folder))
    truth = {"events.jsonl", "head", "task.yaml"}
    found = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "blobs"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if path.name not in truth}


def test_the_views_of_a_task_are_what_its_log_says(golden: Path) -> None:
    shown = write(golden)
    state = state_of(golden)
    assert sorted(shown) == NAMES
    assert yaml.safe_load(shown["state.yaml"]) == as_data(details(state))
    assert json.loads(shown["status.json"]) == {**as_data(summary(state)), "status": "done"}
    assert shown["artifacts/spec/specification_final.yaml"] == shown["artifacts/spec/specification_v4.yaml"]
    final = yaml.safe_load(shown["artifacts/spec/specification_final.yaml"])
    assert state.exited is not None
    assert final == json.loads((golden / "blobs" / state.exited.artifact).read_bytes())


@pytest.mark.parametrize("content", [None, b"", b"\xff\x00", b"state: done\n"], ids=repr)
def test_a_deleted_or_damaged_view_changes_nothing_and_comes_back(golden: Path, content: bytes | None) -> None:
    shown = write(golden)
    state, proof = state_of(golden), verify(golden)
    for name in NAMES:
        if content is None:
            (golden / name).unlink()
        else:
            (golden / name).write_bytes(content)
    assert (state_of(golden), verify(golden)) == (state, proof)
    assert write(golden) == shown


def test_views_are_written_at_most_once_a_second(golden: Path) -> None:
    masker = Masker.of({})
    files = ViewFiles(golden, FileBlobs(golden, masker=masker), masker)
    files.maybe(state_of(golden))
    (golden / "state.yaml").unlink()
    files.maybe(state_of(golden))
    assert not (golden / "state.yaml").exists()
    files.write(state_of(golden))
    assert (golden / "state.yaml").exists()


def test_a_damaged_artifact_is_reported_and_not_shown(golden: Path) -> None:
    state = state_of(golden)
    assert state.exited is not None
    blob = golden / "blobs" / state.exited.artifact
    blob.write_bytes(blob.read_bytes() + b" ")
    with pytest.raises(LogCorrupt, match="the content does not match its name"):
        write(golden)


@pytest.mark.parametrize(
    "data",
    [
        {"b": 1, "a": ["x", None, True]},
        {"text": "two\nlines\n"},
        {"text": " lead\n\ttab\x07\n"},
        {"ü": "no: yes # → 😀"},
    ],
    ids=repr,
)
def test_yaml_written_for_people_reads_back_in_the_same_order(data: dict[str, object]) -> None:
    back = yaml.safe_load(to_yaml(data))
    assert (back, list(back)) == (data, list(data))


def test_half_a_surrogate_pair_does_not_stop_a_view() -> None:
    assert yaml.safe_load(to_yaml({"name": "caf\udce9"})) == {"name": "caf?"}
