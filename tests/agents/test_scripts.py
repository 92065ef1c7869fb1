"""A scripted model drives the real agents: step by step through our tools, and for single answers from a playbook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.running import run
from agents.scripts import END, USAGE, Agent, Step, tally
from agents.tool_server import Called, ToolServer
from model_server import Answer, Asked, Fail, ModelServer, Say, Tool, Use
from model_server.playbooks import from_playbook
from thoughtforge.cages.cli import Ask, Cli, Told
from thoughtforge.providers.claude_cli import Claude
from thoughtforge.providers.codex_cli import Codex, _native
from thoughtforge.providers.scripted import load

PROMPT = "## task_frame\nstage: red\n\nWrite the tests."
WRITE = Step("create_file", {"path": "a.txt", "content": "Grüße\n"})
READ = Step("read_file", {"path": "a.txt"})
SCHEMA = {
    "type": "object",
    "properties": {"goal": {"type": "string"}},
    "required": ["goal"],
    "additionalProperties": False,
}
API = {"claude": "anthropic", "codex": "responses"}


def agent_called(name: str, programs: Path) -> Cli:
    found = programs / ".bin" / name
    return Claude(str(found)) if name == "claude" else Codex(str(_native(found)))


def told(name: str, programs: Path, home: Path, *, work: Path, ask: Ask) -> Told:
    cli = agent_called(name, programs)
    return cli.read(ask, run(cli, cli.launch(ask), home=home, work=work))


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_an_agent_takes_the_steps_of_its_stage_and_ends(programs: Path, home: Path, work: Path, name: str) -> None:
    script = Agent({"red": [WRITE, READ], "green": [WRITE]})
    store = work.parent / "store"
    store.mkdir()
    with ModelServer(script) as server, ToolServer(store) as tools:
        ask = Ask("Be brief.", PROMPT, "stub-model", server.urls[API[name]], home, work, key="test-key")
        answer = told(name, programs, home, work=work, ask=ask._replace(door=tools.door))
    assert answer.text == "That is all for red."
    assert tools.calls == [Called(step.tool, dict(step.params)) for step in (WRITE, READ)]
    assert (store / "a.txt").read_text() == "Grüße\n"
    assert script.taken == [("red", WRITE), ("red", READ)]
    assert server.tokens == [USAGE] * 3
    assert "Grüße" in server.asked[-1].results[-1].text


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_playbook_answers_an_agent_that_has_no_tools(
    programs: Path, home: Path, work: Path, tmp_path: Path, *, name: str
) -> None:
    rule = {"when": {"system": "You plan", "context": "^stage: red$"}, "reply": {"goal": "grün"}}
    (tmp_path / "play.yaml").write_text(json.dumps({"rules": [rule]}))
    with ModelServer(Agent({}, from_playbook(load(tmp_path / "play.yaml")))) as server:
        ask = Ask("You plan.", PROMPT, "stub-model", server.urls[API[name]], home, work, key="test-key", schema=SCHEMA)
        answer = told(name, programs, home, work=work, ask=ask)
    assert json.loads(answer.text) == {"goal": "grün"}
    assert dict(server.asked[0].schema or {})["properties"] == SCHEMA["properties"]


def asked(*tools: Tool, user: str = PROMPT, system: str = "Be brief.") -> Asked:
    return Asked("openai", "/v1/chat/completions", {}, {}, tools=tools, user=user, system=system)


@pytest.mark.parametrize(
    "tool",
    [
        Tool("mcp__bridge__create_file", {}),
        Tool("create_file", {}, group="mcp__bridge"),
        Tool("mcp_bridge_create_file", {}),
        Tool("bridge_create_file", {}),
    ],
)
def test_our_tool_is_known_by_every_agents_name_for_it(tool: Tool) -> None:
    own = Tool("create_file", {}, group="its_own"), Tool("write", {})
    wanted = Use(tool.name, WRITE.params, text="Next I use create_file.", usage=USAGE)
    assert Agent({"red": [WRITE]})(asked(*own, tool)) == wanted


def test_a_turn_ends_where_the_script_says_and_a_second_try_gets_the_same_answer() -> None:
    tool = Tool("bridge_create_file", {})
    script = Agent({"red": [END, WRITE]})
    ended: Answer = Say("That is all for red.", usage=USAGE)
    assert [script(asked(tool)), script(asked(tool))] == [ended, ended]
    assert script(asked(tool, user=f"{PROMPT}\nOnce more.")) == Use(
        tool.name, WRITE.params, text="Next I use create_file.", usage=USAGE
    )


def test_what_does_not_fit_the_script_is_an_error_and_a_request_for_a_title_is_not() -> None:
    tool = Tool("bridge_read_file", {})
    script = Agent({"red": [WRITE]}, lambda asked: Say("a completion"))
    assert script(asked(tool, user="Hello")) == Fail(400, "the request names no stage")
    assert script(asked(tool)) == Fail(400, "create_file is not offered in red, only read_file")
    assert script(asked(system="You are a title generator. Be short.")) == Say("A small task", usage=(10, 2))
    assert script(asked()) == Say("a completion")


def test_the_small_task_is_told_in_steps() -> None:
    names = {stage: [step.tool for step in steps] for stage, steps in tally().items()}
    assert names == {
        "analyze": ["complete"],
        "red": ["create_file", "complete"],
        "green": ["edit_file", "complete"],
        "deliver": ["complete"],
    }
