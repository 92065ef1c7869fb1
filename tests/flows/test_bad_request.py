"""Requests and configuration that cannot be used: exit 2, what and what to do, and nothing is made."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness import COMMAND, REQUEST, configure, environment, task_ids
from harness.place import Place, make_place


@pytest.mark.parametrize(
    ("args", "stdin", "what"),
    [
        (("design", ""), "", "the request is empty"),
        (("design", "  \n "), "", "the request is empty"),
        (("design", "-"), "", "the request is empty"),
        (("start", "-f", "-"), "x" * 1_000_000, "the request has 1,000,000 bytes, the limit is 200,000"),
        (("design", "-f", "nowhere.txt"), "", "nowhere.txt cannot be read: No such file or directory"),
        (("design", "text", "-f", "-"), "more", "give the request once: as text or with --file"),
        (("design", REQUEST, "--provider", "nobody"), "", "there is no provider 'nobody'"),
    ],
)
def test_a_request_that_cannot_be_taken_makes_nothing(
    place: Place, args: tuple[str, ...], stdin: str, what: str
) -> None:
    before = sorted(place.home.rglob("*"))
    done = place.run(*args, "--json", stdin=stdin)
    assert (done.code, done.json["error"]["what"]) == (2, what)
    assert done.json["error"]["do"]
    assert task_ids(place.repository) == []
    made = {path.name for path in place.home.rglob("*")} - {path.name for path in before}
    assert made <= {".gitignore", "tasks"}


def test_a_long_request_is_taken_and_kept_whole(place: Place) -> None:
    request = f"{REQUEST}\n" + "".join(f"Detail number {number} of the report.\n" for number in range(5_000))
    assert len(request) > 150_000
    done = place.run("design", "-f", "-", "--json", "--through", "analyze", stdin=request)
    assert done.code == 0
    (created,) = place.events("task_created")
    assert place.blob(created["task"]["request_digest"]) == request
    intake = place.run("inspect", "--artifact", "intake_record", "--json").json["artifacts"]["intake_record"]
    assert intake["original_request"] == request
    assert max(e["context_tokens"] for e in place.events("call_started")) <= 8_000


def test_no_provider_is_ever_chosen_by_itself(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    (place.home / "config.yaml").unlink()
    done = place.run("design", REQUEST)
    assert done.code == 2
    assert f"created {place.home / 'config.yaml'} from the example" in done.err
    assert "no provider is set for the role requirements_analyst" in done.err
    assert task_ids(place.repository) == []


def test_a_missing_key_is_named_before_anything_is_made(place: Place) -> None:
    entry = {"kind": "http", "api": "anthropic", "model": "m", "base_url": "http://127.0.0.1:9", "key_env": "MY_KEY"}
    configure(place.repository, providers={"wire": entry})
    done = place.design()
    assert (done.code, "the variable MY_KEY is not set" in done.json["error"]["what"]) == (2, True)
    assert task_ids(place.repository) == []
    doctor = place.run("doctor", "--json")
    bad = [finding["what"] for finding in doctor.json["findings"] if finding["level"] == "bad"]
    assert (doctor.code, len(bad), "MY_KEY" in bad[0]) == (2, 1, True)


SCRIPT = {"script": {"kind": "scripted", "playbook": "playbook.yaml"}}


@pytest.mark.parametrize(
    ("config", "details"),
    [
        (
            {"colour": "red", "limits": {"usd": -1, "steps": "many"}},
            [
                "limits.usd: expected greater than or equal to 0, got -1",
                "limits.steps: expected a valid integer, got 'many'",
                "colour: unknown key",
            ],
        ),
        (
            {"provider": "nobody", "providers": SCRIPT, "roles": {"test_engineer": {"provider": "none"}}},
            [
                "provider: expected an entry of providers (script), got 'nobody'",
                "roles.test_engineer.provider: expected an entry of providers (script), got 'none'",
            ],
        ),
        (
            {"providers": {"odd": {"model": "m"}}},
            ["providers.odd.kind: expected the name of a provider file, got nothing"],
        ),
    ],
)
def test_a_mistake_in_the_configuration_names_key_and_expectation(
    place: Place, config: dict[str, Any], details: list[str]
) -> None:
    path = place.home / "config.yaml"
    path.write_text(yaml.safe_dump({"version": 1, **config}))
    done = place.design()
    assert (done.code, sorted(done.json["error"]["details"])) == (2, sorted(details))
    assert str(path) in done.json["error"]["what"]


def test_a_configuration_that_is_no_yaml_is_named_with_its_line(place: Place) -> None:
    (place.home / "config.yaml").write_text("version: 1\nlimits: {usd: 5\nprovider: x\n")
    done = place.design()
    assert (done.code, "config.yaml, line 3: not valid YAML" in done.json["error"]["what"]) == (2, True)


def test_wrong_provider_options_and_kinds_are_named(place: Place) -> None:
    configure(place.repository, providers={"wire": {"kind": "http", "model": "m", "base_url": "ftp://x", "speed": 9}})
    done = place.design()
    assert done.code == 2
    assert [line.partition(":")[0] for line in done.json["error"]["details"]] == [
        "providers.wire.base_url",
        "providers.wire.speed",
    ]
    configure(place.repository, providers={"wire": {"kind": "telepathy"}})
    unknown = place.design()
    assert (unknown.code, "telepathy" in unknown.json["error"]["what"]) == (2, True)
    configure(place.repository, providers={"wire": {"kind": "scripted", "playbook": "nowhere.yaml"}})
    nowhere = place.design()
    assert (nowhere.code, "nowhere.yaml cannot be read" in nowhere.json["error"]["what"]) == (2, True)


def test_a_home_that_cannot_be_written_is_named(place: Place) -> None:
    place.home.chmod(0o555)
    ended = subprocess.run(
        [COMMAND, "design", REQUEST],
        cwd=place.repository,
        env=environment(place.person),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=heed_permissions if os.getuid() == 0 else None,
    )
    place.home.chmod(0o755)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"the home folder {place.home} cannot be written: Permission denied" in ended.stderr
    assert "set THOUGHTFORGE_HOME to a folder on a local disk" in ended.stderr


def heed_permissions() -> None:
    """Give up root's right to ignore the mode of a file, so that a read-only folder is one."""
    drop_from_bounding_set, dac_override = 24, 1
    if ctypes.CDLL(None, use_errno=True).prctl(drop_from_bounding_set, dac_override, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the right to ignore permissions could not be given up")
