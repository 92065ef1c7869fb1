"""A damaged record stops the task, names the place, and goes on only when a person accepts the loss."""

from __future__ import annotations

import pytest

from harness.place import Place


@pytest.fixture
def halted(place: Place) -> Place:
    """A task with three steps behind it."""
    assert place.design("--max-steps", "3").code == 4
    return place


def test_a_changed_line_stops_everything_until_the_loss_is_accepted(halted: Place) -> None:
    log = halted.folder / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    at = len(lines) - 4
    log.write_bytes(b"".join([*lines[:at], lines[at].replace(b'"version":1', b'"version":2', 1), *lines[at + 1 :]]))
    place = f"{log}, line {at + 1}"
    stopped = halted.run("continue", "--max-steps", "100", "--json")
    assert (stopped.code, place in stopped.json["error"]["what"]) == (1, True)
    assert f"thoughtforge continue {halted.task} --accept-loss" in stopped.json["error"]["do"]
    proof = halted.run("verify", "--json")
    assert (proof.code, [place in line for line in proof.json["damage"]]) == (1, [True])
    (listed,) = halted.run("status", "--json").json["tasks"]
    assert (listed["state"], listed["reason"]) == ("halted", "log_damaged")
    looked = halted.run("status", "last", "--json")
    assert (looked.code, place in looked.json["error"]["what"]) == (1, True)
    done = halted.run("continue", "--accept-loss", "--max-steps", "100", "--json")
    assert (done.code, done.json["state"]) == (0, "done")
    (loss,) = halted.events("loss_accepted")
    assert (loss["lost_after"], (halted.folder / loss["kept_aside"]).is_file()) == (at, True)
    assert halted.run("verify").code == 0


def test_lines_cut_off_the_end_and_a_changed_blob_are_named(halted: Place) -> None:
    log = halted.folder / "events.jsonl"
    whole = log.read_bytes()
    lines = whole.splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-2]))
    cut = halted.run("verify", "--json")
    said = f"the log ends after event {len(lines) - 2}, but head vouches for {len(lines)}"
    assert (cut.code, [said in line for line in cut.json["damage"]]) == (1, [True])
    log.write_bytes(whole)
    blob = sorted((halted.folder / "blobs").iterdir())[0]
    good = blob.read_bytes()
    blob.write_bytes(good + b" ")
    spoilt = halted.run("verify", "--json")
    assert (spoilt.code, spoilt.json["damage"]) == (1, [f"{blob}: the content does not match its name"])
    blob.write_bytes(good)
    assert halted.run("verify").code == 0


def test_an_unfinished_last_line_is_set_aside_with_a_warning(halted: Place) -> None:
    log = halted.folder / "events.jsonl"
    log.write_bytes(log.read_bytes() + b'{"seq":99,"ti')
    done = halted.run("continue", "--max-steps", "100", "--json")
    assert (done.code, done.json["state"]) == (0, "done")
    assert any("an unfinished last event was set aside as torn-" in line for line in done.json["warnings"])
    assert halted.run("verify").code == 0


def test_deleting_every_view_changes_nothing(halted: Place) -> None:
    for name in ("state.yaml", "status.json", "live"):
        (halted.folder / name).unlink(missing_ok=True)
    (halted.home / "index.json").unlink(missing_ok=True)
    before = len(halted.events())
    done = halted.run("continue", "--max-steps", "100", "--json")
    assert (done.code, done.json["state"]) == (0, "done")
    assert len(halted.events()) > before
    assert (halted.folder / "state.yaml").is_file()
