"""Data as YAML the way a person would write it: for view files and for commands that show a definition."""

from __future__ import annotations

from typing import Any

import yaml


def to_yaml(data: Any) -> str:
    """Plain YAML in the order given."""
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return text


class _Dumper(yaml.CSafeDumper):
    """Long texts as blocks."""


def _block(dumper: yaml.CSafeDumper, text: str) -> yaml.Node:
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair, as in a name that is not UTF-8
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _block)
