"""Runs pytest on the tree for the engine: our configuration, the plug-ins named at base, nothing else."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .lines import measured, tell_lines
from .seal import PYTEST, UNITTEST, seal
from .tree import origin_check, provided, put_first
from .witness import Witness

NOTHING = 5
"""What pytest ends with when there is nothing to run."""


def main(run: str) -> None:
    """Run what the engine asked for and say how it ended."""
    began = time.perf_counter()
    ask = json.loads(Path(run, "ask.json").read_text(encoding="utf-8"))
    witness = Witness()
    sys.path[:] = [place for place in sys.path if place not in ("", run)] + ask["after"]
    import unittest.case  # noqa: F401 - taken before the tree could provide another one

    import pytest

    from .pytest_plugin import Plugin

    _never_read_cached_tests()
    named = _installed(ask["plugins"])
    places, root = ask["places"], ask["root"]
    measure = measured(ask)
    plugin = Plugin(
        witness,
        root=root,
        ids=ask["ids"],
        strangers=origin_check(root, provided(places)),
        changed=seal(PYTEST + UNITTEST),
        named=[(name, module) for _, name, module in named],
        asked=[ask["args"][at + 1] for at, option in enumerate(ask["args"][:-1]) if option == "-p"],
    )
    put_first(root, places)
    sys.argv = [str(Path(pytest.__file__).with_name("__main__.py"))]
    args = (
        ask["args"]
        + _whole(pytest.__version__)
        + _settings(ask["settings"], {distribution for distribution, _, _ in named})
    )
    files = _present(ask["files"], root)
    code = pytest.main(args + files, plugins=[plugin]) if files or not ask["files"] else NOTHING
    tell_lines(witness, measure, ask)
    witness.send("end", code=int(code), seconds=round(time.perf_counter() - began, 3))


def _installed(wanted: list[str]) -> list[tuple[str, str, Any]]:
    """The wanted distributions' plug-ins, loaded from the environment and never from the tree."""
    found = []
    for distribution in importlib.metadata.distributions() if wanted else ():
        text = distribution.read_text("entry_points.txt") or ""
        name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"] or "").lower() if "pytest11" in text else ""
        if name in wanted:
            points = [point for point in distribution.entry_points if point.group == "pytest11"]
            found += [(name, point.name, point.load()) for point in points]
    return found


def _whole(version: str) -> list[str]:
    """What makes pytest tell all of a difference; before 8.1 that goes with all its other output."""
    return ["-o", "verbosity_assertions=2"] if tuple(map(int, version.split(".")[:2])) >= (8, 1) else ["-vvv"]


def _settings(settings: Mapping[str, Mapping[str, Any]], present: set[str]) -> list[str]:
    """Options of plug-ins that are there; pytest refuses those of one that is not."""
    args: list[str] = []
    for distribution in sorted(present & settings.keys()):
        for key, value in settings[distribution]["ini"].items():
            args += ["-o", f"{key}={value}"]
        args += settings[distribution]["args"]
    return args


def _present(files: list[str], root: str) -> list[str]:
    """Files that exist: pytest runs nothing at all when one does not, and their absence shows in the results."""
    return [file for file in files if Path(root, file).exists()]


def _never_read_cached_tests() -> None:
    """A `.pyc` of a test file is believed by what it says of itself, so none is read."""
    rewrite: Any = importlib.import_module("_pytest.assertion.rewrite")
    if hasattr(rewrite, "_read_pyc"):
        rewrite._read_pyc = lambda *_args, **_more: None
    else:
        sys.pycache_prefix = str(Path(os.devnull, "none"))
