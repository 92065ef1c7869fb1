"""From an entry of the configuration and its file to a playbook; everything wrong with it is listed with its line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from thoughtforge.calls.port import Model
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Value
from thoughtforge.providers.scripted.playbook import Playbook, Script, ScriptedModel
from thoughtforge.settings.environment import Machine


class Options(Value):
    """One entry of `providers:` with `kind: scripted`."""

    playbook: str = Field(min_length=1)
    """The YAML file with the rules."""
    model: str = Field(default="scripted", min_length=1)
    """The model's name in the record."""


def make(options: Options, machine: Machine) -> Model:
    """The model of one configuration entry; a relative playbook starts from `machine.base`."""
    return ScriptedModel(options.model, load(machine.base / options.playbook))


class PlaybookProblem(NamedTuple):
    """One problem of a playbook."""

    line: int
    what: str


class PlaybookFile(NamedTuple):
    """A YAML file with and without its line numbers."""

    node: yaml.Node | None
    data: Any


def load(path: Path) -> Script:
    """The playbook at `path`, ready for use."""
    try:
        document = _parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        do = "Check the path given as `playbook`; it must be a UTF-8 text file."
        raise UserError(f"the playbook {path} cannot be read: {error}", do=do) from None
    except yaml.YAMLError as error:
        raise _user_error(path, [_syntax(error)]) from None
    problems = list(_repeated(document.node))
    try:
        playbook = Playbook.model_validate(document.data, context={"folder": path.parent})
    except ValidationError as error:
        problems += [_invalid(document.node, found) for found in error.errors()]
        raise _user_error(path, problems) from None
    if problems:
        raise _user_error(path, problems)
    return Script(path, playbook)


def _parse(text: str) -> PlaybookFile:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        return PlaybookFile(node, loader.construct_document(node) if node else None)
    finally:
        loader.dispose()


def _user_error(path: Path, problems: list[PlaybookProblem]) -> UserError:
    count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
    details = tuple(f"{path}, line {line}: {what}" for line, what in sorted(problems))
    return UserError(f"the playbook {path} has {count}", do="Correct the lines named below.", details=details)


def _syntax(error: yaml.YAMLError) -> PlaybookProblem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = getattr(error, "problem", None) or " ".join(str(error).split())
    return PlaybookProblem(mark.line + 1 if mark else 1, f"not valid YAML: {said}")


def _repeated(node: yaml.Node | None) -> Iterator[PlaybookProblem]:
    """YAML keeps the last of two equal keys; a rule would silently lose a line."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated(item)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield PlaybookProblem(key.start_mark.line + 1, f"{key.value} is given twice")
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)
            yield from _repeated(value)


def _invalid(node: yaml.Node | None, error: ErrorDetails) -> PlaybookProblem:
    where = ".".join(str(part) for part in error["loc"]) or "the file"
    what = "unknown key" if error["type"] == "extra_forbidden" else error["msg"]
    return PlaybookProblem(_line(node, error["loc"]), f"{where}: {what.removeprefix('Value error, ')}")


def _line(node: yaml.Node | None, place: Sequence[int | str]) -> int:
    """The line of the deepest part of `place` that is in the file."""
    line = node.start_mark.line + 1 if node else 1
    for part in place:
        below = _below(node, part)
        if below is None:
            break
        line, node = below
    return line


def _below(node: yaml.Node | None, part: int | str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        item = node.value[part]
        return item.start_mark.line + 1, item
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key.start_mark.line + 1, value
    return None
