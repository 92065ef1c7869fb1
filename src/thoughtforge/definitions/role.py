"""A role: who an agent is, what it may touch, what it must produce. One data file each, overrides included."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from thoughtforge.catalog import Catalog
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.contract import Contract, load
from thoughtforge.contracts.rules_definitions import one_form
from thoughtforge.contracts.validate import check
from thoughtforge.definitions.override import (
    BUILT_IN,
    ROLES,
    DataSource,
    built_in,
    chain,
    located,
    merged,
    refusal,
    source_of,
    widened,
)
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Digest, Problem, Value

FIX = "Correct the lines named."


class KnownNames(NamedTuple):
    """The names a role file may use."""

    contracts: frozenset[str]
    tools: frozenset[str]
    measures: frozenset[str]


class Role(Value):
    """A role with its overrides applied."""

    name: str
    version: str
    display_name: str
    description: str
    expertise: tuple[str, ...]
    thinking_style: str
    allowed: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    path_constraints: dict[str, str] = {}
    output_contract: str
    must_verify: dict[str, bool | int | float | str] = {}
    constraints: tuple[str, ...]
    stage: str | None = None
    stages: tuple[str, ...] = ()
    """Every stage the role serves; none for a role that only reviews."""
    receives_from: tuple[str, ...] = ()
    hands_off_to: tuple[str, ...] = ()
    reviewed_by: tuple[str, ...] = ()
    reviews: tuple[str, ...] = ()
    source: str
    """The file or files it was read from, the most special first."""
    digest: Digest


def load_role(catalog: Catalog, name: str, *, known: KnownNames) -> Role:
    """The effective role of that name. Raises a UserError that lists everything wrong with its files."""
    sources = chain(catalog, name)
    problems = located(_problems(catalog, name, sources=sources, known=known), sources)
    if problems:
        raise refusal(f"the role {name} is refused", problems, do=FIX)
    return _role(merged(sources), sources)


def load_roles(catalog: Catalog, *, known: KnownNames) -> dict[str, Role]:
    """Every role, as one set that fits together. Raises one UserError for the problems of all files."""
    roles: dict[str, Role] = {}
    details: list[str] = []
    for name in catalog.names(ROLES):
        try:
            roles[name] = load_role(catalog, name, known=known)
        except UserError as mistake:
            details += mistake.details or (mistake.what,)
    # with a role missing, the relations of the others would look broken too
    if not details:
        details = [f"{problem.where}: {problem.what}" for problem in validate_set(roles)]
    if details:
        raise UserError("the roles are refused", do=FIX, details=tuple(details))
    return roles


RELATIONS = (
    ("hands_off_to", "receives_from"),
    ("receives_from", "hands_off_to"),
    ("reviewed_by", "reviews"),
    ("reviews", "reviewed_by"),
)
"""Field → the field of the other role that must match it."""


def validate_set(roles: Mapping[str, Role]) -> tuple[Problem, ...]:
    """Everything wrong between roles: a relation that only one side knows, or with a role that is not there."""
    return tuple(
        problem
        for role in roles.values()
        for field, back in RELATIONS
        for problem in _one_sided(role, field, back, roles)
    )


def _one_sided(role: Role, field: str, back: str, roles: Mapping[str, Role]) -> Iterator[Problem]:
    for name in getattr(role, field):
        where = f"{role.source}: orchestration.{field}"
        if name not in roles:
            yield Problem(where=where, what=f"there is no role {name}; remove it or add its file", rule="roles")
        elif role.name not in getattr(roles[name], back):
            what = f"names {name}, whose {back} does not name {role.name}; add it in {roles[name].source}"
            yield Problem(where=where, what=what, rule="symmetric")


def _problems(catalog: Catalog, name: str, *, sources: Sequence[DataSource], known: KnownNames) -> Iterator[Problem]:
    definition = merged(sources)
    given = ValidationContext(
        contracts=known.contracts, roles=frozenset(catalog.names(ROLES)), tools=known.tools, measures=known.measures
    )
    whole = definition if isinstance(sources[0].parsed.data, dict) else sources[0].parsed.data
    yield from check(whole, agent_contract(catalog), given)
    agent = definition.get("agent")
    if isinstance(agent, dict) and agent.get("role") not in (None, name):
        yield Problem(where="agent.role", what=f"must be {name}, the name of the file", rule="name")
    for engine in _engine_roles(catalog, name, sources):
        yield from widened(definition, one_form(engine.data))


def agent_contract(catalog: Catalog) -> Contract:
    """What a role file must look like: the engine's own contract, so that no project can loosen it."""
    file = catalog.all("contracts", "agent_definition")[-1]
    return load(file.text, source=file.path, ours=file.layer == "built-in")


def _engine_roles(catalog: Catalog, name: str, sources: Sequence[DataSource]) -> list[DataSource]:
    """The built-in roles whose limits hold: those extended, and the one a file of the same name lies over."""
    if sources[0].layer == BUILT_IN:
        return []
    own = built_in(catalog, name)
    found = [source for source in sources if source.layer == BUILT_IN]
    if own is not None and own.path not in [source.path for source in found]:
        found.append(source_of(own))
    return found


def _role(definition: dict[str, Any], sources: Sequence[DataSource]) -> Role:
    agent, tools = definition["agent"], definition["capabilities"]["tools"]
    output, place = definition["capabilities"]["output"], definition["orchestration"]
    stage = place.get("stage")
    return Role(
        name=agent["role"],
        version=agent["version"],
        display_name=agent["display_name"],
        **definition["identity"],
        allowed=tools["allowed"],
        forbidden=tools.get("forbidden", ()),
        path_constraints=tools.get("path_constraints", {}),
        output_contract=output["contract"],
        must_verify=output["must_verify"],
        constraints=definition["constraints"],
        **{**place, "stages": place.get("stages") or ([stage] if stage else [])},
        source=" + ".join(source.path for source in sources),
        digest=_digest(sources),
    )


def _digest(sources: Sequence[DataSource]) -> Digest:
    if len(sources) == 1:
        return sources[0].digest
    return hashlib.sha256("\n".join(source.digest for source in sources).encode()).hexdigest()
