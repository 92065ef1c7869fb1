"""An agent's program is found with everything it needs, and with nothing else of the person."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caged import ScriptCli
from thoughtforge.agent_runtime import cli
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import Mount


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def found(name: str | Path, *folders: Path) -> cli.AgentProgram:
    return cli.found(ScriptCli(Path(name)), "", search_path=os.pathsep.join(map(str, folders)))


def test_a_package_brings_the_packages_beside_it_and_its_interpreter(tmp_path: Path) -> None:
    packages = tmp_path / "lib" / "node_modules"
    real = script(packages / "@maker" / "agent" / "bin" / "agent.js", "#!/usr/bin/env node\n")
    node = script(tmp_path / "versions" / "node" / "bin" / "node", "\x7fELF")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "agent").symlink_to(real)
    (tmp_path / "bin" / "node").symlink_to(node)
    linked = tmp_path / "bin" / "node"
    assert found("agent", tmp_path / "bin") == cli.AgentProgram(
        real, (Mount(packages), Mount(node), Mount(node, target=linked)), (tmp_path / "bin",)
    )


def test_of_nested_packages_the_outermost_folder_is_shown(tmp_path: Path) -> None:
    real = script(tmp_path / "node_modules" / "a" / "node_modules" / "b" / "agent", "\x7fELF")
    assert found(real).mounts == (Mount(tmp_path / "node_modules"),)


def test_a_program_on_its_own_is_shown_alone(tmp_path: Path) -> None:
    real = script(tmp_path / "versions" / "2.1", "\x7fELF")
    (tmp_path / "agent").symlink_to(real)
    assert found("agent", tmp_path) == cli.AgentProgram(real, (Mount(real),), ())


def test_a_program_of_the_system_needs_nothing_more() -> None:
    assert found("/bin/ls") == cli.AgentProgram(Path("/bin/ls").resolve(), (), ())


def test_a_missing_interpreter_is_named(tmp_path: Path) -> None:
    script(tmp_path / "agent", "#!/usr/bin/env -S no-such-node --flag\n")
    with pytest.raises(UserError, match="agent needs no-such-node, which is not installed"):
        found("agent", tmp_path)


def test_a_command_of_the_configuration_goes_before_the_usual_name(tmp_path: Path) -> None:
    real = script(tmp_path / "bin" / "mine", "\x7fELF")
    for command in (str(real), "bin/mine", "./bin/mine"):
        assert cli.found(ScriptCli(Path("agent")), command, search_path="", base=tmp_path).path == real
