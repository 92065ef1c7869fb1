"""A person or a program as the model: requests are files, replies are awaited."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from threading import Thread

import pytest

from harness import configure, events, thoughtforge
from thoughtforge.calls.port import ProviderError, Reply, Usage
from thoughtforge.kernel.errors import UserError
from thoughtforge.providers import manual
from thoughtforge.settings.environment import Machine


def model(base: Path, **options: object) -> manual.ManualModel:
    made = manual.make(manual.Options.model_validate(options), Machine(lambda name: None, base))
    assert isinstance(made, manual.ManualModel)
    return made


def ask(one: manual.ManualModel, context: str = "Plan it.") -> Reply:
    return asyncio.run(one.complete("You plan.", context, {"type": "object"}, max_output=1_000))


def test_a_request_is_readable_and_its_reply_is_awaited(tmp_path: Path) -> None:
    one = model(tmp_path)
    request = tmp_path / "manual" / "0001.request.md"

    def person() -> None:
        while not request.exists() or "# Limit" not in request.read_text(encoding="utf-8"):
            pass
        (tmp_path / "manual" / "draft").write_text('{"goal": "tea"}\n', encoding="utf-8")
        (tmp_path / "manual" / "draft").replace(tmp_path / "manual" / "0001.reply.md")

    waiting = Thread(target=person)
    waiting.start()
    reply = ask(one)
    waiting.join()
    assert reply == Reply(text='{"goal": "tea"}', model="manual", usage=Usage(), usd=0.0)
    assert request.read_text(encoding="utf-8").split("\n\n") == [
        "# System",
        "You plan.",
        "# Request",
        "Plan it.",
        "# Schema of the reply",
        '```json\n{\n  "type": "object"\n}\n```',
        "# Limit",
        "Reply with at most 1,000 tokens.\n",
    ]


def test_an_unanswered_request_keeps_its_file_and_an_answered_one_is_asked_anew(tmp_path: Path) -> None:
    one = model(tmp_path, wait_seconds=0.1)
    for _ in range(2):
        with pytest.raises(ProviderError, match=r"nobody wrote .*0001\.reply\.md within 0 s") as caught:
            ask(one)
        assert caught.value.reply is not None
        assert caught.value.reply.usage == Usage(input_tokens=0, output_tokens=0)
    (tmp_path / "manual" / "0001.reply.md").write_text("tea", encoding="utf-8")
    assert ask(one).text == "tea"
    with pytest.raises(ProviderError, match=r"0002\.reply\.md"):
        ask(one)
    with pytest.raises(ProviderError, match=r"0003\.reply\.md"):
        ask(one, "Plan something else.")


def test_an_older_request_that_waits_keeps_its_file_though_another_came_after_it(tmp_path: Path) -> None:
    one = model(tmp_path, wait_seconds=0.1)
    for context in ("Plan it.", "Plan something else."):
        with pytest.raises(ProviderError):
            ask(one, context)
    (tmp_path / "manual" / "0001.reply.md").write_text("tea", encoding="utf-8")
    assert ask(one).text == "tea"


def test_two_that_ask_the_same_at_once_both_get_the_reply(tmp_path: Path) -> None:
    one = model(tmp_path, wait_seconds=20)

    async def both() -> list[Reply]:
        waiting = [asyncio.create_task(one.complete("You plan.", "Plan it.", max_output=9)) for _ in range(2)]
        await asyncio.sleep(0.3)
        (tmp_path / "manual" / "0001.reply.md").write_text("tea", encoding="utf-8")
        return await asyncio.gather(*waiting)

    assert [reply.text for reply in asyncio.run(both())] == ["tea", "tea"]


def test_a_reply_begins_with_no_mark_of_an_editor_and_one_that_cannot_be_read_is_said_at_once(tmp_path: Path) -> None:
    one, reply = model(tmp_path), tmp_path / "manual" / "0001.reply.md"
    reply.parent.mkdir()
    reply.write_bytes("\ufeff{}".encode())
    assert ask(one).text == "{}"
    reply.with_name("0002.reply.md").write_bytes(b"caf\xe9")
    with pytest.raises(UserError, match=r"0002\.reply\.md is not UTF-8 \(byte 4\)"):
        ask(one)
    reply.with_name("0002.reply.md").unlink()
    reply.with_name("0002.reply.md").mkdir()
    with pytest.raises(UserError, match=r"0002\.reply\.md cannot be read"):
        ask(one)


def test_an_editor_opens_the_reply_beside_the_request(tmp_path: Path) -> None:
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\ngrep -q "Plan it" "$2" && echo "by editor" > "$1"\n', encoding="utf-8")
    script.chmod(0o755)
    assert ask(model(tmp_path, editor=str(script))).text == "by editor"
    with pytest.raises(UserError, match="the editor no-such-editor cannot be started"):
        ask(model(tmp_path, editor="no-such-editor"))


def test_a_folder_that_cannot_be_made_is_an_error_of_the_person(tmp_path: Path) -> None:
    (tmp_path / "manual").write_text("a file", encoding="utf-8")
    with pytest.raises(UserError, match="the request cannot be written to"):
        ask(model(tmp_path))


def test_one_role_can_be_a_person_and_every_exchange_is_on_record(shelf: Path, person: Path) -> None:
    configure(shelf, providers={"me": {"kind": "manual", "folder": "mine", "wait_seconds": 20}})
    folder = shelf / ".thoughtforge" / "mine"

    def somebody() -> None:
        request = folder / "0001.request.md"
        while not request.exists():
            pass
        (folder / "0001.reply.md").write_text(json.dumps({"no": "intake"}), encoding="utf-8")

    answering = Thread(target=somebody, daemon=True)
    answering.start()
    told = thoughtforge("design", "Add a flag", "--max-steps", "1", cwd=shelf, home=person)
    answering.join()
    assert "replies are manual: no model makes them" in told.err
    assert f"me waits for somebody to answer: read {folder}/NUMBER.request.md" in told.err
    task = thoughtforge("status", "last", "--json", cwd=shelf, home=person).json["task"]
    ended = [event for event in events(shelf, task) if event["type"] == "call_ended"]
    assert [(event["model"], event["usd"]) for event in ended] == [("manual", 0.0)]
