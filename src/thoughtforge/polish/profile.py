"""A profile, one data file: which guards watch a polish loop, in which order, with which numbers and actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol, cast

from pydantic import ValidationError

from thoughtforge.catalog import Catalog, DataFile, Extensions
from thoughtforge.contracts.lines import Flaw, Parsed, read, user_error
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History
from thoughtforge.settings.config import Polish

KEYS = ("description", "set_aside", "guards")
GUARD_KEYS = ("guard", "action", "parameters")
SETTING = "polish."
"""A parameter that begins so is a key of config.yaml."""
LAST_RESORT = "max_iterations"


class Guard(Protocol):
    """What a file in polish/guards/ offers."""

    __doc__: str | None
    ACTIONS: tuple[Action, ...]
    """What a profile may let it do."""
    Options: type[Value]

    def look(self, history: History, parameters: Any) -> GuardHit | None:
        """A hit when the guard's condition holds after the last review of the history."""


class Watch(NamedTuple):
    """One guard as a profile names it."""

    name: str
    action: Action
    parameters: Mapping[str, Any]


class Profile(NamedTuple):
    """The guards in the order they are asked."""

    name: str
    description: str
    set_aside: bool
    """Findings at places that do not exist do not count; a critical one bars success all the same."""
    watches: tuple[Watch, ...]


class Bound(NamedTuple):
    """A guard with its numbers, ready to look."""

    name: str
    action: Action
    guard: Guard
    parameters: Value

    def look(self, history: History) -> GuardHit | None:
        """Ask it."""
        return self.guard.look(history, self.parameters)


class Panel(NamedTuple):
    """The guards of a profile, ready to be asked."""

    set_aside: bool
    guards: tuple[Bound, ...]


def guards() -> Mapping[str, Guard]:
    """Every guard there is, by name."""
    return cast("Mapping[str, Guard]", Extensions("polish.guards"))


def built_in(name: str) -> Profile:
    """A profile that comes with the program."""
    return find(Catalog(project={}, user=None), name)


def find(catalog: Catalog, name: str) -> Profile:
    """The effective profile: the project's, the person's own or a built-in one."""
    if not catalog.all("guards", name):
        raise UserError(f"there is no profile {name!r}", do=f"Known: {', '.join(catalog.names('guards'))}")
    return load(catalog.find("guards", name))


def load(file: DataFile) -> Profile:
    """The profile in a file. Raises one UserError that lists everything wrong with it, line by line."""
    parsed = read(file.text, source=file.path)
    flaws = [*parsed.flaws, *([] if parsed.flaws else _flaws(parsed))]
    if flaws:
        raise user_error(
            file.path, flaws, do="Correct the profile; docs/guards.md lists guards, parameters and actions."
        )
    data = parsed.data
    rows = [Watch(row["guard"], row["action"], row.get("parameters") or {}) for row in data["guards"]]
    return Profile(file.name, data["description"].strip(), bool(data.get("set_aside", True)), tuple(rows))


def bind(profile: Profile, settings: Polish) -> Panel:
    """The guards with their numbers, those of config.yaml filled in."""
    known = guards()
    bound = tuple(_bound(profile.name, known, watch, settings) for watch in profile.watches)
    return Panel(profile.set_aside, bound)


def _bound(profile: str, known: Mapping[str, Guard], watch: Watch, settings: Polish) -> Bound:
    guard = known[watch.name]
    try:
        parameters = guard.Options.model_validate(filled(watch.parameters, settings), strict=True)
    except ValidationError as error:
        details = tuple(f"{watch.name}: {what}" for _, what in _wrong_values(error))
        raise UserError(
            f"the profile {profile} does not fit the configuration",
            do="Correct polish: in config.yaml, or the parameters of the profile.",
            details=details,
        ) from error
    return Bound(watch.name, watch.action, guard, parameters)


def filled(parameters: Mapping[str, Any], settings: Polish) -> dict[str, Any]:
    """The parameters with every `polish.KEY` replaced by what config.yaml says."""
    return {key: getattr(settings, _setting(value)) if _setting(value) else value for key, value in parameters.items()}


def _setting(value: Any) -> str:
    return value.removeprefix(SETTING) if isinstance(value, str) and value.startswith(SETTING) else ""


def _flaws(parsed: Parsed) -> Iterator[Flaw]:
    data = parsed.data
    if not isinstance(data, dict):
        yield Flaw(1, f"a profile is a mapping with the keys {', '.join(KEYS)}")
        return
    for key in [key for key in data if key not in KEYS]:
        yield Flaw(parsed.line((key,)), f"{key} is not a key of a profile; the keys are {', '.join(KEYS)}")
    if not isinstance(data.get("description"), str) or not data["description"].strip():
        yield Flaw(parsed.line(("description",)), "description must describe the purpose of the profile in words")
    if not isinstance(data.get("set_aside", True), bool):
        yield Flaw(parsed.line(("set_aside",)), "set_aside must be true or false")
    rows = data.get("guards")
    if not isinstance(rows, list) or not rows:
        yield Flaw(parsed.line(("guards",)), "guards must be a list of guards, in the order they run")
        return
    for number, row in enumerate(rows):
        yield from _row_flaws(parsed, number, row)
    names = [row.get("guard") for row in rows if isinstance(row, dict)]
    for number, name in enumerate(names):
        if isinstance(name, str) and name in names[:number]:
            yield Flaw(parsed.line(("guards", number)), f"the guard {name} is listed twice")
    if LAST_RESORT not in names:
        yield Flaw(parsed.line(("guards",)), f"{LAST_RESORT} is missing; without it a loop may never end")


def _row_flaws(parsed: Parsed, number: int, row: Any) -> Iterator[Flaw]:
    here = ("guards", number)
    if not isinstance(row, dict):
        yield Flaw(parsed.line(here), f"a guard is a mapping with the keys {', '.join(GUARD_KEYS)}")
        return
    for key in [key for key in row if key not in GUARD_KEYS]:
        yield Flaw(parsed.line((*here, key)), f"{key} is not a key of a guard; the keys are {', '.join(GUARD_KEYS)}")
    known, name = guards(), row.get("guard")
    if not isinstance(name, str) or name not in known:
        yield Flaw(parsed.line((*here, "guard")), f"there is no guard {name}; the guards are {', '.join(known)}")
        return
    guard = known[name]
    if row.get("action") not in guard.ACTIONS:
        told = f"{row.get('action')} is not an action of {name}; its actions are {', '.join(guard.ACTIONS)}"
        yield Flaw(parsed.line((*here, "action")), told)
    for key, what in _parameter_flaws(guard, row.get("parameters")):
        yield Flaw(parsed.line((*here, "parameters", *key)), f"{name}: {what}")


def _parameter_flaws(guard: Guard, given: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    if not isinstance(given or {}, dict):
        yield (), "parameters must be keys and values"
        return
    names = {key: _setting(value) for key, value in (given or {}).items()}
    unknown = [key for key, name in names.items() if name and name not in Polish.model_fields]
    for key in unknown:
        yield (key,), f"{key}: there is no setting {SETTING}{names[key]}"
    usable = {key: value for key, value in (given or {}).items() if key not in unknown}
    try:
        guard.Options.model_validate(filled(usable, Polish()), strict=True)
    except ValidationError as error:
        yield from _wrong_values(error, tuple(guard.Options.model_fields))


def _wrong_values(error: ValidationError, known: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    for item in error.errors():
        key = str(item["loc"][0]) if item["loc"] else ""
        if item["type"] == "extra_forbidden":
            yield (key,), f"there is no parameter {key}; the parameters are {', '.join(known)}"
        else:
            message = item["msg"].replace("Input should be", "expected")
            yield (key,), f"{key}: {message[:1].lower()}{message[1:]}, got {item['input']!r}"
