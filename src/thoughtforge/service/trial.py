"""Try a role file out as if it were committed: alone, and together with all the others."""

from __future__ import annotations

from thoughtforge.agent.role import Known, load_role, load_roles
from thoughtforge.catalog import Catalog
from thoughtforge.contracts.measures import MEASURES
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Problem
from thoughtforge.service.library import Definitions, known_tools


def role_problems(known: Definitions, name: str, text: str) -> tuple[Problem, ...]:
    """Everything wrong with the file, or between it and the other roles."""
    catalog = Catalog(
        project={**known.catalog.project, f"roles/{name}.yaml": text},
        user=known.catalog.user,
        library=known.catalog.library,
    )
    names = Known(
        contracts=frozenset(known.contracts), tools=known_tools() | frozenset(known.tools), measures=frozenset(MEASURES)
    )
    try:
        load_role(catalog, name, known=names)
        load_roles(catalog, known=names)
    except Mistake as mistake:
        return tuple(Problem(where=name, what=line) for line in mistake.details or (mistake.what,))
    return ()
