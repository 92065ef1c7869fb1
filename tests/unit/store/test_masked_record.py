"""No secret reaches the disk: it is hidden before hashing, and the runner goes on with what a reader will see."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from harness import configure, events, task_ids, thoughtforge
from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.kernel.loop import Journal
from thoughtforge.people.events import HintGiven
from thoughtforge.service.progress import Live
from thoughtforge.store.file_task import FileBlobs
from thoughtforge.store.log import FileLog, read_records
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import verify
from thoughtforge.store.viewfiles import ViewFiles
from thoughtforge.workspaces.events import EditPlanned
from unit.kernel.generated import CLASSES
from unit.kernel.making import begun, made, task

SECRET = "correct-horse-battery-staple"
TOKEN = "ghp_" + "aB3dE6gH9jK2" * 3
MASKER = Masker.of({"SHOP_PASSWORD": SECRET})
NEEDLES = [SECRET.encode(), TOKEN.encode(), base64.b64encode(SECRET.encode())]


def leaks(folder: Path, *, apart_from: frozenset[str] = frozenset()) -> list[str]:
    """The files below a folder that hold a secret, in content or name."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in apart_from]
    assert files
    return [
        path.name
        for path in files
        if any(needle in path.read_bytes() or needle in str(path).encode() for needle in NEEDLES)
    ]


def open_log(folder: Path, masker: Masker = MASKER) -> FileLog:
    return FileLog(folder, masker=masker, clock=lambda: "2026-01-01T00:00:00+00:00")


def action(**fields: object) -> ActionTaken:
    rest = {"stage": "intake", "round": 1, "step": 1, "role": "r", "tool": "t", "outcome": "ok", "summary": ""}
    return ActionTaken.model_validate({**rest, **fields})


def test_neither_log_nor_blobs_nor_views_nor_the_live_reply_hold_a_secret(tmp_path: Path) -> None:
    log, blobs, live = open_log(tmp_path), FileBlobs(tmp_path, masker=MASKER), Live(tmp_path, MASKER)
    journal = Journal(log)
    journal.append(e.TaskCreated(task=task(request=f"Use {SECRET} and {TOKEN}"), task_file="f"))
    params = {TOKEN: [SECRET, {"deep": f"x{SECRET}y"}], "b64": base64.b64encode(SECRET.encode()).decode()}
    journal.append(action(params=params, note=f"the password is {SECRET}", summary=TOKEN))
    artifact = blobs.put(f'{{"password": "{SECRET}"}}'.encode())
    journal.append(begun("intake"))
    journal.append(made("intake", artifact))
    journal.append(HintGiven(text=f"try {TOKEN}"))
    for piece in ("the password is ", SECRET[:9], SECRET[9:], " as told. " * 30):
        live.show(piece)
    exact = blobs.put(f"PASSWORD={SECRET}\n".encode(), exact=True)
    journal.append(EditPlanned(stage="intake", step=1, path=".env", before=None, after=exact))
    ViewFiles(tmp_path, blobs, MASKER).write(journal.state)
    assert leaks(tmp_path, apart_from=frozenset({exact})) == []
    assert (tmp_path / "blobs" / exact).stat().st_mode & 0o777 == 0o600
    assert blobs.get(exact) == f"PASSWORD={SECRET}\n".encode()
    assert journal.state == fold(EMPTY, read_records(tmp_path))
    assert journal.state.hints == ("try [masked:github_token]",)
    assert journal.state.the_task().request == "Use [masked:SHOP_PASSWORD] and [masked:github_token]"


@pytest.mark.parametrize(
    "word",
    ["required", "supervised", "blocking", "task_created", "prerequisites", "output_contract", "provider_failed"],
)
def test_a_secret_that_is_a_word_of_ours_does_not_break_the_record(tmp_path: Path, word: str) -> None:
    log = open_log(tmp_path, Masker.of({"API_KEY": word}))
    stage = task().pipeline.stages[0].model_copy(update={"purpose": f"not {word}"})
    written = [
        log.append(e.TaskCreated(task=task(stage), task_file="f")),
        log.append(e.RunnerStopped(reason="provider_failed", detail=word)),  # type: ignore[arg-type]
        log.append(action(params={word: word}, note=f"a {word} note")),
    ]
    log.close()
    assert list(read_records(tmp_path)) == written
    created, stopped, acted = (record.event for record in written)
    assert isinstance(created, e.TaskCreated)
    assert created.task.pipeline.stages[0].purpose == "not [masked:API_KEY]"
    assert stopped == e.RunnerStopped(reason="provider_failed", detail="[masked:API_KEY]")  # type: ignore[arg-type]
    assert acted == action(params={"[masked:API_KEY]": "[masked:API_KEY]"}, note="a [masked:API_KEY] note")


def test_every_event_type_survives_a_secret_that_is_its_own_name(tmp_path: Path) -> None:
    names = {kind.model_fields["type"].default for kind in CLASSES}
    log = open_log(tmp_path, Masker.of({name: name for name in names}))
    hint = log.append(HintGiven(text="hint_given", by="warning_given")).event
    log.close()
    assert hint == HintGiven(text="[masked:hint_given]", by="[masked:warning_given]")


def test_a_reply_is_shown_without_a_secret_that_is_still_arriving(tmp_path: Path) -> None:
    long = "k" * 300 + SECRET
    block = f"-----BEGIN PRIVATE KEY-----\n{'QUJD' * 400}\n-----END PRIVATE KEY-----\n"
    shown = Live(tmp_path, Masker.of({"LONG_SECRET": long}))
    shown.text = f"{block}and {long[:250]}"
    shown.show("")
    assert (tmp_path / "live").read_text() == ""
    later = Live(tmp_path, shown.masker)
    later.text = f"and {long} is it" + "." * 2_000
    later.show("")
    assert (tmp_path / "live").read_text() == "and [masked:LONG_SECRET] is it" + "." * (2_000 - later.held_back)


def test_a_new_reply_begins_with_an_empty_file(tmp_path: Path) -> None:
    live = Live(tmp_path, Masker.of({}))
    live.show("a" * 200)
    assert (tmp_path / "live").read_text() == "a" * 120
    live.show(None)
    assert (tmp_path / "live").read_text() == ""


def test_a_whole_run_leaves_no_secret_in_its_folder(shelf: Path, person: Path) -> None:
    configure(shelf, secrets={"variables": ["SHOP_LOGIN"]})
    request = f"Add a --json flag to the stock report so that scripts can read it; {TOKEN} and {SECRET}"
    ended = thoughtforge("design", request, cwd=shelf, home=person, SHOP_LOGIN=SECRET)
    assert (ended.code, SECRET in ended.out + ended.err, TOKEN in ended.out + ended.err) == (0, False, False)
    (name,) = task_ids(shelf)
    hint = thoughtforge("hint", name, f"Never write {SECRET}", cwd=shelf, home=person, SHOP_LOGIN=SECRET)
    assert hint.code == 2  # a finished task takes no hint
    folder = shelf / ".thoughtforge" / "tasks" / name
    assert leaks(folder) == []
    assert verify(folder).damage == ()
    warned = [row for row in events(shelf, name) if row["type"] == "warning_given" and row["code"] == "request_masked"]
    assert [row["text"].rpartition(": ")[2] for row in warned] == ["SHOP_LOGIN, github_token"]
