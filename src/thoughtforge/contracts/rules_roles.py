"""Rules on those who work and judge: agent_definition and security_review."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtforge.contracts.given import Given
from thoughtforge.contracts.shape import find, place, texts, words
from thoughtforge.kernel.model import JsonObject, Problem


def remediation_given(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """What blocks also says how to get past it."""
    for where, remediation in texts(artifact, "blocking_issues[].remediation"):
        if not remediation.strip():
            yield Problem(where=where, what="a blocking issue must say how to put it right")


def tools_disjoint(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """No tool is both allowed and forbidden."""
    forbidden = words(artifact, "capabilities.tools.forbidden[]")
    for where, tool in texts(artifact, "capabilities.tools.allowed[]"):
        if tool in forbidden:
            yield Problem(where=where, what=f"{tool[:80]} is forbidden below; a tool is either allowed or forbidden")


def promises_measured(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """Every must_verify key is something the engine measures, and is given once."""
    seen: set[str] = set()
    for where, key in _promises(artifact):
        if key in seen:
            yield Problem(where=where, what=f"{key} is here twice")
        elif given.measures and key not in given.measures:
            known = ", ".join(sorted(given.measures))
            yield Problem(where=where, what=f"the engine cannot measure {key[:80]!r}; it measures {known}")
        seen.add(key)


def _promises(artifact: JsonObject) -> Iterator[tuple[str, str]]:
    start = "capabilities.output.must_verify"
    for where, promised in (*find(artifact, start), *find(artifact, f"{start}[]")):
        if isinstance(promised, dict):
            yield from ((place(where, key), key) for key in promised)
