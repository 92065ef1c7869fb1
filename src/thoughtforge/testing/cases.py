"""Held-back cases: data that says what to do with the code and what must come out. Never test code.

Values JSON does not have are written as an object with the key `$`: `{"$": "tuple", "items": [1, 2]}`,
`{"$": "decimal", "value": "1.50"}`; in inputs also `{"$": "new", "target": "pkg.shelf:Shelf", "args": []}` for an
object to build and `{"$": "name", "target": "pkg.shelf:Color.RED"}` for something that has a name.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from thoughtforge.kernel.model import Value

Files = dict[str, str]


class Property(Value):
    """What must hold of a result whose exact value is not fixed. Everything given must hold."""

    type: str = ""
    """The name of its type, such as `int` or `Shelf`."""
    length: int | None = Field(default=None, ge=0)
    contains: Any = None
    """A member, a key, or a part of a text."""
    matches: str = ""
    """A regular expression found in a text."""
    sorted: bool = False
    at_least: float | None = None
    at_most: float | None = None
    equals_input: int | None = Field(default=None, ge=0)
    """The number of the argument it must equal."""
    same_items_as_input: int | None = Field(default=None, ge=0)
    """The number of the argument whose items it must have, in any order."""


class CallCase(Value):
    """Call something and look at what it returns, raises or prints."""

    kind: Literal["call"]
    criterion: str
    target: str
    """`package.module:function`, `package.module:Class`, or with `on` a method of the object built."""
    args: list[Any] = Field(default_factory=list)
    kwargs: dict[str, Any] = Field(default_factory=dict)
    on: dict[str, Any] | None = None
    """The object a method is called on: `{target, args, kwargs}`."""
    files: Files = Field(default_factory=dict)
    """Files in the folder it starts in: name → text."""
    expect: Any = None
    raises: str = ""
    message: str = ""
    """A part of the error's text."""
    stdout: str | None = None
    """Exactly what is printed."""
    property: Property | None = None


class ArgvCase(Value):
    """Run a program and look at its output, exit code and files."""

    kind: Literal["argv"]
    criterion: str
    argv: list[str] = Field(min_length=1)
    """`python`, a script of the project, a program; `{root}` stands for the checkout."""
    stdin: str = ""
    files: Files = Field(default_factory=dict)
    exit: int | None = None
    stdout: str | None = None
    stdout_contains: list[str] = Field(default_factory=list)
    stdout_json: Any = None
    stderr_contains: list[str] = Field(default_factory=list)
    writes: Files = Field(default_factory=dict)
    """Files that must be there afterwards: name → text."""


class HttpCase(Value):
    """Start a server on loopback, send it one request, look at the answer."""

    kind: Literal["http"]
    criterion: str
    argv: list[str] = Field(min_length=1)
    """What starts it; it listens on 127.0.0.1 at the port in `PORT`, which `{port}` stands for as well."""
    files: Files = Field(default_factory=dict)
    method: str = "GET"
    path: str = "/"
    headers: dict[str, str] = Field(default_factory=dict)
    body: str = ""
    status: int | None = None
    body_contains: list[str] = Field(default_factory=list)
    body_json: Any = None


AnyCase = CallCase | ArgvCase | HttpCase
Case = Annotated[AnyCase, Field(discriminator="kind")]
OUTCOMES = {
    "call": ("expect", "raises", "stdout", "property"),
    "argv": ("exit", "stdout", "stdout_contains", "stdout_json", "stderr_contains", "writes"),
    "http": ("status", "body_contains", "body_json"),
}


class HeldBackFile(NamedTuple):
    """A held-back test file for a criterion that no case can express: weaker, and marked so."""

    criterion: str
    path: str
    text: str
    why: str


class CasesRead(NamedTuple):
    """Cases as data, read; with every problem found."""

    cases: tuple[AnyCase, ...]
    problems: tuple[str, ...]


def read_cases(data: Iterable[Mapping[str, Any]]) -> CasesRead:
    """Cases from plain data."""
    adapter: TypeAdapter[AnyCase] = TypeAdapter(Case)
    cases, problems = [], []
    for number, item in enumerate(data, start=1):
        try:
            cases.append(adapter.validate_python(item))
        except ValidationError as error:
            for each in error.errors():
                place = ".".join(str(part) for part in each["loc"][1:])
                problems.append(f"{_called(number, item)}{': ' + place if place else ''}: {each['msg']}")
    return CasesRead(tuple(cases), tuple(problems))


MOST_BYTES = 200_000
TARGET = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def check_cases(
    cases: Sequence[AnyCase],
    criteria: Sequence[str],
    *,
    files: Sequence[HeldBackFile] = (),
    seen: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Everything wrong with the cases of a task. `seen` are the tests the implementing agent can read."""
    problems = [
        f"case {number} ({case.criterion}): {what}"
        for number, case in enumerate(cases, start=1)
        for what in _wrong(case)
    ]
    known = _inputs(seen or {})
    problems += [
        f"case {number} ({case.criterion}): the tests call {case.target} with the same input; a held-back case must "
        "use an input that the tests do not show"
        for number, case in enumerate(cases, start=1)
        if isinstance(case, CallCase) and _is_shown(case, known.get(re.split("[:.]", case.target)[-1], ()))
    ]
    for file in files:
        problems += [] if file.why.strip() else [f"{file.path}: say why {file.criterion} cannot be written as a case"]
        problems += [] if _inside(file.path) else [f"{file.path}: the path must stay inside the repository"]
    having = {case.criterion for case in cases} | {file.criterion for file in files}
    problems += [f"{name}: no held-back case" for name in criteria if name not in having]
    problems += [f"{name}: no such criterion" for name in sorted(having - set(criteria))]
    return tuple(problems)


def _wrong(case: AnyCase) -> list[str]:
    wrong = []
    if not case.model_fields_set & set(OUTCOMES[case.kind]):
        wrong.append(f"it expects nothing; give one of {', '.join(OUTCOMES[case.kind])}")
    if isinstance(case, CallCase):
        wrong += _wrong_call(case)
    names = [*case.files, *(case.writes if isinstance(case, ArgvCase) else ())]
    wrong += [f"the file name {name!r} must stay inside its folder" for name in names if not _inside(name)]
    try:
        size = len(json.dumps(case.model_dump(), allow_nan=False))
    except (ValueError, TypeError) as error:
        wrong.append(f"not plain JSON: {error}")
    else:
        wrong += [f"{size} bytes; {MOST_BYTES} at most"] if size > MOST_BYTES else []
    return wrong


def _wrong_call(case: CallCase) -> list[str]:
    targets = [case.target if case.on is None else f"x:{case.target.rpartition(':')[2]}"]
    targets += [str(case.on.get("target"))] if case.on is not None else []
    wrong = [f"{target!r} is not written as package.module:name" for target in targets if not TARGET.fullmatch(target)]
    given = [name for name in ("expect", "raises", "property") if name in case.model_fields_set]
    if len(given) > 1:
        wrong.append(f"{' and '.join(given)} exclude each other")
    return wrong


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _called(number: int, item: Mapping[str, Any]) -> str:
    """A case that cannot be read, by its number and the criterion it names."""
    criterion = item.get("criterion") if isinstance(item, Mapping) else None
    return f"case {number} ({criterion})" if isinstance(criterion, str) and criterion else f"case {number}"


class GivenArguments(NamedTuple):
    """Written-out arguments of a call."""

    args: tuple[str, ...]
    kwargs: Mapping[str, str]


def _is_shown(case: CallCase, known: Iterable[GivenArguments]) -> bool:
    """Whether the tests call with these very arguments, by place and by name."""
    kwargs = {name: _written(value) for name, value in case.kwargs.items()}
    return GivenArguments(tuple(map(_written, case.args)), kwargs) in known


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _inputs(tests: Mapping[str, str]) -> dict[str, list[GivenArguments]]:
    """What the tests call with which written-out arguments: last part of the name → inputs."""
    found: dict[str, list[GivenArguments]] = {}
    for text in tests.values():
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if given := _literal(node):
                    found.setdefault(name, []).append(given)
    return found


def _literal(call: ast.Call) -> GivenArguments | None:
    """The arguments of a call; None when there are none, or one that is not written out."""
    if not (call.args or call.keywords) or any(each.arg is None for each in call.keywords):
        return None
    try:
        args = tuple(_written(ast.literal_eval(argument)) for argument in call.args)
        kwargs = {str(each.arg): _written(ast.literal_eval(each.value)) for each in call.keywords}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return GivenArguments(args, kwargs)
