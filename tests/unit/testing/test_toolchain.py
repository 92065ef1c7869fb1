"""Programs of the machine: found, followed to where they are installed, and no more of the machine than that."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import Mount
from thoughtforge.testing.report import Environment
from thoughtforge.testing.toolchain import Toolchain, fetched, toolchain


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def find(*names: str, path: str) -> Toolchain:
    return asyncio.run(toolchain(names, path))


def test_what_every_box_has_needs_nothing() -> None:
    assert find("sh", "env", path="/usr/bin:/bin") == Toolchain()


def test_an_installation_of_its_own_is_shown_whole(tmp_path: Path) -> None:
    program(tmp_path / "go1.22/bin/go")
    (tmp_path / "go1.22/pkg").mkdir()
    (tmp_path / "links").mkdir()
    (tmp_path / "links/go").symlink_to(tmp_path / "go1.22/bin/go")
    assert find("go", path=str(tmp_path / "links")) == Toolchain(
        (tmp_path / "go1.22/bin",), (Mount(tmp_path / "go1.22"),)
    )


@pytest.mark.parametrize("place", ["bin", ".local/bin", "tools"])
def test_a_program_among_a_persons_files_is_shown_alone(tmp_path: Path, place: str) -> None:
    tool = program(tmp_path / place / "go")
    (tmp_path / ".local/lib").mkdir(parents=True)
    assert find("go", path=str(tool.parent)) == Toolchain((tool.parent,), (Mount(tool),))


def test_what_rustup_stands_in_for_is_asked_of_it(tmp_path: Path) -> None:
    real = program(tmp_path / ".rustup/stable/bin/cargo")
    (tmp_path / ".rustup/stable/lib").mkdir()
    script = f'#!/bin/sh\n[ "$HOME $1 $2" = "{tmp_path} which cargo" ] && echo "{real}"\n'
    program(tmp_path / ".cargo/bin/rustup", script)
    (tmp_path / ".cargo/bin/cargo").symlink_to("rustup")
    found = find("cargo", path=str(tmp_path / ".cargo/bin"))
    assert found == Toolchain((real.parent,), (Mount(tmp_path / ".rustup/stable"),))
    assert found.searched("/bin") == f"{real.parent}:/bin"


def test_everything_missing_is_told() -> None:
    with pytest.raises(UserError, match="needed to run the repository's tests are missing: no-such-a, no-such-b"):
        find("no-such-a", "sh", "no-such-b", path="/bin")


def test_programs_come_behind_those_of_the_environment(tmp_path: Path) -> None:
    mine = Environment("x", (Mount(tmp_path / "a"),), path=(tmp_path / "a/bin",))
    tools = Toolchain((tmp_path / "b/bin",), (Mount(tmp_path / "b"), Mount(tmp_path / "a")))
    assert tools.beside(mine) == mine._replace(
        path=(tmp_path / "a/bin", tmp_path / "b/bin"), mounts=(Mount(tmp_path / "a"), Mount(tmp_path / "b"))
    )


def test_fetched_modules_are_found_in_the_environment(tmp_path: Path) -> None:
    (tmp_path / "go/modules").mkdir(parents=True)
    environment = Environment("x", python=tmp_path / "bin/python")
    assert fetched(environment, "go/modules") == tmp_path / "go/modules"
    assert fetched(environment, "cargo/home/registry") is None
    assert fetched(Environment("x"), "go/modules") is None
