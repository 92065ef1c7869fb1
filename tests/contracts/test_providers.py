"""Every provider in the package keeps the promises of `calls.port.Model`."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest
from pydantic import ValidationError

from agents.running import PROGRAMS
from model_server import ModelServer, Say
from recording import Said, record
from thoughtforge import providers
from thoughtforge.calls.port import Capabilities, Model, Reply, Usage
from thoughtforge.checks.tool_configuration import is_configuration
from thoughtforge.code.write_policy import hidden_in, refusal
from thoughtforge.contracts.published import field_texts
from thoughtforge.kernel.model import Stage, Value
from thoughtforge.settings.environment import Machine

NAMES = sorted(found.name for found in iter_modules(providers.__path__))
WITHOUT_A_MODEL = {"builtin"}
"""It sorts by rules and refuses free text; tests/unit/providers/builtin says what it can do."""
SPEAKING = [name for name in NAMES if name not in WITHOUT_A_MODEL]
GREEN = Stage(name="green", purpose="p", driver="code", role="developer", output_contract="implementation")
SYSTEM, CONTEXT, SCHEMA = "You plan.", "Plan the ü of it.", {"type": "object", "properties": {"goal": {}}}


@contextmanager
def http(folder: Path) -> Iterator[dict[str, object]]:
    price = {"input_per_million": 3, "output_per_million": 15}
    with ModelServer(lambda asked: Say('{"goal": "done"}', (20, 6))) as server:
        yield {"model": "local-model", "base_url": server.urls["openai"], "price": price}


@contextmanager
def builtin(folder: Path) -> Iterator[dict[str, object]]:
    yield {}


@contextmanager
def manual(folder: Path) -> Iterator[dict[str, object]]:
    (folder / "manual").mkdir()
    for number in ("0001", "0002"):  # somebody who knows what is asked has answered already
        (folder / "manual" / f"{number}.reply.md").write_text('{"goal": "done"}', encoding="utf-8")
        usage = '{"input_tokens": 20, "output_tokens": 6}'
        (folder / "manual" / f"{number}.usage.json").write_text(usage, encoding="utf-8")
    yield {}


@contextmanager
def recorded(folder: Path) -> Iterator[dict[str, object]]:
    said = Said(SYSTEM, CONTEXT, '{"goal": "done"}', Usage(input_tokens=20, output_tokens=6))
    record(folder / "tasks" / "20260101-aaaa-plan", said)
    yield {"task": "20260101-aaaa-plan"}


@contextmanager
def scripted(folder: Path) -> Iterator[dict[str, object]]:
    rule = "{reply: {goal: done}, usage: {input_tokens: 20, output_tokens: 6}, usd: 0.01}"
    (folder / "play.yaml").write_text(f"rules: [{rule}]", encoding="utf-8")
    yield {"playbook": "play.yaml"}


def agent(program: str, api: str, model: str) -> Callable[[Path], AbstractContextManager[dict[str, object]]]:
    """The example of a command-line agent: the real one, in its cage."""

    @contextmanager
    def example(folder: Path) -> Iterator[dict[str, object]]:
        command = PROGRAMS / ".bin" / program
        if not command.exists():
            pytest.skip("the command-line agents are not installed: make .make/agents (needs npm)")
        price = {"input_per_million": 3, "output_per_million": 15}
        with ModelServer(lambda asked: Say('{"goal": "done"}', (20, 6))) as server:
            yield {"model": model, "command": str(command), "base_url": server.urls[api], "price": price}

    return example


@contextmanager
def acp(folder: Path) -> Iterator[dict[str, object]]:
    with agent("gemini", "google", "gemini-2.5-pro")(folder) as options:
        yield options | {"args": ["--acp"], "api": "google"}


EXAMPLES: dict[str, Callable[[Path], AbstractContextManager[dict[str, object]]]] = {
    "acp": acp,
    "claude_cli": agent("claude", "anthropic", "claude-sonnet-4-5"),
    "codex_cli": agent("codex", "responses", "gpt-6.1-sol"),
    "gemini_cli": agent("gemini", "google", "gemini-2.5-pro"),
    "builtin": builtin,
    "http": http,
    "manual": manual,
    "opencode_cli": agent("opencode", "openai", "stub/stub-model"),
    "recorded": recorded,
    "scripted": scripted,
}
"""Options under which each provider answers {"goal": "done"} with 20 tokens in and 6 out. A new provider needs one."""


ELSEWHERE = {"acp": "tests/agents/test_acp.py", "opencode_cli": "tests/agents/test_opencode.py"}
"""Providers whose agent takes ten seconds to start: that they answer is shown once, there."""


def provider(name: str) -> ModuleType:
    return import_module(f"thoughtforge.providers.{name}")


@contextmanager
def made(name: str, folder: Path) -> Iterator[Model]:
    module = provider(name)
    with EXAMPLES[name](folder) as options:
        machine = Machine(lambda name: None, folder, search_path=os.environ["PATH"], homes=folder / "homes")
        yield module.make(module.Options.model_validate(options), machine)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("_cli")])
def test_a_command_line_agent_declares_what_configures_it_in_a_repository_and_nobody_writes_that(name: str) -> None:
    declared = provider(name).REPOSITORY_FILES
    assert declared
    for pattern in (*declared, *getattr(provider(name), "REPOSITORY_RULES", ())):
        path = pattern.replace("**/", "inner/").replace("/**", "/settings.json")
        assert refusal(path, GREEN, lambda path: False) == f"{path} is never written by an agent ({pattern})"
        assert hidden_in([path, "a.py"], lambda path: False) != ()
    configured = [pattern.replace("**/", "").replace("/**", "/x.json") for pattern in declared]
    assert [path for path in configured if not is_configuration(path)] == []


@pytest.fixture(params=SPEAKING)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Model]:
    with made(request.param, tmp_path) as model:
        yield model


@pytest.fixture(params=[name for name in SPEAKING if name not in ELSEWHERE])
def answering(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Model]:
    with made(request.param, tmp_path) as model:
        yield model


def test_every_provider_has_an_example_and_every_example_a_provider() -> None:
    assert sorted(EXAMPLES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_provider_says_what_it_is_and_describes_every_option(name: str) -> None:
    module = provider(name)
    fields = module.Options.model_fields
    assert (module.__doc__ or "").strip()
    assert (module.Options.__doc__ or "").strip()
    assert issubclass(module.Options, Value)
    assert sorted(field_texts(module.Options)) == sorted(fields)


@pytest.mark.parametrize("name", NAMES)
def test_options_are_frozen_and_refuse_what_they_do_not_know(name: str, tmp_path: Path) -> None:
    module = provider(name)
    with EXAMPLES[name](tmp_path) as given:
        options = module.Options.model_validate(given)
        with pytest.raises(ValidationError, match="frozen"):
            options.model = "other"
        with pytest.raises(ValidationError, match="no_such_option"):
            module.Options.model_validate(given | {"no_such_option": 1})


@pytest.mark.parametrize("name", NAMES)
def test_make_takes_options_and_the_machine(name: str) -> None:
    assert list(inspect.signature(provider(name).make).parameters) == ["options", "machine"]


def test_a_model_says_its_name_and_whether_text_leaves_the_machine(model: Model) -> None:
    assert isinstance(model.offsite, bool)
    assert model.model


DECLARED: dict[str, Capabilities] = {
    "acp": Capabilities(program=True, worker=True),
    "builtin": Capabilities(
        jobs=frozenset({"distill", "propose", "plan_section", "completeness"}),
        roles=frozenset({"distiller", "spec_builder", "builder"}),
        placeholder="not said yet",
    ),
    "claude_cli": Capabilities(program=True, worker=True),
    "codex_cli": Capabilities(program=True, worker=True, images=True),
    "gemini_cli": Capabilities(program=True, worker=True),
    "http": Capabilities(images=True),
    "manual": Capabilities(),
    "opencode_cli": Capabilities(program=True, worker=True),
    "recorded": Capabilities(),
    "scripted": Capabilities(),
}
"""What each provider declares with the options of its example. A new provider states its own."""
PROMISES = {"images": ("complete", "images"), "jobs": ("answer", "material"), "worker": ("turn", "turn")}
"""Capability → the function that goes with it, and what that takes."""


@pytest.mark.parametrize("name", NAMES)
def test_a_model_declares_what_it_can_do_and_has_a_function_for_all_of_it(name: str, tmp_path: Path) -> None:
    with made(name, tmp_path) as model:
        assert isinstance(model, Model)
        declared = DECLARED[name]
        if name == "manual":
            declared = Capabilities(waits_in=str(tmp_path / "manual"))
        assert model.capabilities == declared
        for capability, (function, parameter) in PROMISES.items():
            if getattr(model.capabilities, capability):
                assert parameter in inspect.signature(getattr(model, function)).parameters


@pytest.mark.parametrize("name", NAMES)
def test_a_context_window_that_is_set_is_declared(name: str, tmp_path: Path) -> None:
    module = provider(name)
    if "context_window" not in module.Options.model_fields:
        pytest.skip("it has no such option")
    with EXAMPLES[name](tmp_path) as options:
        machine = Machine(lambda name: None, tmp_path, search_path=os.environ["PATH"], homes=tmp_path / "homes")
        model = module.make(module.Options.model_validate(options | {"context_window": 32_000}), machine)
    assert model.capabilities.context_window == 32_000


def test_whatever_no_model_thinks_up_now_is_labelled(model: Model, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.params["model"]
    assert model.label == {"http": "", "manual": "manual", "recorded": "recorded", "scripted": "scripted"}.get(name, "")


@pytest.mark.parametrize("schema", [None, SCHEMA])
def test_an_answer_is_a_reply_and_stays_within_its_reservation(
    answering: Model, schema: dict[str, object] | None
) -> None:
    reserved = answering.reserve(SYSTEM, CONTEXT, 100)
    reply = asyncio.run(_ask(answering, schema, None))
    assert isinstance(reply, Reply)
    assert (reply.text, reply.usage.input_tokens, reply.usage.output_tokens) == ('{"goal": "done"}', 20, 6)
    assert reserved.tokens >= 26
    assert (reserved.usd is None) == (reply.usd is None)
    assert (reserved.usd or 0) >= (reply.usd or 0)


def test_a_longer_text_or_answer_reserves_no_less(model: Model) -> None:
    sizes = [
        model.reserve("", "", 1).tokens,
        model.reserve(SYSTEM, CONTEXT, 1).tokens,
        model.reserve(SYSTEM, CONTEXT * 1000, 1).tokens,
        model.reserve(SYSTEM, CONTEXT * 1000, 1000).tokens,
    ]
    assert sizes == sorted(sizes)
    assert sizes[2] >= len((SYSTEM + CONTEXT * 1000).encode()) + 1


def test_deltas_add_up_to_the_answer(answering: Model) -> None:
    deltas: list[str] = []
    reply = asyncio.run(_ask(answering, None, deltas))
    assert "".join(deltas) == reply.text


async def _ask(model: Model, schema: dict[str, object] | None, deltas: list[str] | None) -> Reply:
    on_delta = None if deltas is None else deltas.append
    return await model.complete(SYSTEM, CONTEXT, schema, max_output=100, on_delta=on_delta)
