"""Rules on a pipeline: every name leads somewhere and every stage can begin."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtforge.contracts.given import Given
from thoughtforge.contracts.shape import objects, text, texts, words
from thoughtforge.kernel.model import JsonObject, Problem


def exit_is_an_exit(artifact: JsonObject, given: Given) -> Iterator[Problem]:
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


def one_default_exit(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """At most one stage is the default exit."""
    marked = [where for where, stage in objects(artifact, "stages[]") if stage.get("default_exit") is True]
    for where in marked[1:]:
        yield Problem(where=f"{where}.default_exit", what=f"{marked[0]} is the default exit already")


def prerequisites_met(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """What a stage needs is made by an earlier stage or can come from outside."""
    ready = set(words(artifact, "accepts_external.*.contract", "requires_external.*.contract"))
    for where, stage in objects(artifact, "stages[]"):
        for place, contract in texts(stage, "prerequisites[]"):
            if contract not in ready:
                what = f"no earlier stage makes {contract[:80]!r} and it is not accepted from outside"
                yield Problem(where=f"{where}.{place}", what=what)
        ready.add(text(stage, "output_contract"))


def skips_lead_to_stages(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """An external artifact leads on to a stage the pipeline has."""
    stages = words(artifact, "stages[].name")
    for where, name in texts(artifact, "accepts_external.*.skips_to", "requires_external.*.skips_to"):
        if name and name not in stages:
            yield Problem(
                where=where, what=f"there is no stage {name[:80]!r}; the stages are {', '.join(sorted(stages))}"
            )


def externals_complete(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """What an external artifact requires can come from outside too."""
    known = words(artifact, "accepts_external.*.contract", "requires_external.*.contract")
    for where, name in texts(artifact, "accepts_external.*.requires[]", "requires_external.*.requires[]"):
        if name not in known:
            yield Problem(where=where, what=f"{name[:80]!r} is not accepted from outside by this pipeline")
