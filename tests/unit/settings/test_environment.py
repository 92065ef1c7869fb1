"""The environment is read in one place: where the home is, what is a secret, what a run in the background gets."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from thoughtforge.settings import environment

ASK = "import json, sys; from pathlib import Path; from thoughtforge.settings import environment as env; print({})"


def answer(expression: str, **variables: str) -> str:
    """What a fresh process with only these variables prints."""
    command = [sys.executable, "-c", ASK.format(expression)]
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    return ended.stdout.strip()


def test_the_home_is_the_named_one_then_the_repositorys_then_the_persons(tmp_path: Path) -> None:
    named, state, person = str(tmp_path / "named"), str(tmp_path / "state"), str(tmp_path / "person")
    inside = 'env.find_home(Path("/r"))'
    outside = "env.find_home(None)"
    all_set = {"THOUGHTFORGE_HOME": named, "XDG_STATE_HOME": state, "HOME": person}
    assert answer(f"{inside}, {outside}", **all_set) == f"{named} {named}"
    without = {"XDG_STATE_HOME": state, "HOME": person}
    both = f"{inside}, {outside}"
    assert answer(both, **without) == f"/r/.thoughtforge {state}/thoughtforge"
    assert answer(outside, HOME=person) == f"{person}/.local/state/thoughtforge"
    assert answer(outside, HOME=person, THOUGHTFORGE_HOME="", XDG_STATE_HOME="").startswith(person)
    assert answer(outside, HOME=person, THOUGHTFORGE_HOME="~/mine") == f"{person}/mine"


def test_a_persons_own_files_are_in_their_configuration_folder(tmp_path: Path) -> None:
    shown = answer("env.user_folder()", HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path / "x"))
    assert shown == str(tmp_path / "x" / "thoughtforge")
    assert answer("env.user_folder()", HOME=str(tmp_path)) == str(tmp_path / ".config" / "thoughtforge")


def test_the_repository_is_the_nearest_folder_upward_with_a_git_directory(tmp_path: Path) -> None:
    deep = tmp_path / "repository" / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    assert environment.find_repository(deep) == tmp_path / "repository"
    (deep / ".git").write_text("gitdir: elsewhere")
    assert environment.find_repository(deep) == deep


def test_a_variable_whose_name_says_so_is_a_secret() -> None:
    shown = {
        "OPENAI_API_KEY": "k1",
        "GH_TOKEN": "k2",
        "my_secret": "k3",
        "DB_PASSWORD": "k4",
        "AWS_CREDENTIALS": "k5",
        "EMPTY_TOKEN": "",
        "EDITOR": "vi",
    }
    secrets = {name: value for name, value in shown.items() if value and name != "EDITOR"}
    assert answer("json.dumps(env.known_secrets(), sort_keys=True)", **shown) == answer(
        f"json.dumps({secrets!r}, sort_keys=True)"
    )


def test_a_blank_key_is_no_key() -> None:
    expression = 'env.secret("A"), env.secret("B"), env.secret("C")'
    assert answer(expression, A=" key ", B="  ") == "key None None"


def test_a_run_in_the_background_gets_what_it_needs_and_nothing_else() -> None:
    given = {
        "PATH": "/bin",
        "HOME": "/h",
        "LANG": "C",
        "SHOP_TOKEN": "t",
        "PYTHONPATH": "",
        "EDITOR": "vi",
        "DISPLAY": ":0",
    }
    shown = answer("sorted(env.for_detached())", **given)
    assert shown == "['DISPLAY', 'HOME', 'LANG', 'PATH', 'SHOP_TOKEN']"


def test_a_program_that_acts_for_the_person_gets_who_they_are_and_how_they_log_in() -> None:
    given = {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_ALL": "C",
        "GH_TOKEN": "t",
        "SSH_AUTH_SOCK": "/s",
        "https_proxy": "p",
        "SHOP_TOKEN": "t",
        "PYTHONPATH": "",
        "GIT_DIR": "/elsewhere",
    }
    shown = answer("sorted(env.for_person())", **given)
    assert shown == "['GH_TOKEN', 'HOME', 'LC_ALL', 'PATH', 'SSH_AUTH_SOCK', 'https_proxy']"


def test_programs_are_looked_for_where_the_path_says() -> None:
    assert answer("env.search_path()", PATH="/one:/two") == "/one:/two"
    assert answer("env.search_path()") == os.defpath


def test_who_did_it_is_a_person_at_a_machine() -> None:
    name, _, host = environment.who().partition("@")
    assert (bool(name), host) == (True, socket.gethostname())
