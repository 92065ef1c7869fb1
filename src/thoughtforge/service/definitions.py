"""The contracts, roles and pipelines that apply in the current folder, and the problems of a user's own file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.agent.prompt import outline
from thoughtforge.catalog import KINDS, Catalog, DataFile, extension_names
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.measures import MEASURES
from thoughtforge.contracts.published import Described, schema_of
from thoughtforge.contracts.validate import check, schema_problems
from thoughtforge.definitions.pipelines import Names, check_file
from thoughtforge.definitions.role import KnownNames, load_role, load_roles
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import JsonObject, Problem, Task
from thoughtforge.service.app import App
from thoughtforge.service.library import Definitions, definitions, known_tools, open_library
from thoughtforge.service.submit import read_artifact
from thoughtforge.settings import environment
from thoughtforge.settings.config import Config
from thoughtforge.settings.environment import find_repository
from thoughtforge.store.log import union
from thoughtforge.store.viewfiles import write_whole


async def known_here(app: App) -> Definitions:
    """Contracts, roles and pipelines; a repository's own are read from its newest commit."""
    if environment.find_repository(app.cwd) is None:
        return definitions(app, {})
    async with open_library(app) as library:
        return library.definitions


class ContractCheck(NamedTuple):
    """A file, the contract it is meant for, and where it breaks that."""

    contract: str
    problems: tuple[Problem, ...]


def contract_outline(known: Definitions, name: str) -> str:
    """The fields of one contract, as an agent reads them."""
    known.catalog.find("contracts", name)
    return outline(known.contracts[name].schema)


def contract_problems(known: Definitions, file: Path, named: str | None) -> ContractCheck:
    """Where a file breaks a contract: the one named, or the one its name or shape says."""
    data = read_artifact(file)
    name = _fitting_contract(known, file, data, named)
    return ContractCheck(name, tuple(check(data, known.contracts[name], _given_for(known))))


def pipeline_problems(known: Definitions, source: str, text: str) -> tuple[Problem, ...]:
    """Everything wrong with a pipeline file."""
    names = Names(
        contracts=frozenset(known.contracts),
        roles=frozenset(known.roles),
        drivers=frozenset(extension_names("drivers")) | {"code", "deliver"},
        pipelines=frozenset(known.pipelines),
    )
    return tuple(check_file(text, source, catalog=known.catalog, known=names))


def role_problems(known: Definitions, name: str, text: str) -> tuple[Problem, ...]:
    """Everything wrong with a role file as if it were committed, alone and together with the other roles."""
    catalog = Catalog(
        project={**known.catalog.project, f"roles/{name}.yaml": text},
        user=known.catalog.user,
        library=known.catalog.library,
    )
    names = KnownNames(
        contracts=frozenset(known.contracts), tools=known_tools() | frozenset(known.tools), measures=frozenset(MEASURES)
    )
    try:
        load_role(catalog, name, known=names)
        load_roles(catalog, known=names)
    except UserError as mistake:
        return tuple(Problem(where=name, what=line) for line in mistake.details or (mistake.what,))
    return ()


def schema_names(known: Definitions) -> tuple[str, ...]:
    """Everything that has a JSON Schema."""
    return (*known.contracts, *_SCHEMAS)


def schema(known: Definitions, name: str) -> dict[str, Any]:
    """The JSON Schema of a contract, of the events, of the configuration or of a task."""
    if name in known.contracts:
        found: dict[str, Any] = known.contracts[name].schema
        return found
    if name not in _SCHEMAS:
        raise UserError(f"there is no schema {name!r}", do=f"Known: {', '.join(schema_names(known))}")
    return _SCHEMAS[name]()


_SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "events": lambda: union().json_schema(schema_generator=Described),
    "config": lambda: schema_of(Config),
    "task": lambda: schema_of(Task),
}


NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}")


class Changed(NamedTuple):
    """Where a change went, and when it counts."""

    path: Path
    note: str


def listed(catalog: Catalog) -> tuple[DataFile, ...]:
    """Every prompt that applies."""
    return tuple(catalog.find("prompts", name) for name in catalog.names("prompts"))


def place(name: str, folder: Path) -> Path:
    """The file of a prompt in the person's own folder, or in a repository's home."""
    if not NAME.fullmatch(name):
        raise UserError(f"{name!r} is not a valid name for a prompt", do="Use lower-case letters, digits, - and _.")
    return folder / "prompts" / f"{name}{KINDS['prompts']}"


def target(app: App, name: str, *, repository: bool) -> Path:
    """The file a change of a prompt goes to: the person's own, or the repository's."""
    if not repository:
        return place(name, app.user_folder)
    root = find_repository(app.cwd)
    if root is None:
        raise UserError("you are not in a repository", do="Drop --repository to change the prompt in your own folder.")
    return place(name, root / ".thoughtforge")


def check_prompt(name: str, text: str, catalog: Catalog) -> None:
    """Refuse a text that could not be rendered later: broken marks, and variables this prompt does not have."""
    from jinja2 import TemplateSyntaxError, meta
    from jinja2.sandbox import SandboxedEnvironment

    jinja = SandboxedEnvironment()
    if not text.strip():
        raise UserError(
            f"the prompt {name} would be empty", do=f"To undo your change: thoughtforge prompts reset {name}"
        )
    try:
        used = meta.find_undeclared_variables(jinja.parse(text))
    except TemplateSyntaxError as error:
        where = f"{name}, line {error.lineno}"
        raise UserError(f"{where}: {error.message}", do="Correct that line; nothing was saved.") from error
    given = [file for file in catalog.all("prompts", name) if file.layer == "built-in"]
    if not given:
        return  # a prompt of the person's own: only its driver knows its variables
    known = meta.find_undeclared_variables(jinja.parse(given[0].text))
    unknown = sorted(used - known)
    if unknown:
        details = tuple(f"line {_line(text, word)}: {word}" for word in unknown)
        raise UserError(
            f"the prompt {name} uses unknown variables",
            do=f"It can use: {', '.join(sorted(known)) or 'none'}. Nothing was saved.",
            details=details,
        )


def _line(text: str, word: str) -> int:
    """The first line that names a variable."""
    found = re.search(rf"{{[{{%][^}}]*\b{re.escape(word)}\b", text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def save(name: str, text: str, path: Path, *, catalog: Catalog) -> Changed:
    """Write a prompt whole or not at all; a file that was deleted meanwhile comes back."""
    check_prompt(name, text, catalog)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        do = "Grant write access; the old text stays."
        raise UserError(f"{path} cannot be written: {error.strerror}", do=do) from error
    return Changed(path, _note(name, path, catalog))


def reset(name: str, path: Path, *, catalog: Catalog) -> Changed:
    """Undo a change."""
    try:
        path.unlink()
    except FileNotFoundError:
        in_force = catalog.find("prompts", name)
        raise UserError(f"there is nothing to reset at {path}", do=f"The prompt comes from {in_force.path}.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be removed: {error.strerror}", do="Grant write access there.") from error
    return Changed(path, _note(name, path, catalog))


def _note(name: str, path: Path, catalog: Catalog) -> str:
    """When the change counts."""
    if catalog.user is None or not path.is_relative_to(catalog.user):
        return "It takes effect once you commit it."
    first = next(iter(catalog.all("prompts", name)), None)
    if first is not None and first.layer == "project":
        return f"In this repository {first.path} takes precedence."
    return "It takes effect with the next call."


def _fitting_contract(known: Definitions, file: Path, data: JsonObject, named: str | None) -> str:
    """The contract named, else the one in the file's name, else the only one whose fields the file has."""
    if named is not None:
        known.catalog.find("contracts", named)
        return named
    by_name = [name for name in known.contracts if file.stem == name or file.stem.startswith(f"{name}_")]
    if by_name:
        return max(by_name, key=len)
    fits = [name for name, contract in known.contracts.items() if not schema_problems(data, contract.schema)]
    if len(fits) == 1:
        return fits[0]
    word = f"matches several contracts: {', '.join(fits)}" if fits else "matches no contract by its fields"
    raise UserError(f"{file} {word}", do=f"Name one with --contract: {', '.join(known.contracts)}")


def _given_for(known: Definitions) -> ValidationContext:
    """Names that exist; requests and upstream artifacts are unknown to a lone file and are not judged."""
    return ValidationContext(
        contracts=frozenset(known.contracts),
        roles=frozenset(known.roles),
        tools=known_tools() | frozenset(known.tools),
        measures=frozenset(MEASURES),
    )
