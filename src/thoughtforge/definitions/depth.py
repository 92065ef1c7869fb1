"""How deep a run goes: quick hands in at once what belongs together, full stage by stage. Measured size decides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

import yaml

from thoughtforge.calls.events import DepthSet
from thoughtforge.calls.spending import Depth
from thoughtforge.catalog import LIBRARY
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import JsonObject, Pauses, Pipeline, Stage

Asked = Literal["auto", "quick", "full"]
DEPTHS: tuple[Asked, ...] = ("auto", "quick", "full")
WORDS = re.compile(r"[a-z0-9_-]+")
PARTS = re.compile(r"[/._-]+")


class SensitiveArea(NamedTuple):
    """One row of the table: what nobody changes without a second look."""

    name: str
    paths: frozenset[str]
    words: tuple[str, ...]


class DepthTable(NamedTuple):
    """Where a quick run ends."""

    files: int
    lines: int
    sensitive: tuple[SensitiveArea, ...]


@cache
def depth_table() -> DepthTable:
    """The table of the library."""
    data = yaml.safe_load((LIBRARY / "depth.yaml").read_text(encoding="utf-8"))
    rows = [SensitiveArea(row["area"], frozenset(row["paths"]), tuple(row["words"])) for row in data["sensitive"]]
    return DepthTable(int(data["files"]), int(data["lines"]), tuple(rows))


def along(stage: Stage) -> str:
    """The stage whose artifact is handed in with that of this one in a quick run; empty for none."""
    return str(stage.options.get("along") or "")


def has_depths(pipeline: Pipeline) -> bool:
    """Whether a run of this pipeline can be quick."""
    return any(along(stage) for stage in pipeline.stages)


def first_depth(asked: Asked, pipeline: Pipeline, pauses: Pauses, specification: JsonObject | None) -> DepthSet:
    """The depth a task begins with, and why."""
    if asked == "full":
        return DepthSet(depth="full", asked=asked, reason="you asked for it")
    if why := _always_full(pipeline, pauses):
        if asked == "quick":
            raise UserError(f"this run cannot be quick: {why}", do="Drop --depth quick, or what makes the run full.")
        return DepthSet(depth="full", asked=asked, reason=why)
    if asked == "auto" and specification is not None and (why := larger(specification)):
        return DepthSet(depth="full", asked=asked, reason=why)
    waits = {s.name: s.reviewers for s in pipeline.stages if s.reviewers and s.options.get("quick_review") is False}
    reason = "you asked for it" if asked == "quick" else "nothing measured so far is large or sensitive"
    return DepthSet(depth="quick", asked=asked, reason=reason, reviewers=dict.fromkeys(waits, ()), left_out=waits)


def _always_full(pipeline: Pipeline, pauses: Pauses) -> str:
    if not has_depths(pipeline):
        return f"the pipeline {pipeline.name} always goes stage by stage"
    if pauses.supervised or pauses.iterate:
        return "you want to be asked after each stage"
    return ""


def after_specification(now: Depth, specification: JsonObject, about: Any = "") -> DepthSet | None:
    """The depth once the specification is written; None when it stays as it is.

    `about` is what was said of the change before: the request and the risks.
    """
    if now.last is None or not now.quick:
        return None
    if now.last.asked == "auto":
        return raised(now, larger(specification, about))
    area = sensitive(specification, about)
    if not area or not now.last.left_out:
        return None
    reason = f"you asked for it; the specification is reviewed all the same, because {area}"
    return now.last.model_copy(update={"reason": reason, "reviewers": now.last.left_out, "left_out": {}})


def after_code(now: Depth, lines: int) -> DepthSet | None:
    """The depth once the code is written; the specification is built by then and is not reviewed any more."""
    most = depth_table().lines
    if now.last is None or not now.quick or now.last.asked != "auto" or lines <= most:
        return None
    why = f"{lines} lines of the product are changed, more than {most}"
    if now.last.left_out:
        why += "; the specification is built already, so the review of the whole change looks at both"
    return DepthSet(depth="full", asked=now.last.asked, reason=why, left_out=now.last.left_out)


def raised(now: Depth, why: str) -> DepthSet | None:
    """Full from now on, with the reviews that a quick run leaves out."""
    if not why or now.last is None:
        return None
    return DepthSet(depth="full", asked=now.last.asked, reason=why, reviewers=now.last.left_out)


def larger(specification: JsonObject, about: Any = "") -> str:
    """Why a specification is more than a small change; empty when it is not."""
    files = sorted(set(_paths(specification)))
    if len(files) > depth_table().files:
        return f"the specification names {len(files)} files, more than {depth_table().files}"
    return sensitive(specification, about)


def sensitive(specification: JsonObject, about: Any = "") -> str:
    """The sensitive area a change touches, with the word that says so; empty when it touches none."""
    parts = {part for path in _paths(specification) for part in PARTS.split(path.lower())}
    dotted = {part for path in _paths(specification) for part in path.lower().split("/")}
    text = f" {' '.join(WORDS.findall(' '.join(_texts([specification, about])).lower()))} "
    for area in depth_table().sensitive:
        found = next(iter(sorted(area.paths & (parts | dotted))), "") or next(
            (word for word in area.words if f" {word} " in text), ""
        )
        if found:
            return f'the change touches {area.name} ("{found}")'
    return ""


def _paths(specification: JsonObject) -> Iterator[str]:
    for key in ("files_to_modify", "files_to_create"):
        named = specification.get(key)
        yield from (str(path) for path in (named if isinstance(named, list) else ()))


def _texts(value: Any) -> Iterator[str]:
    """Every text, whatever form it has."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
