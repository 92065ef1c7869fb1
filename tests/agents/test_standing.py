"""How providers stand: not installed, not logged in, not answering and working are told apart, with what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.running import PROGRAMS, nobody
from agents.workers import KEY, entry
from harness import configure
from harness.place import Place, make_place
from model_server import ModelServer, Say

LOGIN = {"claudeAiOauth": {"accessToken": "sk-ant-oat01-dummy", "refreshToken": "r", "expiresAt": 4102444800000}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


def stands(place: Place, name: str, **env: str) -> tuple[int, str, str]:
    done = place.run("providers", "test", name, "--json", **env)
    return done.code, done.json["provider"]["state"], done.json["provider"]["do"]


def test_an_agent_that_is_not_installed_is_told_with_the_way_to_install_it(place: Place) -> None:
    configure(place.repository, providers={"a": {"kind": "claude_cli", "command": "no-such-claude"}})
    assert stands(place, "a") == (1, "not_installed", "Install it: npm install -g @anthropic-ai/claude-code")


def test_an_entry_that_is_not_there_or_wrong_is_a_mistake_in_the_configuration(place: Place) -> None:
    configure(place.repository, providers={"wrong": {"kind": "opencode_cli", "model": "no-vendor"}})
    found = {name: place.run("providers", "test", name, "--json") for name in ("nobody", "wrong")}
    assert {name: (done.code, done.json["error"]["what"]) for name, done in found.items()} == {
        "nobody": (2, "there is no provider 'nobody'"),
        "wrong": (2, "provider wrong is not set up correctly"),
    }


def test_a_command_beside_the_configuration_is_found_wherever_one_stands(place: Place, programs: Path) -> None:
    links = {"claude": PROGRAMS / ".bin/claude", "codex": PROGRAMS / ".bin/codex"}
    (place.home / "bin").mkdir()
    for name, program in links.items():
        (place.home / "bin" / name).symlink_to(program)
    entries = {name: {"kind": f"{name}_cli", "command": f"bin/{name}"} for name in links}
    configure(place.repository, providers=entries)
    rows = place.run("providers", "list", "--json").json["configured"]
    assert {one["name"]: one["state"] for one in rows} == {"claude": "not_logged_in", "codex": "not_logged_in"}


@pytest.mark.parametrize(
    ("text", "state"),
    [("{}", "not_logged_in"), ('{"claudeAiOauth": {}}', "not_logged_in"), (json.dumps(LOGIN), "ready")],
)
def test_a_login_without_a_token_is_none_and_one_elsewhere_is_found(
    place: Place, programs: Path, text: str, state: str
) -> None:
    elsewhere = place.person / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".credentials.json").write_text(text)
    path = f"{PROGRAMS / '.bin'}:/usr/local/bin:/usr/bin:/bin"
    done = place.run("providers", "list", "--json", PATH=path, CLAUDE_CONFIG_DIR=str(elsewhere))
    assert [one["state"] for one in done.json["agents"] if one["name"] == "claude"] == [state]


def test_doctor_names_the_agents_that_are_missing_and_how_to_ask_the_others(place: Place) -> None:
    configure(place.repository, providers={"a": {"kind": "codex_cli"}})
    told = {one["what"]: one["do"] for one in place.run("doctor", "--json", PATH="/usr/bin:/bin").json["findings"]}
    assert told["claude: optional, not installed"] == "Install it: npm install -g @anthropic-ai/claude-code"
    assert told["doctor contacted no provider"] == "See whether each answers: thoughtforge doctor --ask"


def test_an_agent_without_a_login_is_told_with_the_way_to_log_in(place: Place, programs: Path) -> None:
    configure(place.repository, providers={"a": {"kind": "codex_cli", "command": str(PROGRAMS / ".bin/codex")}})
    code, state, do = stands(place, "a")
    assert (code, state) == (1, "not_logged_in")
    assert do.startswith("Log in: codex login")


def test_an_agent_whose_model_is_not_there_does_not_answer(place: Place, programs: Path) -> None:
    with ModelServer([]) as server:
        configure(place.repository, providers={"a": entry("codex", server, base_url=nobody())})
        assert stands(place, "a", **{KEY: "a-key"})[:2] == (1, "not_answering")


def test_an_agent_that_answers_works_and_says_what_it_used(place: Place, programs: Path) -> None:
    with ModelServer(lambda asked: Say("here", usage=(20, 6))) as server:
        configure(place.repository, providers={"a": entry("claude", server)})
        done = place.run("providers", "test", "a", "--json", **{KEY: "a-key"})
        asked = place.run("doctor", "--ask", "--json", **{KEY: "a-key"})
    found = done.json["provider"]
    assert (done.code, found["state"], found["detail"]) == (
        0,
        "working",
        "claude-sonnet-4-5 answered; 20 tokens in, 6 out",
    )
    told = [f["what"] for f in asked.json["findings"] if f["what"].startswith("provider a: ")]
    assert [line.endswith("claude-sonnet-4-5 answered; 20 tokens in, 6 out") for line in told] == [True]


def test_the_list_shows_every_agent_with_its_version_and_login(place: Place, programs: Path) -> None:
    (place.person / ".claude").mkdir()
    (place.person / ".claude" / ".credentials.json").write_text(json.dumps(LOGIN))
    done = place.run("providers", "list", "--json", PATH=f"{PROGRAMS / '.bin'}:/usr/local/bin:/usr/bin:/bin")
    rows = {one["name"]: (one["state"], one["version"].split()[-1].strip("()")) for one in done.json["agents"]}
    assert {name: state for name, (state, _) in rows.items()} == {
        "claude": "ready",
        "codex": "not_logged_in",
        "gemini": "not_logged_in",
        "opencode": "not_logged_in",
    }
    assert (rows["codex"][1], rows["gemini"][1], rows["opencode"][1]) == ("0.166.0", "0.61.0", "1.18.33")
