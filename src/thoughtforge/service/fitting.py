"""Which contract a file is meant for, and what rules may know when a file is checked on its own."""

from __future__ import annotations

from pathlib import Path

from thoughtforge.contracts.given import Given
from thoughtforge.contracts.measures import MEASURES
from thoughtforge.contracts.validate import schema_problems
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import JsonObject
from thoughtforge.service.library import Definitions, known_tools


def fitting_contract(known: Definitions, file: Path, data: JsonObject, named: str | None) -> str:
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
    word = f"fits several contracts: {', '.join(fits)}" if fits else "fits no contract by its fields"
    raise Mistake(f"{file} {word}", do=f"Name one with --contract: {', '.join(known.contracts)}")


def given_for(known: Definitions) -> Given:
    """Names that exist; requests and upstream artifacts are unknown to a lone file and are not judged."""
    return Given(
        contracts=frozenset(known.contracts),
        roles=frozenset(known.roles),
        tools=known_tools() | frozenset(known.tools),
        measures=frozenset(MEASURES),
    )
