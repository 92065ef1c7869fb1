"""The network is open while packages come: nothing that an agent wrote runs there or says where they come from."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from doubles.server import Asked, Said, Server
from flows.code_thoughts import GOOD, WISH, begun, building, create, done, reviewed, rules
from flows.thoughts import Garden, make_garden

REFUSED = re.compile("only names and versions of packages|the specification does not name title")
GEMFILE = 'require "socket"\nTCPSocket.new("127.0.0.1", {port}).write("GET /gem HTTP/1.0\\r\\n\\r\\n")\n'
SETTINGS = '[project]\nname = "greeter"\nversion = "1"\n[tool.setuptools]\npy-modules = ["greeter"]\n'


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def answer(asked: Asked) -> Said:
    """Whoever asks gets something; what counts is that nobody does."""
    return Said(200, b"nothing to see here")


@pytest.mark.parametrize(
    "files",
    [
        {"requirements.txt": "evil @ {url}/evil-1.0.tar.gz\n"},
        {"requirements.txt": "{url}/evil-1.0.tar.gz\n"},
        {"requirements.txt": "-r more/extra.list\n", "more/extra.list": "evil @ {url}/evil-1.0.tar.gz\n"},
        {"requirements.txt": "--index-url {url}/simple\npytest\n"},
        {"requirements.txt": "title\n"},
        {"setup.py": "from setuptools import setup\nsetup(install_requires=['evil @ {url}/evil-1.0.tar.gz'])\n"},
    ],
    ids=["by address", "bare address", "included", "another index", "a word of the form", "setup.py"],
)
def test_only_packages_the_specification_names_are_installed(garden: Garden, files: dict[str, str]) -> None:
    with Server(answer) as server:
        wrote = [create(path, text.replace("{url}", server.url)) for path, text in files.items()]
        garden.script(*begun(), *building(create("greeter.py", GOOD), *wrote, *([done("greeter.py")] * 3)), reviewed())
        told = garden.json("think", garden.note(WISH))
    assert server.asked == []
    assert (told["halted_in"], told["halt_reason"]) == ("building", "stuck")
    assert "Code" not in garden.log()
    assert any(REFUSED.search(context) for context in garden.contexts("build"))


@pytest.mark.skipif(shutil.which("bundle") is None, reason="bundler is not installed")
def test_the_set_up_of_another_language_is_not_run(garden: Garden) -> None:
    with Server(answer) as server:
        gemfile = GEMFILE.replace("{port}", server.url.rpartition(":")[2])
        garden.script(*building(create("Gemfile", gemfile)), *rules())
        told = garden.json("think", garden.note(WISH))
    assert (server.asked, told["phase"]) == ([], "done")


def test_build_configuration_belongs_to_the_builder(garden: Garden) -> None:
    garden.script(*building(create("pyproject.toml", SETTINGS)), *rules())
    assert garden.json("think", garden.note(WISH))["phase"] == "done"
