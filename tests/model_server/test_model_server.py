"""The server says over the wire what the scripted provider says directly, in this process and as a program."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from model_server import ModelServer
from model_server.playbooks import FAILURES, from_playbook
from thoughtforge.calls.port import Model, ProviderError, Reply, Usage
from thoughtforge.providers import http, scripted
from thoughtforge.settings.environment import Machine

RULES = "rules: [{when: {system: plan}, reply: {goal: grün}, usage: {input_tokens: 9, output_tokens: 4}}]"


def written(folder: Path, playbook: str) -> Path:
    path = folder / "play.yaml"
    path.write_text(playbook, encoding="utf-8")
    return path


def reach(url: str) -> Model:
    options = http.Options(model="scripted", base_url=url, timeout_seconds=20)
    return http.make(options, Machine(lambda name: None, Path()))


def ask(model: Model) -> Reply:
    async def call() -> Reply:
        return await model.complete("You plan.", "Hello", max_output=50)

    return asyncio.run(call())


def kind_of(model: Model) -> tuple[type, str]:
    with pytest.raises(ProviderError) as caught:
        ask(model)
    return type(caught.value), caught.value.kind


def test_a_playbook_gives_the_same_answer_over_the_wire(tmp_path: Path) -> None:
    path = written(tmp_path, RULES)
    direct = ask(scripted.ScriptedModel("scripted", scripted.load(path)))
    with ModelServer(from_playbook(scripted.load(path))) as server:
        wired = ask(reach(server.urls["openai"]))
    assert direct == Reply(
        text='{"goal": "grün"}', model="scripted", usage=Usage(input_tokens=9, output_tokens=4), usd=0
    )
    assert wired == direct.model_copy(update={"usd": None})


@pytest.mark.parametrize("kind", sorted(FAILURES.keys() - {"timeout"}))
def test_a_scripted_failure_is_the_same_failure_over_the_wire(tmp_path: Path, kind: str) -> None:
    passes = kind not in ("auth", "quota", "bad_request", "refused")
    path = written(tmp_path, json.dumps({"rules": [{"error": {"kind": kind, "transient": passes}}]}))
    with ModelServer(from_playbook(scripted.load(path))) as server:
        wired = kind_of(reach(server.urls["openai"]))
    assert wired == kind_of(scripted.ScriptedModel("scripted", scripted.load(path)))


def start(folder: Path, playbook: Path) -> subprocess.Popen[str]:
    files = ["--playbook", str(playbook), "--port-file", str(folder / "port"), "--requests", str(folder / "asked")]
    return subprocess.Popen(
        [sys.executable, "-m", "model_server", *files],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_program_says_its_port_answers_and_ends_on_a_signal(tmp_path: Path) -> None:
    with start(tmp_path, written(tmp_path, RULES)) as program:
        assert program.stdout is not None
        port = program.stdout.readline().strip()
        reply = ask(reach(f"http://127.0.0.1:{port}/v1"))
        program.send_signal(signal.SIGTERM)
        _, errors = program.communicate()
    asked = json.loads((tmp_path / "asked").read_text(encoding="utf-8"))
    assert (reply.text, program.returncode, errors) == ('{"goal": "grün"}', 0, "")
    assert (tmp_path / "port").read_text(encoding="utf-8") == port
    assert (asked["api"], asked["system"], asked["user"]) == ("openai", "You plan.", "Hello")


def test_the_program_refuses_a_wrong_playbook(tmp_path: Path) -> None:
    path = written(tmp_path, "rules: []")
    with start(tmp_path, path) as program:
        _, errors = program.communicate()
    assert program.returncode == 2
    assert errors == f"the playbook {path} has a problem\n{path}, line 1: rules: the playbook has no rule\n"
