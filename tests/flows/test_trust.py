"""The settings that came with a repository do nothing until a person has allowed that very content."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from doubles import Said, Server
from harness import REQUEST, Done, git
from harness.place import Place, make_place
from harness.terminal import terminal
from harness.trusted import digest_of

KEY = "a-dummy-key-of-no-use-0815"
UNTRUSTED = {"THOUGHTFORGE_TRUST": "", "OPENAI_API_KEY": KEY}


class Clone(NamedTuple):
    """A repository somebody else made, cloned by the person, and the server its settings lead to."""

    place: Place
    server: Server
    mark: Path

    def run(self, *args: str, **env: str) -> Done:
        """The installed command, with nothing trusted beforehand."""
        return self.place.run(*args, **{**UNTRUSTED, **env})

    @property
    def config(self) -> Path:
        """The file that came with it."""
        return self.place.home / "config.yaml"

    def change(self, old: str, new: str) -> None:
        """What a pull brings."""
        text = self.config.read_text()
        assert old in text
        self.config.write_text(text.replace(old, new))


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    """Settings that name an endpoint and a key, a program, a channel and a connector."""
    origin = make_place(tmp_path / "origin")
    mark = tmp_path / "ran"
    program = tmp_path / "agent"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    with Server(lambda asked: Said(500, {"error": {"message": "no"}})) as server:
        wire = {"kind": "http", "api": "openai", "base_url": f"{server.url}/v1", "key_env": "OPENAI_API_KEY"}
        config = {
            "provider": "wire",
            "providers": {"wire": {**wire, "model": "m"}, "agent": {"kind": "claude_cli", "command": str(program)}},
            "notifications": {
                "channels": {"hook": {"kind": "webhook", "url": server.url, "token_env": "OPENAI_API_KEY"}}
            },
            "connectors": {"notion": {"enabled": True, "base_url": server.url, "token_env": "OPENAI_API_KEY"}},
            "discovery": {"enabled": True, "pypi": server.url},
            "tests": {"wall_seconds": 77},
        }
        (origin.home / "config.yaml").write_text(yaml.safe_dump(config))
        git("add", "--force", ".thoughtforge/config.yaml", cwd=origin.repository)
        git("commit", "-q", "-m", "Settings", cwd=origin.repository)
        git("clone", "-q", str(origin.repository), str(tmp_path / "clone"), cwd=tmp_path)
        yield Clone(Place(tmp_path / "clone", origin.person), server, mark)


def test_no_command_sends_anything_or_starts_a_program_and_those_that_would_stop_with_exit_code_2(clone: Clone) -> None:
    stops = [
        ("design", REQUEST),
        ("design", REQUEST, "--dry-run"),
        ("design", REQUEST, "--provider", "agent"),
        ("start", REQUEST),
        ("think", "README.md", "--yes"),
        ("providers", "test", "wire"),
        ("providers", "test", "agent"),
        ("notify", "test"),
        ("doctor",),
        ("doctor", "--ask"),
        ("trust",),
    ]
    for args in stops:
        done = clone.run(*args)
        assert done.code == 2, (args, done.out + done.err)
        assert "thoughtforge trust" in done.out + done.err, (args, done.out + done.err)
    for args in (("providers", "list"), ("config", "show"), ("init",), ("status",)):
        assert clone.run(*args).code == 0, args
    assert (clone.server.asked, clone.mark.exists()) == ([], False)
    assert not (clone.place.home / "tasks").exists() or list((clone.place.home / "tasks").iterdir()) == []


def test_what_stops_names_the_settings_and_the_command(clone: Clone) -> None:
    told = clone.run("design", REQUEST, "--json").json["error"]
    keys = "connectors, discovery.enabled, discovery.pypi, notifications.channels, provider, providers"
    named, _, listed = told["what"].partition(": ")
    assert named == f"settings in {clone.config} take effect only when you trust them"
    assert sorted(listed.split(", ")) == keys.split(", ")
    digest = digest_of(clone.config)
    assert told["do"] == f"Read them, then allow them: thoughtforge trust (in CI: THOUGHTFORGE_TRUST={digest})"
    assert "providers: names servers that receive your text and your keys, and programs to run" in told["details"]


def test_what_needs_no_trust_is_in_effect_and_the_rest_is_shown_as_waiting(clone: Clone) -> None:
    shown = clone.run("config", "show", "--json").json
    assert (shown["trusted"], shown["config"]["tests"]["wall_seconds"], shown["config"]["providers"]) == (False, 77, {})
    assert "# no effect until you trust them: " in clone.run("config", "show").out
    listed = clone.run("providers", "list", "--json").json
    assert (listed["trusted"], listed["configured"]) == (False, [])
    assert clone.run("init", "--json").json["trusted"] is False


def test_trust_shows_the_settings_and_allows_them_and_then_they_take_effect(clone: Clone) -> None:
    shown = clone.run("trust", "--json")
    assert (shown.code, shown.json["trusted"], shown.json["digest"]) == (2, False, digest_of(clone.config))
    assert yaml.safe_load(shown.json["settings"])["providers"]["wire"]["key_env"] == "OPENAI_API_KEY"
    done = clone.run("trust", "--yes")
    assert (done.code, "base_url: " in done.out, "trusted by " in done.out) == (0, True, True)
    assert clone.run("trust", "--json").json["trusted"] is True
    assert clone.run("providers", "test", "wire").code == 1
    assert [asked.headers["authorization"] for asked in clone.server.asked] == [f"Bearer {KEY}"]
    (record,) = (clone.place.person / ".local" / "state" / "thoughtforge" / "trust").iterdir()
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert KEY not in record.read_text()


def test_settings_that_change_after_they_were_trusted_stop_and_the_difference_is_shown(clone: Clone) -> None:
    clone.run("trust", "--yes")
    clone.change("model: m", "model: n")
    told = clone.run("design", REQUEST, "--json")
    assert (told.code, "changed after you trusted them" in told.json["error"]["what"]) == (2, True)
    shown = clone.run("trust", "--json").json
    changes = [line for line in shown["diff"].splitlines()[2:] if line[0] in "+-"]
    assert changes == ["-    model: m", "+    model: n"]
    assert clone.server.asked == []
    assert clone.run("trust", "--yes").code == 0
    assert clone.run("trust", "--json").json["diff"] == ""


def test_a_comment_or_a_setting_that_needs_no_trust_may_change(clone: Clone) -> None:
    clone.run("trust", "--yes")
    clone.change("wall_seconds: 77", "wall_seconds: 78 # longer")
    assert clone.run("trust", "--json").json["trusted"] is True


def test_trust_is_for_one_place_and_can_be_taken_back(clone: Clone, tmp_path: Path) -> None:
    clone.run("trust", "--yes")
    shutil.copytree(clone.place.repository, tmp_path / "copy", symlinks=True)
    copy = Place(tmp_path / "copy", clone.place.person)
    assert copy.run("trust", "--json", **UNTRUSTED).json["trusted"] is False
    assert clone.run("trust", "--revoke").code == 0
    assert clone.run("providers", "test", "wire").code == 2
    assert clone.server.asked == []


def test_in_ci_a_digest_allows_that_content_and_a_wrong_one_allows_nothing(clone: Clone) -> None:
    digest = digest_of(clone.config)
    wrong = clone.run("providers", "test", "wire", "--json", THOUGHTFORGE_TRUST="0" * 64)
    told = f"THOUGHTFORGE_TRUST is {'0' * 64}, these settings have {digest}"
    assert (wrong.code, told in wrong.json["error"]["details"], clone.server.asked) == (2, True, [])
    assert clone.run("trust", "--json", THOUGHTFORGE_TRUST=digest).json["by"] == "THOUGHTFORGE_TRUST"
    assert clone.run("providers", "test", "wire", THOUGHTFORGE_TRUST=digest).code == 1
    assert len(clone.server.asked) == 1
    clone.change("model: m", "model: n")
    assert clone.run("providers", "test", "wire", THOUGHTFORGE_TRUST=digest).code == 2


def test_a_record_that_others_could_have_written_allows_nothing(clone: Clone) -> None:
    clone.run("trust", "--yes")
    (record,) = (clone.place.person / ".local" / "state" / "thoughtforge" / "trust").iterdir()
    record.chmod(0o666)
    told = clone.run("providers", "test", "wire", "--json")
    assert (told.code, "others can read or write" in " ".join(told.json["error"]["details"])) == (2, True)
    record.chmod(0o600)
    clone.change("model: m", "model: n")
    data = json.loads(record.read_text())
    record.write_text(json.dumps({**data, "text": data["text"].replace("model: m", "model: n")}))
    told = clone.run("providers", "test", "wire", "--json")
    assert (told.code, "was changed by another program" in " ".join(told.json["error"]["details"])) == (2, True)
    assert clone.server.asked == []


def test_what_config_wrote_here_is_trusted_but_not_what_waited_before(clone: Clone, tmp_path: Path) -> None:
    text = clone.config.read_text()
    saved = clone.place.run("config", "edit", "--file", "-", "--json", stdin=f"{text}\ncommands: [[ls]]\n", **UNTRUSTED)
    assert (saved.code, saved.json["changed"], saved.json["trusted"]) == (0, True, False)
    own = make_place(tmp_path / "own")
    (own.home / "config.yaml").unlink()
    assert own.run("init", "--json", **UNTRUSTED).json["trusted"] is True
    wrong = own.run("config", "edit", "--file", "-", stdin="limits: {usd: many}\n", **UNTRUSTED)
    assert (wrong.code, "limits.usd" in wrong.err) == (2, True)
    saved = own.run("config", "edit", "--file", "-", "--json", stdin=text, **UNTRUSTED)
    assert (saved.code, saved.json["trusted"]) == (0, True)
    assert own.run("trust", "--json", **UNTRUSTED).json["trusted"] is True
    (own.home / "config.yaml").write_text(text.replace("model: m", "model: n"))
    assert own.run("trust", "--json", **UNTRUSTED).json["trusted"] is False


def test_readers_work_and_a_task_that_rests_goes_on_only_with_trust(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    assert place.design("--approve", "spec").code == 3
    place.script(limits={"usd": 1})
    for args in (("status", "last"), ("inspect", "last"), ("verify", "last"), ("cost", "last"), ("status",)):
        assert place.run(*args, **UNTRUSTED).code == 0, args
    assert place.run("approve", "last", **UNTRUSTED).code == 0
    before = len(place.events())
    assert place.run("continue", "last", **UNTRUSTED).code == 2
    assert len(place.events()) == before
    assert place.run("trust", "--yes", **UNTRUSTED).code == 0
    assert place.run("continue", "last", **UNTRUSTED).code == 0


def test_a_person_is_asked_on_a_terminal_and_a_no_changes_nothing(clone: Clone) -> None:
    for answer, code in (("n\n", 2), ("y\n", 0)):
        with terminal("trust", cwd=clone.place.repository, home=clone.place.person, **UNTRUSTED) as screen:
            screen.expect("Trust these settings?")
            screen.type(answer)
            assert screen.ended() == code
        assert clone.run("trust", "--json").json["trusted"] is (code == 0)


def test_files_of_the_repository_that_settings_name_are_told(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    playbook = place.script()
    told = place.run("trust", "--json", **UNTRUSTED).json
    assert told["files"] == [str(playbook)]


def test_a_background_run_is_allowed_by_what_allowed_the_command_that_started_it(place: Place) -> None:
    done = place.design("--detach")
    assert done.code == 0, done.out + done.err
    place.run("status", "last", "--watch")
    assert place.run("status", "last", "--json").json["state"] == "done"


@pytest.mark.parametrize(
    "text",
    [
        '"\\e]0;yours\\a\\e[8m": 1\n',
        'provider: x\nproviders: {"\\e]0;yours\\a\\u202e": {kind: http}}\n',
        'roles: {"\\e]0;yours\\a": {provider: x}}\n',
    ],
)
@pytest.mark.parametrize("command", ["trust", "doctor"])
def test_what_is_wrong_with_a_file_cannot_steer_a_terminal(clone: Clone, text: str, command: str) -> None:
    clone.config.write_text(text)
    done = clone.run(command)
    told = done.out + done.err
    assert (done.code, "\\x1b]0;yours\\x07" in told, "\x1b" in told, "\u202e" in told) == (2, True, False, False), told


def test_settings_that_lead_back_to_themselves_are_shown(clone: Clone) -> None:
    doubled = "".join(f"  l{n}: &l{n} {{kind: a, x: [*l{n - 1}, *l{n - 1}]}}\n" for n in range(1, 40))
    clone.config.write_text(f"providers:\n  l0: &l0 {{kind: a, back: *l0}}\n{doubled}")
    done = clone.run("trust", "--json")
    assert (done.code, done.json["keys"], done.json["files"]) == (2, ["providers"], [])
