"""How an environment is made follows from the repository's files and the person's settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.settings.config import Setup
from thoughtforge.testing.install import InstallPlan, InstallStep, Interpreter, ToInstall
from thoughtforge.testing.set_up import check_programs, plan

PYTHON = Interpreter(Path("/opt/python"), "3.11", ())
EMPTY = InstallStep(("/opt/python", "-I", "-m", "venv", "--without-pip", "{folder}"), network=False)


def planned(files: dict[str, str], *, uv: str | None = None, extra: tuple[str, ...] = (), **setup: Any) -> InstallPlan:
    chosen = Setup.model_validate(setup)
    return plan(ToInstall(files, files.__getitem__, extra, PYTHON, lambda name: uv), chosen)


def test_nothing_declared_needs_no_network() -> None:
    assert planned({"calc.py": ""}) == InstallPlan((EMPTY,))


def test_uv_installs_where_it_is_there_and_pip_otherwise() -> None:
    files = {"requirements.txt": "click\n-c pins.txt\n", "pins.txt": "click==8\n"}
    made = planned(files, uv="/opt/uv", extra=("rich",))
    asked = ("-r", "{folder}/asked/requirements.txt", "-c", "{folder}/asked/constraints.txt")
    install = InstallStep(("/opt/uv", "pip", "install", "--no-cache", "--python", "{folder}/bin/python", *asked))
    assert made == InstallPlan(
        (EMPTY, install), {"asked/requirements.txt": "click\nrich\n", "asked/constraints.txt": "click==8\n"}
    )
    assert [step.argv[:4] for step in planned(files).steps] == [
        ("/opt/python", "-I", "-m", "venv"),
        ("{folder}/bin/python", "-I", "-m", "pip"),
    ]


def test_packages_of_other_languages_are_fetched_without_running_their_scripts() -> None:
    made = planned(
        {"package.json": "{}", "package-lock.json": "{}", "go.mod": "module x\n", "Cargo.toml": "[package]\n"}
    )
    assert [step.argv[:3] for step in made.steps[1:]] == [
        ("go", "mod", "download"),
        ("npm", "ci", "--ignore-scripts"),
        ("cargo", "fetch", "--manifest-path"),
    ]
    assert made.links == {"node_modules": "node/node_modules"}
    assert sorted(made.files) == [
        "cargo/Cargo.toml",
        "cargo/src/lib.rs",
        "cargo/src/main.rs",
        "go/go.mod",
        "node/package-lock.json",
        "node/package.json",
    ]
    with pytest.raises(
        UserError, match="programs needed to install the repository's dependencies are missing: go, npm, cargo"
    ):
        check_programs(made, "/nowhere")


def test_a_command_of_the_person_stands_instead_of_every_convention() -> None:
    made = planned({"requirements.txt": "-e .\n", "x.lock": "a"}, command=["make", "deps"], reads=["*.lock"])
    assert (made.steps[1], made.files, made.needs_root) == (InstallStep(("make", "deps")), {"asked/x.lock": "a"}, True)
    assert planned({}, command=["make"]).notes == (
        "setup.reads matches no file of the repository: the environment is never rebuilt",
    )
