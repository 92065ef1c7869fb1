"""What can be proved for Python, and how its packages are reached on this machine."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from thoughtforge.languages.python.expectations import change_expectations
from thoughtforge.languages.python.suite import import_places, metadata
from thoughtforge.testing.language import Proofs, Reached
from thoughtforge.testing.report import SuiteRun

CONFIG_FILE = "PIP_CONFIG_FILE"


def reached(variables: Mapping[str, str], home: Path, system: Path) -> Reached:
    """The files pip reads here; the last one is named, because the home it lies in is not there in the box."""
    own = [home / ".config" / "pip" / "pip.conf", home / ".pip" / "pip.conf"]
    configured = [Path(variables[CONFIG_FILE])] if CONFIG_FILE in variables else own
    used = tuple(path for path in (system / "pip.conf", *configured) if path.is_file())
    if not used or (used[-1] == system / "pip.conf" and CONFIG_FILE in variables):
        return Reached({}, used)
    return Reached({CONFIG_FILE: str(used[-1])}, used)


def only_pip(variables: Mapping[str, str]) -> bool:
    """Whether pip is set up here and uv, which reads none of pip's files, is not."""
    names = [name.upper() for name in variables]
    return any(name.startswith("PIP_") for name in names) and not any(name.startswith("UV_") for name in names)


PYTHONS = ("python", "python3")
SCRIPT = "import sys; from {module} import {first}; sys.argv[0] = {name!r}; sys.exit({attribute}())"


def spoiled(mark: str) -> str:
    """A module that says so when it is imported."""
    return f'raise ImportError("{mark}")\n'


Function = ast.FunctionDef | ast.AsyncFunctionDef


def stubbed(text: str, mark: str) -> str:
    """A module that can be imported as before; no test takes the error of its functions for one it expects."""
    fails = ast.parse(f'raise type("Stubbed", (BaseException,), {{}})({mark!r})').body
    return _beginning(text, lambda node: fails)


RETURNED = ("None", "object()")
"""One is false, the other is true and like nothing else: a test that takes both expects nothing."""


def idle(text: str) -> tuple[str, ...]:
    """A module whose functions do nothing but return a value, once for each value."""

    def returning(value: str) -> Callable[[Function], list[ast.stmt]]:
        told, nothing = ast.parse(f"return {value}").body, ast.parse("return").body
        return lambda node: nothing if node.name == "__init__" or _yields(node) else told

    return tuple(made for value in RETURNED if (made := _beginning(text, returning(value))))


def _yields(node: Function) -> bool:
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))


def _beginning(text: str, begin: Callable[[Function], list[ast.stmt]]) -> str:
    """A module in which every function begins with statements; empty when it cannot be read."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            node.body = [*begin(node), *node.body]
    return ast.unparse(tree)


def executable(text: str) -> frozenset[int]:
    """The lines of a file that have code on them."""
    try:
        waiting = [compile(text, "<file>", "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return frozenset()
    lines: set[int] = set()
    while waiting:
        code = waiting.pop()
        lines |= {line for _, _, line in code.co_lines() if line}
        waiting += [const for const in code.co_consts if hasattr(const, "co_lines")]
    return frozenset(lines)


def command_line(argv: Sequence[str], job: SuiteRun) -> list[str] | None:
    """Our own Python, or a script the project declares; the environment never holds the project's own."""
    python, (first, *rest) = str(job.environment.python), argv
    if first in PYTHONS:
        return [python, *rest]
    target = _scripts(job).get(first)
    if target is None:
        return None
    module, _, attribute = target.partition(":")
    code = SCRIPT.format(module=module, first=attribute.partition(".")[0], attribute=attribute, name=first)
    return [python, "-c", code, *rest]


def _scripts(job: SuiteRun) -> dict[str, str]:
    """The programs a project declares: name → `module:function`."""
    try:
        text = (job.root / "pyproject.toml").read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except (OSError, ValueError):
        return {}
    found: dict[str, str] = {}
    for table in (data.get("project"), data.get("tool", {}).get("poetry")):
        scripts = table.get("scripts") if isinstance(table, dict) else None
        found |= {name: value for name, value in (scripts or {}).items() if isinstance(value, str) and ":" in value}
    return found


PROOFS = Proofs(
    spoiled=spoiled,
    stubbed=stubbed,
    idle=idle,
    change_expectations=change_expectations,
    executable=executable,
    import_places=import_places,
    metadata=metadata,
    command_line=command_line,
)
