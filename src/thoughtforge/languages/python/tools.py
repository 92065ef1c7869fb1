"""What Python's tools obey: comments that silence them, files and tables that configure them."""

from __future__ import annotations

import configparser
import io
import tokenize
import tomllib
from collections.abc import Mapping
from typing import Any

from thoughtforge.testing.language import Tools

SILENCING = {
    "noqa": r"(?:(?:ruff|flake8)\s*:\s*)?noqa\b|(?:ruff|flake8)\s*:\s*(?:disable|ignore|file-ignore)",
    "type: ignore": r"(?:type|ty|pyright|pyrefly|pyre|basedpyright)\s*[:-]\s*ignore|pyre-(?:fixme|unsafe)|pytype\s*:",
    "pyright:": r"(?:pyright|basedpyright)\s*:\s*(?:basic|off|report)",
    "mypy:": r"mypy\s*:",
    "nosec": r"nosec\b|[^\n]*nosemgrep|nosonar|pragma\s*:\s*(?:allowlist|whitelist)",
    "pragma: no cover": r"pragma\s*:?\s*no\s*-?\s*(?:cover|branch|mutate)",
    "pylint:": r"[^\n]*\bpylint\s*:\s*(?:disable|skip)",
    "isort:": r"isort\s*:\s*(?:skip|off)",
}
FILES = (
    *(r"\.?ruff\.toml", r"ty\.toml", r"\.?mypy\.ini", r"pyrightconfig\.json", r"pyrefly\.toml"),
    *(r"\.?pytest\.(?:ini|toml)", r"\.coveragerc(?:\.toml)?", r"\.flake8", r"\.?pylintrc(?:\.toml)?"),
    *(r"\.isort\.cfg", r"\.importlinter", r"\.bandit", r"bandit\.ya?ml", r"tach\.toml"),
    *(r"sitecustomize\.py", r"usercustomize\.py", r".*\.pth", r"\.python-version", r"pip\.conf", r"\.pdbrc(?:\.py)?"),
)
NEEDED = {
    "pdm": ("dev-dependencies",),
    "poetry": ("dependencies", "dev-dependencies", "extras", "group", "scripts", "version"),
    "rye": ("dev-dependencies",),
    "uv": ("dev-dependencies", "sources"),
}
"""Tool tables of pyproject.toml → keys that say what the project needs, not how a tool works."""


def comments(text: str) -> Mapping[int, str] | None:
    """The comments by line, as Python itself tells them from texts."""
    try:
        tokens = tuple(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}


def in_pyproject(text: str) -> dict[str, Any]:
    """The tables that configure tools, without what they say about dependencies."""
    found: dict[str, Any] = {}
    tools = tomllib.loads(text).get("tool", {})
    for tool, table in tools.items() if isinstance(tools, dict) else ():
        plain = NEEDED.get(tool, ())
        kept = {key: value for key, value in table.items() if key not in plain} if isinstance(table, dict) else table
        if kept or not plain:
            found[f"tool.{tool}"] = kept
    return found


def in_sections(text: str) -> dict[str, Any]:
    """The sections of setup.cfg and tox.ini but those that describe the package."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    described = ("metadata", "options", "bdist_wheel", "sdist")
    names = [name for name in parser.sections() if name.split(".")[0] not in described]
    return {name: dict(parser.items(name)) for name in names}


TOOLS = Tools(
    silencing=SILENCING,
    silencing_code={
        "no_type_check": r"\bno_type_check\b",
        "not TYPE_CHECKING": r"\bif\s+not\s*\(?\s*(?:\w+\.)?TYPE_CHECKING\b",
    },
    comments=comments,
    files=FILES,
    settings={"pyproject.toml": in_pyproject, "setup.cfg": in_sections, "tox.ini": in_sections},
)
