"""What this repository holds itself to says the same in every place it is written down."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import yaml

from test_house_rules import FILE_LINES, FUNCTION_LINES
from thoughtforge.catalog import Catalog
from thoughtforge.gate.active import active, check_names
from thoughtforge.gate.conformance import load

ROOT = Path(__file__).parents[1]
FILE = ROOT / ".thoughtforge" / "conformance" / "house.yaml"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]


def options(check: str) -> dict[str, Any]:
    settings = yaml.safe_load(FILE.read_text(encoding="utf-8"))["checks"][check]
    return dict(settings["options"])


def test_the_gate_can_read_it() -> None:
    project = {"conformance/house.yaml": FILE.read_text(encoding="utf-8")}
    found = load(Catalog(project=project, user=None), check_names())
    names = {each.name for each in active(found, commands={})}
    assert {"layer-dependencies", "types", "documentation-required", "no-secrets-in-code", "error-handling"} <= names


def test_the_layers_are_those_of_the_import_linter() -> None:
    (contract,) = [each for each in PROJECT["importlinter"]["contracts"] if each["type"] == "layers"]
    there = [[name for name in layer.split(" | ") if not name.startswith("(")] for layer in contract["layers"]]
    expected = [layer[0] if len(layer) == 1 else layer for layer in there if layer]
    assert options("layer-dependencies") == {"within": "thoughtforge", "layers": expected}


def test_the_limits_are_those_of_the_house_rules() -> None:
    assert options("max-file-length") == {"limit": FILE_LINES}
    assert options("max-function-length") == {"limit": FUNCTION_LINES}
    assert options("max-complexity") == {"limit": PROJECT["ruff"]["lint"]["mccabe"]["max-complexity"]}
    assert options("line-length") == {"limit": PROJECT["ruff"]["line-length"]}
