"""A file parses: Python compiles, JSON, YAML and TOML can be read. The first check of all."""

from __future__ import annotations

import json
import tomllib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.patterns import any_matches

CATEGORY: Category = "syntax"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = "Python compiles; JSON, YAML and TOML parse. The check runs no code."
HINT = "Correct this line; the mistake may be in the line before it."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py", ".pyi", ".json", ".yaml", ".yml", ".toml")


class Options(Value):
    """What only looks like such a file."""

    exclude: tuple[str, ...] = (
        "**/templates/**",
        "**/testdata/**",
        "**/tsconfig*.json",
        ".devcontainer/**",
        ".vscode/**",
    )
    """Path patterns of templates, of broken samples, and of JSON with comments."""


class Wrong(Exception):
    """Where a text stops making sense, and why."""

    def __init__(self, line: int | None, what: str) -> None:
        super().__init__(what)
        self.line = line or 1
        self.what = what


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """The first error of each file."""
    paths = [path for path in context.paths if path.endswith(ENDINGS) and not any_matches(path, options.exclude)]
    return [found for path in paths for found in _errors(context, path)]


def _errors(context: CheckContext, path: str) -> Iterator[Violation]:
    read = READERS[PurePosixPath(path).suffix]
    text = context.text(path)
    try:
        read(text if text else _bytes(context.root / path), path)
    except Wrong as wrong:
        yield Violation(path, wrong.line, wrong.what, rule="invalid-syntax")
    except (RecursionError, MemoryError, OverflowError):
        yield Violation(path, 1, "nested too deeply to parse", rule="invalid-syntax")


def _bytes(file: Path) -> bytes:
    """What is in a file that has no text for us; Python files may say themselves how they are encoded."""
    return file.read_bytes() if file.is_file() and not file.is_symlink() else b""


def _python(source: str | bytes, path: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escape-sequences finds odd escapes
            compile(
                source.removeprefix("\ufeff") if isinstance(source, str) else source, path, "exec", dont_inherit=True
            )
    except SyntaxError as error:
        raise Wrong(error.lineno, f"this is not Python: {error.msg}") from error
    except ValueError as error:
        raise Wrong(1, f"this is not Python: {error}") from error


def _decoded(source: str | bytes) -> str:
    if isinstance(source, str):
        return source
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Wrong(source.count(b"\n", 0, error.start) + 1, "this is not UTF-8 text") from error


def _json(source: str | bytes, path: str) -> None:
    text = _decoded(source)
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise Wrong(error.lineno, f"this is not JSON: {error.msg}") from error


def _yaml(source: str | bytes, path: str) -> None:
    import yaml

    text = _decoded(source)
    try:
        for _ in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass  # events only: no tag is followed and no alias unfolded
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise Wrong(line, f"this is not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise Wrong(1, f"this is not YAML: {error}") from error


def _toml(source: str | bytes, path: str) -> None:
    text = _decoded(source)
    try:
        tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        where = said.rpartition("at line ")[2].split(",")[0]
        line = int(where) if where.isdigit() else text.count("\n") + 1
        raise Wrong(line, f"this is not TOML: {said}") from error


READERS: dict[str, Callable[[str | bytes, str], None]] = {
    ".json": _json,
    ".py": _python,
    ".pyi": _python,
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
}
