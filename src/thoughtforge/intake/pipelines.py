"""Pipelines from their data files: checked against their contract, with every problem at its line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from thoughtforge.agent.sources import Source, located, read, refusal
from thoughtforge.catalog import Catalog
from thoughtforge.contracts.contract import Contract, load
from thoughtforge.contracts.given import Given
from thoughtforge.contracts.validate import check
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Digest, Pipeline, Problem
from thoughtforge.kernel.route import SKIPS


class Names(NamedTuple):
    """The names a pipeline file may use; an empty set means the names were not looked up."""

    contracts: frozenset[str]
    roles: frozenset[str]
    drivers: frozenset[str] = frozenset()
    """A stage without its driver stops when it is reached, so a whole set is needed only to judge a person's file."""
    pipelines: frozenset[str] = frozenset()


class LoadedPipeline(NamedTuple):
    """A pipeline and the file it came from."""

    pipeline: Pipeline
    digest: Digest
    source: str


def load_pipeline(catalog: Catalog, name: str, *, known: Names) -> LoadedPipeline:
    """The pipeline in force under that name. Raises a Mistake that lists everything wrong with its file."""
    file = catalog.find("pipelines", name)
    source = read(file.text, path=file.path, digest=file.digest, layer=file.layer)
    problems = _problems(source, catalog=catalog, known=known, name=name)
    if problems:
        raise refusal(f"the pipeline {name} is refused", problems, do="Correct the lines named.")
    return LoadedPipeline(Pipeline.model_validate(source.data), file.digest, file.path)


def load_pipelines(catalog: Catalog, *, known: Names) -> tuple[LoadedPipeline, ...]:
    """Every pipeline, by name. Raises one Mistake for the problems of all files."""
    loaded: list[LoadedPipeline] = []
    details: list[str] = []
    for name in catalog.names("pipelines"):
        try:
            loaded.append(load_pipeline(catalog, name, known=known))
        except Mistake as mistake:
            details += mistake.details or (mistake.what,)
    if details:
        raise Mistake("the pipelines are refused", do="Correct the lines named.", details=tuple(details))
    return tuple(loaded)


def check_file(text: str, source: str, *, catalog: Catalog, known: Names) -> tuple[Problem, ...]:
    """Everything wrong with a pipeline file, each with file and line; raises a Mistake when it is not YAML."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return _problems(read(text, path=source, digest=digest, layer="file"), catalog=catalog, known=known, name=None)


def with_exit(pipeline: Pipeline, stage_name: str) -> str:
    """The stage to end at, when a pipeline may end there."""
    exits = [stage.name for stage in pipeline.stages if stage.exit_point]
    if stage_name in exits:
        return stage_name
    do = f"choose one of {', '.join(exits)}"
    if stage_name in [stage.name for stage in pipeline.stages]:
        raise Mistake(f"the pipeline {pipeline.name} cannot end at {stage_name}", do=do)
    raise Mistake(f'the pipeline {pipeline.name} has no stage "{stage_name}"', do=do)


def pipeline_contract(catalog: Catalog) -> Contract:
    """What a pipeline file must look like: the engine's own contract, so that no project can loosen it."""
    file = catalog.all("contracts", "pipeline_template")[-1]
    return load(file.text, source=file.path, ours=file.layer == "built-in")


def _problems(source: Source, *, catalog: Catalog, known: Names, name: str | None) -> tuple[Problem, ...]:
    given = Given(contracts=known.contracts, roles=known.roles)
    found = check(source.parsed.data, pipeline_contract(catalog), given)
    return located((*found, *_engine_problems(source, known=known, name=name)), [source])


def _engine_problems(source: Source, *, known: Names, name: str | None) -> Iterator[Problem]:
    """What only the engine can say: whether drivers, skip conditions and the next pipeline exist."""
    if name is not None and source.data.get("name") not in (None, name):
        yield Problem(where="name", what=f"must be {name}, the name of the file", rule="name")
    stages = source.data.get("stages")
    for number, stage in enumerate(stages if isinstance(stages, list) else []):
        if isinstance(stage, dict):
            yield from _stage_problems(stage, f"stages[{number}]", known)
    follows = source.data.get("continuation")
    if isinstance(follows, dict):
        yield from _unknown(follows.get("next_pipeline"), known.pipelines, "continuation.next_pipeline", "pipeline")


def _stage_problems(stage: dict[str, object], where: str, known: Names) -> Iterator[Problem]:
    yield from _unknown(stage.get("driver"), known.drivers, f"{where}.driver", "driver")
    conditions = stage.get("skip_if")
    for number, condition in enumerate(conditions if isinstance(conditions, list) else []):
        yield from _unknown(condition, frozenset(SKIPS), f"{where}.skip_if[{number}]", "skip condition")


def _unknown(value: object, known: frozenset[str], where: str, kind: str) -> Iterator[Problem]:
    # a value of the wrong type is the contract's to report
    if known and isinstance(value, str) and value not in known:
        what = f'there is no {kind} "{value}"; use one of {", ".join(sorted(known))}'
        yield Problem(where=where, what=what, rule=kind.replace(" ", "_"))
