"""A definition with its overrides: what it inherits, what it replaces, and that it widens no limit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from thoughtforge.catalog import Catalog, DataFile
from thoughtforge.contracts.lines import Parsed, parse
from thoughtforge.contracts.rules_definitions import one_form
from thoughtforge.contracts.shorthand import place
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Digest, Problem

_STEP = re.compile(r"""\.?(?P<key>[A-Za-z_][A-Za-z0-9_-]*)|\[(?P<number>\d+)\]|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]""")


class DataSource(NamedTuple):
    """One file a definition is made of."""

    path: str
    digest: Digest
    layer: str
    parsed: Parsed

    @property
    def data(self) -> dict[str, Any]:
        """The file as a mapping; a file that is none is refused by its contract, so it counts as empty here."""
        return self.parsed.data if isinstance(self.parsed.data, dict) else {}

    def depth(self, path: Sequence[str | int]) -> int:
        """How many steps of `path` this file has."""
        here: Any = self.parsed.data
        for number, step in enumerate(path):
            inside = (isinstance(here, dict) and step in here) or (
                isinstance(here, list) and isinstance(step, int) and step < len(here)
            )
            if not inside:
                return number
            here = here[step]
        return len(path)


def read(text: str, *, path: str, digest: Digest, layer: str) -> DataSource:
    """The file with its lines. Raises a UserError when it is not YAML."""
    return DataSource(path, digest, layer, parse(text, source=path))


def located(problems: Iterable[Problem], sources: Sequence[DataSource]) -> tuple[Problem, ...]:
    """The problems with file and line; a value stands where the most special file that has it says so."""
    return tuple(_locate(problem, sources) for problem in problems)


def refusal(what: str, problems: Sequence[Problem], *, do: str) -> UserError:
    """One error for all problems, each on its own line."""
    return UserError(what, do=do, details=tuple(f"{problem.where}: {problem.what}" for problem in problems))


def steps(where: str) -> tuple[str | int, ...]:
    """The keys and numbers of a place such as `stages[2].role`; the whole file is the empty path."""
    found: list[str | int] = []
    for match in _STEP.finditer("" if where.startswith("(") else where):
        if match["number"]:
            found.append(int(match["number"]))
        else:
            found.append(match["key"] or json.loads(match["quoted"]))
    return tuple(found)


def _locate(problem: Problem, sources: Sequence[DataSource]) -> Problem:
    path = steps(problem.where)
    source = max(sources, key=lambda source: source.depth(path))
    return problem.model_copy(update={"where": f"{source.path}:{source.parsed.line(path)}: {problem.where}"})


ENGINE = "thoughtforge:"
BUILT_IN = "built-in"
ROLES = "roles"

TOOLS = "capabilities.tools"
OUTPUT = "capabilities.output"


def chain(catalog: Catalog, name: str) -> tuple[DataSource, ...]:
    """The file of a role and the files it extends, the most special first."""
    file: DataFile | None = catalog.find(ROLES, name)
    found: list[DataSource] = []
    seen: set[tuple[str, str]] = set()
    while file is not None:
        seen.add((file.layer, file.name))
        found.append(source_of(file))
        file = _extended(catalog, file, found[-1])
        if file is not None and (file.layer, file.name) in seen:
            raise _bad_extends(found[-1], "is a file that extends this one", "let it name a built-in role")
    return tuple(found)


def built_in(catalog: Catalog, name: str) -> DataFile | None:
    """The engine's own file of that role, whatever lies over it."""
    return next((file for file in catalog.all(ROLES, name) if file.layer == BUILT_IN), None)


def source_of(file: DataFile) -> DataSource:
    """A catalog's file with its lines."""
    return read(file.text, path=str(file.path), digest=file.digest, layer=file.layer)


def merged(sources: Iterable[DataSource]) -> dict[str, Any]:
    """The definition the files make together: unset fields are inherited, lists replace, maps merge."""
    whole: dict[str, Any] = {}
    for source in reversed(tuple(sources)):
        whole = _over(whole, one_form(source.data))
    whole.pop("extends", None)
    return whole


def widened(definition: dict[str, Any], engine: dict[str, Any]) -> Iterator[Problem]:
    """Every place where a definition allows more than the built-in role it overrides."""
    yield from _tools(_at(definition, TOOLS), _at(engine, TOOLS))
    yield from _paths(_at(definition, f"{TOOLS}.path_constraints"), _at(engine, f"{TOOLS}.path_constraints"))
    wanted = _at(engine, OUTPUT).get("contract")
    if _at(definition, OUTPUT).get("contract") != wanted:
        yield _wide(f"{OUTPUT}.contract", f"an override cannot change the output contract; put {wanted} back")
    yield from _checks(_at(definition, f"{OUTPUT}.must_verify"), _at(engine, f"{OUTPUT}.must_verify"))


def _tools(own: dict[str, Any], engine: dict[str, Any]) -> Iterator[Problem]:
    never = _names(engine.get("forbidden"))
    for tool in never:
        if tool not in _names(own.get("forbidden")):
            what = f"the built-in role forbids {tool}, so an override cannot remove it from the list; add it again"
            yield _wide(f"{TOOLS}.forbidden", what)
    for number, tool in enumerate(_names(own.get("allowed"))):
        if tool in never:
            what = f"the built-in role forbids {tool}, so an override cannot allow it; remove it"
            yield _wide(f"{TOOLS}.allowed[{number}]", what)


def _paths(own: dict[str, Any], engine: dict[str, Any]) -> Iterator[Problem]:
    for tool, limit in engine.items():
        wanted, given = _parts(limit), _parts(own.get(tool))
        if not wanted <= given or any(not part.startswith("!") for part in given - wanted):
            what = f'the built-in limit is "{limit}"; keep it whole, and add only parts that begin with "!"'
            yield _wide(place(f"{TOOLS}.path_constraints", tool), what)


def _checks(own: dict[str, Any], engine: dict[str, Any]) -> Iterator[Problem]:
    for key, wanted in engine.items():
        if own.get(key) is None:
            what = f"an override cannot drop the check {key}; put {_shown(wanted)} back"
        elif not _as_strict(own[key], wanted):
            what = f"an override cannot lower a check; {key} must be at least {_shown(wanted)}"
        else:
            continue
        yield _wide(place(f"{OUTPUT}.must_verify", key), what)


def _as_strict(own: object, wanted: object) -> bool:
    if own == wanted and type(own) is type(wanted):
        return True
    if isinstance(own, bool) or isinstance(wanted, bool):
        return wanted is False and own is True
    levels = _level(own), _level(wanted)
    return levels[0] is not None and levels[1] is not None and levels[0] >= levels[1]


def _level(value: object) -> float | None:
    """A number, or a percentage written as text; anything else cannot be compared."""
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(str(value).strip().removesuffix("%"))
    except ValueError:
        return None


def _extended(catalog: Catalog, file: DataFile, source: DataSource) -> DataFile | None:
    wanted = source.data.get("extends")
    if wanted is None:
        return None
    if not isinstance(wanted, str):
        raise _bad_extends(source, "must be text", f"name one of {', '.join(catalog.names(ROLES))}")
    if wanted.startswith(ENGINE):
        found = built_in(catalog, wanted.removeprefix(ENGINE))
    else:
        below = list(catalog.all(ROLES, wanted))
        # a file that extends its own name means the one it lies over
        found = next(iter(below[below.index(file) + 1 :] if file in below else below), None)
    if found is None:
        known = ", ".join(catalog.names(ROLES))
        raise _bad_extends(source, f'names "{wanted}", which does not exist', f"name one of {known}")
    return found


def _bad_extends(source: DataSource, what: str, do: str) -> UserError:
    text = f"{source.path}:{source.parsed.line(('extends',))}: extends: {what}"
    return UserError(text, do=do, details=(f"{text}; {do}",))


def _over(under: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    whole = dict(under)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(under.get(key), dict)
        whole[key] = _over(under[key], value) if both else value
    return whole


def _at(definition: dict[str, Any], path: str) -> dict[str, Any]:
    here: Any = definition
    for step in path.split("."):
        here = here.get(step) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else {}


def _names(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _parts(constraint: object) -> frozenset[str]:
    return frozenset(part.strip() for part in str(constraint or "").split(",") if part.strip())


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _wide(where: str, what: str) -> Problem:
    return Problem(where=where, what=what, rule="widens")
