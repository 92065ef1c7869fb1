"""What the engine installs for a new project, whose files an agent wrote: packages by name, and only named ones.

The network is open while packages are installed. So nothing that an agent wrote may run there, and nothing may say
where packages come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from thoughtforge.kernel.model import JsonObject
from thoughtforge.testing.imports import declares, normal
from thoughtforge.testing.language import languages

WORD = re.compile(r"[\w@/.-]*\w")
DO = "do without it, or ask with escalate_question"


def named_in(proposal: JsonObject, said: Iterable[str] = ()) -> frozenset[str]:
    """The packages that a confirmed proposal names, and those that a person named later."""
    decisions = [f"{one.get('title', '')} {one.get('decision', '')}" for one in proposal.get("decisions", ())]
    components = [str(one.get("name", "")) for one in proposal.get("components", ())]
    texts = [str(proposal.get("language") or ""), *proposal.get("dependencies", ()), *components, *decisions, *said]
    return frozenset(normal(word) for text in texts for word in WORD.findall(str(text)))


def not_installed(
    paths: Collection[str], read: Callable[[str], str], *, language: str, runner: str, named: frozenset[str]
) -> list[str]:
    """Why the engine does not install what these files declare; empty when it does.

    `read` raises KeyError for a file that is no text: an installer might still read something in it.
    """
    rules = languages()[language].dependencies if language in languages() else None
    if rules is None:
        return []
    if rules.plain is None:
        return (
            []
            if not any(map(declares, paths))
            else [f"the engine cannot tell what a {languages()[language].title} project would install"]
        )
    try:
        found = rules.plain(paths, read)
    except KeyError as missing:
        return [f"{missing.args[0]} cannot be read as text"]
    strange = sorted({name for name in found.names if normal(name) not in named | {normal(runner)}})
    return [*found.refused, *(f"the specification does not name {name}; {DO}" for name in strange)]
