"""People are told when a task rests, on every channel at once; a channel that fails holds nobody up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from doubles import Said, Server, closed_port
from doubles.ntfy import Ntfy
from harness import configure
from harness.place import make_place


def test_a_finished_task_is_told_on_every_channel_and_a_dead_channel_is_a_warning(tmp_path: Path) -> None:
    place, ntfy, posted = make_place(tmp_path), Ntfy(), []
    with Server(ntfy) as one, Server(lambda asked: (posted.append(asked.json), Said(200, {}))[1]) as two:
        channels = {
            "ntfy": {"url": one.url, "topic": "forge"},
            "mine": {"kind": "webhook", "url": two.url},
            "dead": {"kind": "webhook", "url": closed_port()},
            "off": {"kind": "webhook", "url": two.url, "enabled": False},
        }
        configure(place.repository, notifications={"channels": channels})
        told = place.design("--through", "analyze")
    assert (told.code, told.json["state"]) == (0, "done")
    (notice,) = posted
    (kept,) = ntfy.published["forge"]
    assert {k: notice[k] for k in ("project_id", "phase", "event_type")} == {
        "project_id": place.task,
        "phase": "analyze",
        "event_type": "convergence_success",
    }
    assert notice["summary"] == f"Done: design. Read the result: thoughtforge inspect {place.task}"
    assert (kept["title"], notice["summary"] in kept["message"]) == (
        f"{notice['project_name']}: convergence success",
        True,
    )
    (warning,) = [event for event in place.events("warning_given") if event["code"] == "notice_failed"]
    assert warning["text"].startswith("the notice to dead failed: 127.0.0.1:")


def test_a_task_that_needs_a_person_says_what_it_waits_for(tmp_path: Path) -> None:
    place, posted = make_place(tmp_path), []
    with Server(lambda asked: (posted.append(asked.json), Said(200, {}))[1]) as server:
        configure(place.repository, notifications={"channels": {"webhook": {"url": server.url}}})
        told = place.design("--approve", "intake", "--through", "analyze")
    assert told.code == 3
    assert [(one["event_type"], one["phase"]) for one in posted] == [("human_needed", "intake")]
    assert posted[0]["summary"].startswith("your decision on intake, version 1. Decide: thoughtforge approve")


def test_a_channel_that_is_set_up_wrongly_later_on_does_not_stop_a_task(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    assert place.design("--approve", "intake", "--through", "analyze").code == 3
    configure(place.repository, notifications={"channels": {"ntfy": {"tpic": "x"}, "pigeon": {}}})
    assert place.run("approve", "last").code == 0
    told = place.run("continue", "last")
    (warning,) = [event["text"] for event in place.events("warning_given") if event["code"] == "notice_failed"]
    assert told.code == 0
    assert warning.startswith(
        "no notice was sent: notifications are not set up correctly; notifications.channels.ntfy."
    )
    assert "there is no notifier 'pigeon'" in warning


def test_trying_the_channels_says_what_became_of_each(tmp_path: Path) -> None:
    place, posted = make_place(tmp_path), []
    with Server(lambda asked: (posted.append(asked.json), Said(200, {}))[1]) as server:
        channels: dict[str, Any] = {"webhook": {"url": server.url}, "dead": {"kind": "webhook", "url": closed_port()}}
        configure(place.repository, notifications={"channels": channels})
        both = place.run("notify", "test", "--json")
        one = place.run("notify", "test", "webhook")
        none = place.run("notify", "test", "pigeon")
    assert (both.code, [(sent["channel"], sent["ok"]) for sent in both.json["channels"]]) == (
        1,
        [("dead", False), ("webhook", True)],
    )
    assert (one.code, one.out) == (0, "webhook: sent\n")
    assert (none.code, none.err.splitlines()[0]) == (2, "thoughtforge: there is no enabled channel 'pigeon'")
    assert [sorted(notice) for notice in posted] == [
        ["event_type", "phase", "project_id", "project_name", "summary"]
    ] * 2


def test_without_a_channel_the_command_says_what_to_do(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    told = place.run("notify", "test")
    assert (told.code, told.err.splitlines()[0]) == (2, "thoughtforge: no channel is set up")


def test_the_doctor_names_what_is_wrong_with_channels_and_connectors(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    configure(place.repository, notifications={"channels": {"ntfy": {}}}, connectors={"notion": {"enabled": True}})
    found = {one["what"]: one["level"] for one in place.run("doctor", "--json").json["findings"]}
    assert found["connectors: notion"] == "ok"
    wrong = "notifications are not set up correctly; notifications.channels.ntfy.topic: Field required"
    assert found[wrong] == "bad"
