"""YAML whose every value knows its line, so that a mistake in a data file can be shown where it is.

Plain words are read the way JSON would mean them: `yes`, `on` and `10:15` stay text, a date stays text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from thoughtforge.kernel.errors import UserError

MAX_DEPTH = 100
MAX_VALUES = 200_000
"""Aliases can unfold a small file into a huge one."""

TAG = "tag:yaml.org,2002:"
NESTING_MARKS = "[{-?:"

Path = tuple[str | int, ...]


class Flaw(NamedTuple):
    """One thing wrong with a file."""

    line: int
    what: str


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The C parser with the resolvers below instead of those of YAML 1.1."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


# The digits are bounded because Python refuses to read very long ones.
Loader.add_implicit_resolver(f"{TAG}bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
Loader.add_implicit_resolver(f"{TAG}null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
Loader.add_implicit_resolver(f"{TAG}int", re.compile(r"^[-+]?(?:0|[1-9][0-9]{0,300})$"), list("-+0123456789"))
Loader.add_implicit_resolver(
    f"{TAG}float",
    re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]{1,3})?$"),
    list("-+.0123456789"),
)


class Parsed(NamedTuple):
    """A parsed file: the data and where each part of it stands."""

    data: Any
    source: str
    root: Node | None = None
    flaws: tuple[Flaw, ...] = ()

    def line(self, path: Path) -> int:
        """The line of the value at `path`; of the nearest thing around it when the value is not there."""
        node, line = self.root, 1
        for step in path:
            entry = _entry(node, step)
            if entry is None:
                break
            line, node = entry
        return line


def parse(text: str, *, source: str) -> Parsed:
    """The data of a YAML file. Raises a UserError that lists everything wrong with the file as YAML."""
    parsed = read(text, source=source)
    if parsed.flaws:
        raise user_error(source, parsed.flaws, do="Correct the file; it must be plain YAML without repeated keys.")
    return parsed


def read(text: str, *, source: str) -> Parsed:
    """As `parse`, but what is wrong is handed back in `flaws` for a caller who has more to add."""
    try:
        deep = _too_deep(text)
        root = None if deep else yaml.compose(text, Loader=Loader)
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        return Parsed(None, source, flaws=(_syntax(error, text),))
    if deep:
        return Parsed(None, source, flaws=(deep,))
    builder = _Builder()
    data = None if root is None else builder.value(root, ())
    return Parsed(data, source, root, tuple(dict.fromkeys(builder.flaws)))


def user_error(source: str, flaws: Iterable[Flaw], *, do: str) -> UserError:
    """One error for all flaws of a file, in the order of its lines."""
    details = tuple(f"{source}:{flaw.line}: {flaw.what}" for flaw in sorted(flaws, key=lambda flaw: flaw.line))
    what = details[0] if len(details) == 1 else f"{source} has {len(details)} problems"
    return UserError(what, do=do, details=details)


class _Builder:
    """Turns nodes into values and collects what is wrong on the way."""

    def __init__(self) -> None:
        self.flaws: list[Flaw] = []
        self.count = 0

    def value(self, node: Node, around: tuple[int, ...]) -> Any:
        self.count += 1
        if id(node) in around or self.count > MAX_VALUES or len(around) > MAX_DEPTH:
            self.flaw(node, "an alias expands without end; write the value out")
            return None
        if isinstance(node, MappingNode) and node.tag == f"{TAG}map":
            return self.mapping(node, (*around, id(node)))
        if isinstance(node, SequenceNode) and node.tag == f"{TAG}seq":
            return [self.value(item, (*around, id(node))) for item in node.value]
        return self.scalar(node)

    def mapping(self, node: MappingNode, around: tuple[int, ...]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, item in node.value:
            if not isinstance(key, ScalarNode) or key.tag != f"{TAG}str":
                self.flaw(key, f"a key must be text; put {getattr(key, 'value', 'it')!s} in quotes")
                continue
            if key.value in data:
                self.flaw(key, f"the key {key.value} appears twice")
            data[key.value] = self.value(item, around)
        return data

    def scalar(self, node: Node) -> Any:
        try:
            return SCALARS[node.tag](node.value)
        except (KeyError, ValueError):
            self.flaw(node, f"cannot read {node.value!s:.40} as {node.tag.removeprefix(TAG)}")
            return None

    def flaw(self, node: Node, what: str) -> None:
        self.flaws.append(Flaw(node.start_mark.line + 1, what))


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")) or number != number:
        raise ValueError(text)
    return number


SCALARS: dict[str, Callable[[str], Any]] = {
    f"{TAG}str": str,
    f"{TAG}int": int,
    f"{TAG}float": _finite,
    f"{TAG}bool": lambda word: word.lower() == "true",
    f"{TAG}null": lambda _: None,
}


def _entry(node: Node | None, step: Hashable) -> tuple[int, Node] | None:
    """The line and node of one entry; an entry of a mapping stands where its key stands."""
    if isinstance(node, MappingNode):
        for key, item in reversed(node.value):  # of two equal keys the last one gives the value
            if key.value == step:
                return key.start_mark.line + 1, item
    elif isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        return node.value[step].start_mark.line + 1, node.value[step]
    return None


def _too_deep(text: str) -> Flaw | None:
    """The C composer recurses without a limit and takes the process down, so depth is counted on events first."""
    if sum(text.count(mark) for mark in NESTING_MARKS) <= 20 * MAX_DEPTH:
        return None
    depth = 0
    for event in yaml.parse(text, Loader=Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            line = event.start_mark.line + 1 if event.start_mark else 1
            return Flaw(line, f"nested deeper than {MAX_DEPTH} levels")
    return None


def _syntax(error: yaml.YAMLError | UnicodeEncodeError, text: str) -> Flaw:
    mark, start = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    last = text.rstrip().count("\n") + 1  # an unclosed bracket is noticed behind the end
    line = 1 if mark is None else min(mark.line + 1, last)
    if start is not None and start.line + 1 < line:
        what = f"{getattr(error, 'context', '')} that begins on line {start.line + 1}, {what}"
    return Flaw(line, f"not valid YAML: {what}")
