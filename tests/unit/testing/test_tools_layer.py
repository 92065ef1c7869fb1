"""Our own test tools become a folder of their own: complete, made once, usable by any interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.testing.installed import tools_layer


def test_the_folder_has_the_tools_and_what_they_need(tmp_path: Path) -> None:
    folder = tools_layer(tmp_path)
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import pytest, coverage; print(pytest.__file__)"
    said = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == f"{folder}/pytest/__init__.py\n"


def test_it_is_made_once_and_leaves_nothing_aside(tmp_path: Path) -> None:
    folder = tools_layer(tmp_path)
    (folder / "mark").touch()
    assert tools_layer(tmp_path) == folder
    assert (folder / "mark").exists()
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]
    assert tools_layer(tmp_path, ["coverage"]) != folder


def test_a_tool_that_is_not_installed_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no-such-tool is not installed"):
        tools_layer(tmp_path, ["no-such-tool"])
