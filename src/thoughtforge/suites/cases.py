"""Held-back cases: data that says what to do with the code and what must come out. Never test code.

Values JSON does not have are written as an object with the key `$`: `{"$": "tuple", "items": [1, 2]}`,
`{"$": "decimal", "value": "1.50"}`; in inputs also `{"$": "new", "target": "pkg.shelf:Shelf", "args": []}` for an
object to build and `{"$": "name", "target": "pkg.shelf:Color.RED"}` for something that has a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


class Read(NamedTuple):
    """Cases as data, read; with every problem found."""

    cases: tuple[AnyCase, ...]
    problems: tuple[str, ...]


def read_cases(data: Iterable[Mapping[str, Any]]) -> Read:
    """Cases from plain data."""
    adapter: TypeAdapter[AnyCase] = TypeAdapter(Case)
    cases, problems = [], []
    for number, item in enumerate(data, start=1):
        try:
            cases.append(adapter.validate_python(item))
        except ValidationError as error:
            for each in error.errors():
                place = ".".join(str(part) for part in each["loc"][1:])
                problems.append(f"case {number}{': ' + place if place else ''}: {each['msg']}")
    return Read(tuple(cases), tuple(problems))
