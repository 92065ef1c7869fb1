"""A scripted model drives the real agents: step by step through our tools, and for single answers from a playbook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.loose import MODELS, NAMES, cli_of
from agents.running import Place
from agents.scripts import END, USAGE, Agent, Step, ours, tally
from agents.tool_server import Called, ToolServer
from model_server import Answer, Asked, Call, Fail, ModelServer, Say, Tool, Use
from model_server.playbooks import from_playbook
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
AT_ONCE = {"anthropic": 1, "responses": 1, "google": 2, "openai": 2}
"""By the wire format each of the four speaks here."""


@pytest.fixture(params=NAMES)
def place(request: pytest.FixtureRequest, programs: Path, home: Path, work: Path) -> Place:
    return Place(cli_of(request.param, programs), home, work, MODELS[request.param])


def test_an_agent_takes_the_steps_of_its_stage_and_ends(place: Place, tmp_path: Path) -> None:
    script = Agent({"red": [WRITE, READ], "green": [WRITE]})
    with ModelServer(script) as server, ToolServer(tmp_path) as tools:
        told = place.told(server, prompt=PROMPT, door=tools.door)
    assert told.text == "That is all for red."
    assert tools.calls == [Called(step.tool, dict(step.params)) for step in (WRITE, READ)]
    assert (tmp_path / "a.txt").read_text() == "Grüße\n"
    assert script.taken == [("red", WRITE), ("red", READ)]
    assert server.tokens == [USAGE] * 3
    assert "Grüße" in server.asked[-1].results[-1].text


def test_several_calls_in_one_answer_are_made_one_by_one_or_together(place: Place, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")

    def twice(asked: Asked) -> Answer:
        if asked.results:
            return Say("Both are read.", usage=USAGE)
        name = next(tool.name for tool in asked.tools if ours(tool) == "read_file")
        return Use(name, READ.params, usage=USAGE, also=(Call(name, READ.params),))

    with ModelServer(twice) as server, ToolServer(tmp_path, slow=0.5) as tools:
        told = place.told(server, prompt=PROMPT, door=tools.door)
    assert (told.text, len(server.asked), len(tools.calls)) == ("Both are read.", 2, 2)
    assert tools.most_at_once == AT_ONCE[place.cli.api]


def test_a_playbook_answers_an_agent_that_has_no_tools(place: Place, tmp_path: Path) -> None:
    rule = {"when": {"system": "You plan", "context": "^stage: red$"}, "reply": {"goal": "grün"}}
    (tmp_path / "play.yaml").write_text(json.dumps({"rules": [rule]}))
    with ModelServer(Agent({}, from_playbook(load(tmp_path / "play.yaml")))) as server:
        told = place.told(server, prompt=PROMPT, schema=SCHEMA)
    assert json.loads(told.text) == {"goal": "grün"}
    assert len(server.asked) == 1


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
