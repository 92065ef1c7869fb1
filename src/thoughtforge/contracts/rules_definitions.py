"""Rules on roles and pipelines: what they promise must be measured, and their parts must fit together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.shorthand import find, objects, place, text, texts, words
from thoughtforge.kernel.model import JsonObject, Problem


def one_form(definition: JsonObject) -> JsonObject:
    """The definition with `must_verify` as a map. What cannot be turned stays as it is, for the contract to report."""
    capabilities = definition.get("capabilities")
    output = capabilities.get("output") if isinstance(capabilities, dict) else None
    promised: Any = output.get("must_verify") if isinstance(output, dict) else None
    if not isinstance(capabilities, dict) or not isinstance(output, dict) or not _is_turnable(promised):
        return definition
    merged = {key: value for entry in promised for key, value in entry.items()}
    return {**definition, "capabilities": {**capabilities, "output": {**output, "must_verify": merged}}}


def _is_turnable(promised: Any) -> bool:
    """A list of single-key maps in which no key comes twice: merging must not hide one of two values."""
    if not isinstance(promised, list) or not all(isinstance(entry, dict) and len(entry) == 1 for entry in promised):
        return False
    keys = [key for entry in promised for key in entry]
    return len(keys) == len(set(keys))


def remediation_given(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """What blocks also says how to get past it."""
    for where, remediation in texts(artifact, "blocking_issues[].remediation"):
        if not remediation.strip():
            yield Problem(where=where, what="a blocking issue must say how to fix it")


def tools_disjoint(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """No tool is both allowed and forbidden."""
    forbidden = words(artifact, "capabilities.tools.forbidden[]")
    for where, tool in texts(artifact, "capabilities.tools.allowed[]"):
        if tool in forbidden:
            yield Problem(where=where, what=f"{tool[:80]} is forbidden below; a tool is either allowed or forbidden")


def promises_measured(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """Every must_verify key is something the engine measures, and is given once."""
    seen: set[str] = set()
    for where, key in _promises(artifact):
        if key in seen:
            yield Problem(where=where, what=f"{key} appears twice")
        elif given.measures and key not in given.measures:
            known = ", ".join(sorted(given.measures))
            yield Problem(where=where, what=f"the engine cannot measure {key[:80]!r}; it measures {known}")
        seen.add(key)


def _promises(artifact: JsonObject) -> Iterator[tuple[str, str]]:
    start = "capabilities.output.must_verify"
    for where, promised in (*find(artifact, start), *find(artifact, f"{start}[]")):
        if isinstance(promised, dict):
            yield from ((place(where, key), key) for key in promised)


def exit_is_an_exit(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """The pipeline ends at a stage it has and at which one may end; so does the default exit."""
    stages = {text(found.value, "name"): found.value for found in objects(artifact, "stages[]")}
    for where, name in texts(artifact, "exit.stage"):
        if name not in stages:
            yield Problem(where=where, what=f"there is no stage {name[:80]!r}; the stages are {', '.join(stages)}")
        elif stages[name].get("exit_point") is not True:
            yield Problem(where=where, what=f"the stage {name} is not an exit_point")
    for where, stage in objects(artifact, "stages[]"):
        if stage.get("default_exit") is True and stage.get("exit_point") is not True:
            yield Problem(where=f"{where}.default_exit", what="a default exit must be an exit_point")


def one_default_exit(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """At most one stage is the default exit."""
    marked = [where for where, stage in objects(artifact, "stages[]") if stage.get("default_exit") is True]
    for where in marked[1:]:
        yield Problem(where=f"{where}.default_exit", what=f"{marked[0]} is already the default exit")


def prerequisites_met(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """What a stage needs is made by an earlier stage or can come from outside."""
    ready = set(words(artifact, "accepts_external.*.contract", "requires_external.*.contract"))
    for where, stage in objects(artifact, "stages[]"):
        for at, contract in texts(stage, "prerequisites[]"):
            if contract not in ready:
                what = f"no earlier stage makes {contract[:80]!r} and the pipeline does not accept it from outside"
                yield Problem(where=f"{where}.{at}", what=what)
        ready.add(text(stage, "output_contract"))


def skips_lead_to_stages(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """An external artifact leads on to a stage the pipeline has."""
    stages = words(artifact, "stages[].name")
    for where, name in texts(artifact, "accepts_external.*.skips_to", "requires_external.*.skips_to"):
        if name and name not in stages:
            yield Problem(
                where=where, what=f"there is no stage {name[:80]!r}; the stages are {', '.join(sorted(stages))}"
            )


def externals_complete(artifact: JsonObject, given: ValidationContext) -> Iterator[Problem]:
    """What an external artifact requires can come from outside too."""
    known = words(artifact, "accepts_external.*.contract", "requires_external.*.contract")
    for where, name in texts(artifact, "accepts_external.*.requires[]", "requires_external.*.requires[]"):
        if name not in known:
            yield Problem(where=where, what=f"{name[:80]!r} is not an input that this pipeline accepts from outside")
