"""How deep a run goes: quick hands in at once what belongs together, full stage by stage. Measured size decides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
JOINED = re.compile(r"[A-Za-z0-9]+")
PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
"""The words of a name in camelCase or PascalCase."""


class SensitiveArea(NamedTuple):
    """One row of the table: what nobody changes without a second look."""

    name: str
    paths: Mapping[str, re.Pattern[str]]
    words: Mapping[str, re.Pattern[str]]
    """Each word as the table has it, with how it is found."""


class DepthTable(NamedTuple):
    """Where a quick run ends."""

    files: int
    lines: int
    begins: Mapping[str, re.Pattern[str]]
    """Words of a request with which a run does not begin quick."""
    sensitive: tuple[SensitiveArea, ...]


@cache
def depth_table() -> DepthTable:
    """The table of the library."""
    data = yaml.safe_load((LIBRARY / "depth.yaml").read_text(encoding="utf-8"))
    rows = [SensitiveArea(row["area"], _patterns(row["paths"]), _patterns(row["words"])) for row in data["sensitive"]]
    return DepthTable(int(data["files"]), int(data["lines"]), _patterns(data["begins"]), tuple(rows))


def _patterns(words: Sequence[Any]) -> Mapping[str, re.Pattern[str]]:
    return {str(word).rstrip("*"): _pattern(str(word)) for word in words}


def _pattern(word: str) -> re.Pattern[str]:
    """How a word of the table is found in `spelled` text."""
    if word.startswith("."):
        return re.compile(rf"(?<!\S){re.escape(word)}(?![a-z0-9])")
    end = "[a-z0-9]*" if word.endswith("*") else "s?"
    forms = {_plain(JOINED, word), _plain(PARTS, word)}
    return re.compile(rf" (?:{'|'.join(sorted(forms))}){end} ")


def _plain(kind: re.Pattern[str], text: str) -> str:
    return " ".join(kind.findall(text)).lower()


def _spelled(text: str) -> str:
    """A text as its words in small letters, once with joined words whole and once taken apart."""
    return f" {_plain(JOINED, text)} | {_plain(PARTS, text)} "


def along(stage: Stage) -> str:
    """The stage whose artifact is handed in with that of this one in a quick run; empty for none."""
    return str(stage.options.get("along") or "")


def has_depths(pipeline: Pipeline) -> bool:
    """Whether a run of this pipeline can be quick."""
    return any(along(stage) for stage in pipeline.stages)


def first_depth(
    asked: Asked, pipeline: Pipeline, pauses: Pauses, specification: JsonObject | None, *, request: str = ""
) -> DepthSet:
    """The depth a task begins with, and why."""
    if asked == "full":
        return DepthSet(depth="full", asked=asked, reason="you asked for it")
    if why := _always_full(pipeline, pauses):
        if asked == "quick":
            raise UserError(f"this run cannot be quick: {why}", do="Drop --depth quick, or what makes the run full.")
        return DepthSet(depth="full", asked=asked, reason=why)
    if asked == "auto" and specification is not None and (why := larger(specification)):
        return DepthSet(depth="full", asked=asked, reason=why)
    if asked == "auto" and (word := _found(depth_table().begins, _spelled(DENIES.sub(" ", request)))):
        return DepthSet(depth="full", asked=asked, reason=f'the request speaks of "{word}"')
    waits = {s.name: s.reviewers for s in pipeline.stages if s.reviewers and s.options.get("quick_review") is False}
    reason = "you asked for it" if asked == "quick" else "nothing measured so far is large or sensitive"
    return DepthSet(depth="quick", asked=asked, reason=reason, reviewers=dict.fromkeys(waits, ()), left_out=waits)


def _always_full(pipeline: Pipeline, pauses: Pauses) -> str:
    if not has_depths(pipeline):
        return f"the pipeline {pipeline.name} always goes stage by stage"
    if pauses.supervised or pauses.iterate:
        return "you want to be asked after each stage"
    return ""


def after_specification(
    now: Depth, specification: JsonObject, request: str = "", analysis: Any = ""
) -> DepthSet | None:
    """The depth once the specification is written; None when it stays as it is."""
    if now.last is None or not now.quick:
        return None
    if now.last.asked == "auto":
        return raised(now, larger(specification, request, analysis))
    area = sensitive(specification, request, analysis)
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


def larger(specification: JsonObject, request: str = "", analysis: Any = "") -> str:
    """Why a specification is more than a small change; empty when it is not."""
    files = sorted(set(_paths(specification)))
    if len(files) > depth_table().files:
        return f"the specification names {len(files)} files, more than {depth_table().files}"
    return sensitive(specification, request, analysis)


DENIES = re.compile(
    r"(?=[^.;]*\b(?:security|attack surface|attacker)\b)(?=[^.;]*\b(?:no|none|nothing|neither)\b)[^.;]*(?:[.;]|\Z)",
    re.IGNORECASE,
)
"""A sentence that says what a design does not mean for security, as its author is asked to."""
WISHES = ("title", "requirements")
"""What a specification wants; what must hold beside it may deny."""


def sensitive(specification: JsonObject, request: str = "", analysis: Any = "") -> str:
    """The sensitive area a change touches, with the word that says so; empty when it touches none.

    `request` and `analysis` are what was said of the change before. Prose that weighs choices does not count: what a
    choice costs is no price.
    """
    paths = " ".join(_paths(specification))
    named = f"{_spelled(paths)}| {paths.replace('/', ' ').lower()} "
    wanted = _texts([request, {key: specification.get(key) for key in WISHES}])
    beside = _texts([_held(specification), analysis])
    text = " | ".join(_spelled(part) for part in (*wanted, *(DENIES.sub(" ", part) for part in beside)))
    for area in depth_table().sensitive:
        found = _found(area.paths, named) or _found(area.words, text)
        if found:
            return f'the change touches {area.name} ("{found}")'
    return ""


def _held(specification: JsonObject) -> list[Any]:
    """What must hold, without the reasons for it."""
    rows = specification.get("constraints")
    return [row.get("description") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _found(words: Mapping[str, re.Pattern[str]], text: str) -> str:
    """The first word of the table that a text has; empty when it has none."""
    return next((word for word, pattern in words.items() if pattern.search(text)), "")


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
