"""verify names every damage by its file, changes nothing, and finds none where there is none."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtforge.calls.events import ActionTaken, DraftMade
from thoughtforge.kernel import events as e
from thoughtforge.people.events import HintGiven
from thoughtforge.store.file_task import FileBlobs
from thoughtforge.store.log import FileLog
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import verify
from thoughtforge.workspaces.events import EditPlanned
from unit.kernel.generated import STEADY
from unit.kernel.making import task

NOTHING = hashlib.sha256(b"").hexdigest()


def flipped(path: Path, position: int, change: int) -> bytes:
    """Change one byte; the old content."""
    raw = path.read_bytes()
    path.write_bytes(raw[:position] + bytes([raw[position] ^ change]) + raw[position + 1 :])
    return raw


@settings(STEADY, max_examples=150)
@given(st.data())
def test_one_changed_byte_anywhere_in_the_log_is_found_with_its_line(kept_golden: Path, data: st.DataObject) -> None:
    path = kept_golden / "events.jsonl"
    raw = path.read_bytes()
    position = data.draw(st.integers(0, len(raw) - 1))
    flipped(path, position, data.draw(st.integers(1, 255)))
    damage = verify(kept_golden).damage
    path.write_bytes(raw)
    line = raw.count(b"\n", 0, position) + 1
    assert any(found.startswith(f"{path}, line {line}: ") for found in damage)


@pytest.mark.parametrize("change", [1, 2, 16, 32, 128])
def test_a_changed_end_of_any_line_is_found(kept_golden: Path, change: int) -> None:
    path = kept_golden / "events.jsonl"
    raw = path.read_bytes()
    ends = [position for position, byte in enumerate(raw) if byte == 10]
    for line in (1, 2, len(ends) - 1, len(ends)):
        flipped(path, ends[line - 1], change)
        assert verify(kept_golden).damage[0].startswith(f"{path}, line {line}: ")
        path.write_bytes(raw)


@settings(STEADY, max_examples=100)
@given(st.data())
def test_one_changed_byte_in_head_task_or_a_blob_is_found_with_its_file(kept_golden: Path, data: st.DataObject) -> None:
    blobs = sorted(path for path in (kept_golden / "blobs").iterdir() if path.stat().st_size)
    path = data.draw(st.sampled_from([kept_golden / "head", kept_golden / "task.yaml", *blobs]))
    position = data.draw(st.integers(0, path.stat().st_size - 1))
    raw = flipped(path, position, data.draw(st.integers(1, 255)))
    damage = verify(kept_golden).damage
    path.write_bytes(raw)
    assert len(damage) == 1
    named = str(path) in damage[0]
    assert named or (path.name == "head" and damage[0].endswith(f"but head vouches for {head_in(damage[0])}"))
    assert verify(kept_golden).damage == ()


def head_in(words: str) -> str:
    return words.rsplit(" ", 1)[1]


def test_every_byte_of_head_counts(kept_golden: Path) -> None:
    head = kept_golden / "head"
    raw = head.read_bytes()
    for position in range(len(raw)):
        flipped(head, position, 1)
        assert len(verify(kept_golden).damage) == 1
        head.write_bytes(raw)
    assert verify(kept_golden).damage == ()


def test_a_missing_blob_a_missing_task_and_a_cut_log_are_all_listed(golden: Path) -> None:
    lost = sorted((golden / "blobs").iterdir())[0]
    lost.unlink()
    (golden / "task.yaml").unlink()
    log = golden / "events.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-3]))
    assert verify(golden).damage == (
        f"{golden / 'task.yaml'}: missing or changed since the task was created",
        f"{log}, line 76: the log ends after event 75, but head vouches for 78",
        f"{lost}: missing",
    )


def test_a_blob_nobody_names_is_proved_too_and_half_a_blob_is_no_damage(golden: Path) -> None:
    (golden / "blobs" / NOTHING).write_bytes(b"not nothing")
    (golden / "blobs" / f"{NOTHING[::-1]}.123").write_bytes(b"half")
    assert verify(golden).damage == (f"{golden / 'blobs' / NOTHING}: the content does not match its name",)


def written(folder: Path, *events: e.Event) -> None:
    log = FileLog(folder, masker=Masker.of({}), clock=lambda: "2026-01-01T00:00:00+00:00")
    for event in events:
        log.append(event)
    log.close()


def acted(**fields: object) -> ActionTaken:
    rest = {"stage": "s", "round": 1, "step": 1, "role": "r", "tool": "search", "outcome": "ok", "summary": ""}
    return ActionTaken.model_validate({**rest, **fields})


@pytest.mark.parametrize(
    "event",
    [
        HintGiven(text=NOTHING),
        acted(params={"text": NOTHING, "output": NOTHING}, note=NOTHING, summary=NOTHING),
        e.EscalationResolved(id="E-1", answers={"artifact": NOTHING}),
        EditPlanned(stage="s", step=1, path="p", before=NOTHING, after=None),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_text_that_looks_like_a_digest_is_not_taken_for_a_blob(tmp_path: Path, event: e.Event) -> None:
    written(tmp_path, event)
    assert verify(tmp_path).damage == ()


@pytest.mark.parametrize(
    "event",
    [
        acted(output=NOTHING),
        EditPlanned(stage="s", step=1, path="p", before=None, after=NOTHING),
        e.StageStarted(stage="s", round=1, role="r", inputs=(NOTHING,)),
        DraftMade(stage="s", round=1, draft=NOTHING),
        e.StagePassed(stage="s", artifact=NOTHING),
        e.TaskExtended(task=task(request_digest=NOTHING)),
        e.TaskExtended(task=task(inputs=[{"contract": "c", "digest": NOTHING, "source": "s"}])),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_blob_an_event_names_must_be_there(tmp_path: Path, event: e.Event) -> None:
    written(tmp_path, event)
    assert verify(tmp_path).damage == (f"{tmp_path / 'blobs' / NOTHING}: missing",)
    FileBlobs(tmp_path, masker=Masker.of({})).put(b"")
    assert verify(tmp_path) == (1, 1, ())


def test_the_loss_of_every_blob_that_matters_is_found(golden: Path) -> None:
    content = {path: path.read_text() for path in sorted((golden / "blobs").iterdir())}
    for path in content:
        path.unlink()
    # that an agent handed in its artifact is said by the artifact itself
    named = [path for path, text in content.items() if not text.startswith("handed in an artifact")]
    assert verify(golden).damage == tuple(f"{path}: missing" for path in named)
    assert (len(named), len(content)) == (41, 43)


def test_verify_changes_nothing(golden: Path) -> None:
    def content() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in golden.rglob("*") if path.is_file()}

    flipped(golden / "events.jsonl", 2000, 1)
    before = content()
    assert verify(golden).damage != ()
    assert content() == before
