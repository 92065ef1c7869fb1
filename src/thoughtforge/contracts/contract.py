"""A contract: the schema and the rules an artifact must meet, loaded from one YAML file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from thoughtforge.contracts.formats import faults
from thoughtforge.contracts.lines import Flaw, Parsed, read, user_error
from thoughtforge.contracts.rules import OLDER, RULES
from thoughtforge.contracts.shorthand import is_plain, normalise
from thoughtforge.kernel.model import JsonObject

NAME = re.compile(r"[a-z][a-z0-9_]*")
VERSION = re.compile(r"[0-9]+\.[0-9]+")
KEYS = ("contract", "version", "description", "schema", "rules")


class Contract(NamedTuple):
    """What one kind of artifact must look like."""

    name: str
    version: str
    description: str
    schema: JsonObject
    """JSON Schema 2020-12, shorthand resolved, objects closed; also what a provider is asked to keep to."""
    rules: tuple[str, ...]
    """Names in contracts/rules.py, in the order they are checked."""
    source: str


@cache  # a role or pipeline is held against the same contract as the one before
def load(text: str, *, source: str, ours: bool = False) -> Contract:
    """The contract in a YAML file. Raises one UserError that lists everything wrong with the file, line by line.

    `ours` are the built-in ones: they are proved by the tests, and proving them takes longer than a command does.
    """
    parsed = read(text, source=source)
    flaws = [*parsed.flaws, *(() if ours else _flaws(parsed))]
    if flaws:
        raise user_error(source, flaws, do=f"Correct the contract; its keys are {', '.join(KEYS)}.")
    data = parsed.data
    return Contract(
        name=data["contract"],
        version=data["version"],
        description=data["description"].strip(),
        schema=normalise(data["schema"]),
        rules=tuple(data.get("rules") or ()),
        source=source,
    )


def _flaws(parsed: Parsed) -> Iterator[Flaw]:
    data = parsed.data
    if not isinstance(data, dict):
        if not parsed.flaws:
            yield Flaw(1, f"a contract is a mapping with the keys {', '.join(KEYS)}")
        return
    for key in [key for key in data if key not in KEYS]:
        yield Flaw(parsed.line((key,)), f"{key} is not a key of a contract; the keys are {', '.join(KEYS)}")
    yield from (Flaw(parsed.line((key,)), what) for key, what in _heading(data))
    yield from _rule_flaws(data.get("rules"), parsed)
    yield from _schema_flaws(data.get("schema"), parsed)


def _heading(data: JsonObject) -> Iterator[tuple[str, str]]:
    if not _matches(NAME, data.get("contract")):
        yield "contract", "contract must be a name of lower-case letters, digits and _"
    if not _matches(VERSION, data.get("version")):
        yield "version", 'version must be text like "1.0", in quotes'
    description = data.get("description")
    if not isinstance(description, str) or not description.strip():
        yield "description", "description must describe the artifact in words"


def _matches(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _rule_flaws(rules: Any, parsed: Parsed) -> Iterator[Flaw]:
    if rules is None:
        return
    if not isinstance(rules, list):
        yield Flaw(parsed.line(("rules",)), "rules must be a list of rule names")
        return
    for number, rule in enumerate(rules):
        if not isinstance(rule, str) or rule not in RULES | OLDER:
            yield Flaw(parsed.line(("rules", number)), f"there is no rule {rule}; the rules are {', '.join(RULES)}")
        elif rule in rules[:number]:
            yield Flaw(parsed.line(("rules", number)), f"the rule {rule} is listed twice")


def _schema_flaws(schema: Any, parsed: Parsed) -> Iterator[Flaw]:
    if not isinstance(schema, dict) or not schema:
        yield Flaw(parsed.line(("schema",)), "schema must be a mapping of property names, or a JSON Schema")
        return
    normal = normalise(schema)
    found = {}
    for path, what in faults(schema, normal):
        found[path] = Flaw(parsed.line(("schema", *path)), f"{_at(path)}{what}")
    for path, what in _invalid(normal):
        written = path if is_plain(schema) else path[1:]
        found.setdefault(written, Flaw(parsed.line(("schema", *written)), f"{_at(written)}{what}"))
    yield from found.values()


def _invalid(schema: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What JSON Schema's own schema says about it, bad patterns included."""
    from jsonschema import Draft202012Validator

    judge = Draft202012Validator(Draft202012Validator.META_SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
    for error in judge.iter_errors(schema):
        yield tuple(error.absolute_path), error.message


def _at(path: tuple[str | int, ...]) -> str:
    return "".join(f"{step}: " for step in path[-1:])
