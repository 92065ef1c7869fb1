"""Writes the generated parts of docs/ from the code. With --check it only says which are out of date (exit 1)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

from docs_commands import commands
from docs_events import events, values
from docs_fields import bounds, default, fields, keys, kind, table

from thoughtforge.catalog import LIBRARY, extension, extension_names
from thoughtforge.contracts.context import SARIF_LEVELS, WORDS
from thoughtforge.contracts.published import schema_of
from thoughtforge.definitions.drivers import driver
from thoughtforge.gate.active import known_checks
from thoughtforge.gate.conformance import CommandCheck, ConformanceFile
from thoughtforge.gate.context import Check
from thoughtforge.kernel.stops import STOPS, TaskStatus
from thoughtforge.polish.profile import built_in
from thoughtforge.rooms import load_rooms
from thoughtforge.settings.config import Config
from thoughtforge.settings.trust_table import TABLE
from thoughtforge.testing.language import runner
from thoughtforge.views.next_actions import actions_in, sentence
from thoughtforge.views.next_actions import stops as table_of_stops

SEED_WORDS: dict[str, TaskStatus] = {
    "pending": TaskStatus.pending,
    "in_progress": TaskStatus.running,
    "escalated": TaskStatus.needs_person,
    "failed": TaskStatus.halted,
    "completed": TaskStatus.done,
}
"""Older words for states."""
DOCS = Path(__file__).parent.parent / "docs"


def config_keys() -> Iterator[str]:
    """Every key of config.yaml, with its path."""
    return keys(schema_of(Config))


def trust_keys() -> Iterator[str]:
    """The keys that take effect only with a person's trust, in a repository's file."""
    return table(("key", "why"), ((f"`{key}`", row.why) for key, row in TABLE.items() if row.needs_trust))


def options(package: str, heading: str = "`kind: {name}`") -> Callable[[], Iterator[str]]:
    """The options of every extension of a kind."""

    def parts() -> Iterator[str]:
        for name in _ours(package):
            module = extension(package, name)
            yield f"### {heading.format(name=name)}\n"
            yield f"{(module.__doc__ or '').splitlines()[0]}\n"
            yield from keys(schema_of(module.Options))
            yield ""

    return parts


def extensions(package: str) -> Callable[[], Iterator[str]]:
    """The files of one extension folder with what they say of themselves."""

    def rows() -> Iterator[str]:
        modules = {name: extension(package, name) for name in extension_names(package)}
        ours = {name: module for name, module in modules.items() if module.__name__.startswith("thoughtforge.")}
        return table(("name", "what it does"), ((f"`{n}`", (m.__doc__ or "").splitlines()[0]) for n, m in ours.items()))

    return rows


def checks() -> Iterator[str]:
    """Every check of the gate: its name as in conformance/, when it runs, and whether it needs configuring."""
    rows = [
        (
            f"`{name}`",
            check.CATEGORY,
            check.MOMENT.replace("_", " "),
            "yes" if check.ACTIVE else "no",
            check.DESCRIPTION,
        )
        for name, check in sorted(_our_checks().items(), key=lambda one: (one[1].CATEGORY, one[0]))
    ]
    return table(("name", "category", "when", "on by itself", "what it holds to"), rows)


def conformance_keys() -> Iterator[str]:
    """Every key of a conformance file, and of the commands in it."""
    yield from keys(schema_of(ConformanceFile))
    yield "\nEach of `commands`:\n"
    yield from fields(schema_of(CommandCheck))


def check_options() -> Iterator[str]:
    """What a conformance file may set for each check."""
    rows = []
    for name, check in sorted(_our_checks().items()):
        schema = schema_of(check.Options)
        for key, field in schema.get("properties", {}).items():
            words = kind(field), default(key, field, schema), field.get("description", "")
            rows.append((f"`{name}`", f"`{key}`", *words))
    return table(("check", "option", "type", "default", "what it does"), rows)


def driver_options() -> Iterator[str]:
    """What a stage in a pipeline file may set for each driver."""
    rows = []
    for name in _ours("drivers"):
        schema = schema_of(driver(name).options)
        for key, field in schema.get("properties", {}).items():
            words = kind(field), default(key, field, schema), field.get("description", "")
            rows.append((f"`{name}`", f"`{key}`", *words))
    return table(("driver", "option", "type", "default", "what it does"), rows)


def runners() -> Iterator[str]:
    """Every runner, the preferred one first."""
    rows = []
    for folder in _ours("languages"):
        for name in _ours(f"languages.{folder}.runners"):
            one = runner(name)
            rows.append((one.RANK, f"`{name}`", f"`{folder}`", one.DESCRIPTION))
    return table(("name", "language", "what it runs"), (row[1:] for row in sorted(rows)))


def languages() -> Iterator[str]:
    """Every language, and which proofs the engine can make for it."""
    rows = []
    for name in _ours("languages"):
        one = extension("languages", name).LANGUAGE
        has = [name.replace("_", " ") for name, proof in one.proofs._asdict().items() if proof]
        endings = ", ".join(f"`{ending}`" for ending in one.endings)
        rows.append((f"`{name}`", one.title, endings, ", ".join(has) or "none of its own"))
    return table(("name", "language", "files", "proofs"), rows)


def guard_parameters() -> Iterator[str]:
    """The numbers of every guard, and what a profile may let it do."""
    rows = []
    for name in _ours("polish.guards"):
        guard = extension("polish.guards", name)
        schema = schema_of(guard.Options)
        for key, field in schema.get("properties", {}).items():
            words = kind(field) + bounds(field), default(key, field, schema), field.get("description", "")
            rows.append((f"`{name}`", f"`{key}`", *words))
    return table(("guard", "parameter", "type", "default", "what it is"), rows)


def profiles() -> Iterator[str]:
    """The guards of every built-in profile, in order."""
    for path in sorted((LIBRARY / "guards").glob("*.yaml")):
        profile = built_in(path.stem)
        yield f"### `{profile.name}`\n"
        yield f"{profile.description}\n"
        rows = [(f"`{one.name}`", f"`{one.action}`", _numbers(one.parameters)) for one in profile.watches]
        yield from table(("guard", "action", "parameters"), rows)
        yield ""


def _numbers(parameters: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {str(value).lower()}" for key, value in parameters.items())


def _our_checks() -> dict[str, Check]:
    """The checks that come with this program."""
    return {name: check for name, check in known_checks().items() if _module(check).startswith("thoughtforge.")}


def _module(check: Check) -> str:
    return check.__name__ if isinstance(check, ModuleType) else type(check).__module__


def _ours(package: str) -> list[str]:
    """The names of what comes with this program, without entry points of other distributions on this machine."""
    names = extension_names(package)
    return [name for name in names if extension(package, name).__name__.startswith("thoughtforge.")]


def stops() -> Iterator[str]:
    """Every reason a task rests for."""
    rows = [
        (
            f"`{reason}`",
            f"`{STOPS[reason].status}`",
            str(STOPS[reason].exit_code),
            sentence(actions_in(row["next"], task="TASK")) or "",
        )
        for reason, row in table_of_stops()["stops"].items()
    ]
    return table(("reason", "state", "exit code", "what you can do"), rows)


def seed_words() -> Iterator[str]:
    """Older words for states."""
    return table(("older word", "state"), ((f"`{word}`", f"`{state}`") for word, state in SEED_WORDS.items()))


def severities() -> Iterator[str]:
    """Where every word for severity lands."""
    words = {
        level: ", ".join(f"`{w}`" for w, s in WORDS.items() if s is level and w != level) for level in SARIF_LEVELS
    }
    rows = [(f"`{level}`", words[level], f"`{SARIF_LEVELS[level]}`") for level in SARIF_LEVELS]
    return table(("severity", "words read as it", "written to SARIF as"), rows)


PARTS: dict[str, dict[str, Callable[[], Iterator[str]]]] = {
    "config.md": {
        "trust": trust_keys,
        "keys": config_keys,
        "providers": options("providers"),
        "connectors": options("connectors", "`connectors.{name}`"),
        "notifiers": options("notifiers"),
    },
    "commands.md": {"commands": commands},
    "events.md": {"events": events, "values": values},
    "states.md": {"stops": stops, "seed words": seed_words, "severities": severities},
    "extend.md": {
        "providers": extensions("providers"),
        "tools": extensions("tools"),
        "drivers": extensions("drivers"),
        "driver options": driver_options,
        "checks": checks,
        "conformance keys": conformance_keys,
        "check options": check_options,
        "languages": languages,
        "runners": runners,
        "guards": extensions("polish.guards"),
        "connectors": extensions("connectors"),
        "notifiers": extensions("notifiers"),
    },
    "guards.md": {"parameters": guard_parameters, "profiles": profiles},
}
"""File → the parts of it that are made here, between `<!-- generated: NAME -->` and `<!-- end -->`."""


def written(text: str, name: str, lines: Iterable[str]) -> str:
    """`text` with the part of that name made anew."""
    begin, end = f"<!-- generated: {name} -->", "<!-- end -->"
    pattern = re.compile(rf"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    body = "\n".join(lines).strip()
    found = pattern.search(text)
    if found is None:
        raise SystemExit(f"there is no part {name!r} to fill")
    return f"{text[: found.start()]}{begin}\n{body}\n{end}{text[found.end() :]}"


def main() -> int:
    """Write every part, or with --check name the files that would change."""
    load_rooms()
    stale = []
    for name, parts in PARTS.items():
        path = DOCS / name
        before = text = path.read_text(encoding="utf-8")
        for part, make in parts.items():
            text = written(text, part, make())
        if text != before:
            stale.append(f"docs/{name}")
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    word = "out of date, run: make docs" if "--check" in sys.argv else "written"
    sys.stdout.write("".join(f"{name}: {word}\n" for name in stale))
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
