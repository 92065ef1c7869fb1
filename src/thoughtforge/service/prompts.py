"""The words agents are given: list them, change them, take a change back.

A change goes into the person's own folder, where every task without an override of its repository finds it at its next
call. A repository's override is written into its home and counts once it is committed, as every override does.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from thoughtforge.catalog import KINDS, Catalog, DataFile
from thoughtforge.kernel.errors import Mistake
from thoughtforge.store.whole_file import write_whole

NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}")


class Changed(NamedTuple):
    """Where a change went, and when it counts."""

    path: Path
    note: str


def listed(catalog: Catalog) -> tuple[DataFile, ...]:
    """Every prompt in force."""
    return tuple(catalog.find("prompts", name) for name in catalog.names("prompts"))


def place(name: str, folder: Path) -> Path:
    """The file of a prompt in the person's own folder, or in a repository's home."""
    if not NAME.fullmatch(name):
        raise Mistake(f"{name!r} is no name for a prompt", do="Use lower-case letters, digits, - and _.")
    return folder / "prompts" / f"{name}{KINDS['prompts']}"


def check(name: str, text: str, catalog: Catalog) -> None:
    """Refuse what could not be rendered later: broken marks, and variables nobody gives to this prompt."""
    from jinja2 import TemplateSyntaxError, meta
    from jinja2.sandbox import SandboxedEnvironment

    jinja = SandboxedEnvironment()
    if not text.strip():
        raise Mistake(f"the prompt {name} would be empty", do=f"Take a change back: thoughtforge prompts reset {name}")
    try:
        used = meta.find_undeclared_variables(jinja.parse(text))
    except TemplateSyntaxError as error:
        where = f"{name}, line {error.lineno}"
        raise Mistake(f"{where}: {error.message}", do="Correct that line; nothing was saved.") from error
    given = [file for file in catalog.all("prompts", name) if file.layer == "built-in"]
    if not given:
        return  # a prompt of the person's own: only whoever renders it knows what it is given
    known = meta.find_undeclared_variables(jinja.parse(given[0].text))
    unknown = sorted(used - known)
    if unknown:
        details = tuple(f"line {_line(text, word)}: {word}" for word in unknown)
        raise Mistake(
            f"the prompt {name} names variables that it is not given",
            do=f"Given are: {', '.join(sorted(known)) or 'none'}. Nothing was saved.",
            details=details,
        )


def _line(text: str, word: str) -> int:
    """The first line that names a variable."""
    found = re.search(rf"{{[{{%][^}}]*\b{re.escape(word)}\b", text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def save(name: str, text: str, path: Path, *, catalog: Catalog) -> Changed:
    """Write a prompt whole or not at all; a file that was deleted meanwhile is made anew."""
    check(name, text, catalog)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        do = "Give write access; the old text is kept."
        raise Mistake(f"{path} cannot be written: {error.strerror}", do=do) from error
    return Changed(path, _note(name, path, catalog))


def reset(name: str, path: Path, *, catalog: Catalog) -> Changed:
    """Take a change back."""
    try:
        path.unlink()
    except FileNotFoundError:
        in_force = catalog.find("prompts", name)
        raise Mistake(f"there is nothing to reset at {path}", do=f"In force is {in_force.path}.") from None
    except OSError as error:
        raise Mistake(f"{path} cannot be removed: {error.strerror}", do="Give write access there.") from error
    return Changed(path, _note(name, path, catalog))


def _note(name: str, path: Path, catalog: Catalog) -> str:
    """When the change counts."""
    if catalog.user is None or not path.is_relative_to(catalog.user):
        return "It counts once it is committed."
    first = next(iter(catalog.all("prompts", name)), None)
    if first is not None and first.layer == "project":
        return f"In this repository {first.path} stands before it."
    return "It counts from the next call on."
