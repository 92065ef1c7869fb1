"""Pipelines from their data files: checked against their contract, with every problem at its line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from pydantic import ValidationError

from thoughtforge.catalog import Catalog, extension_names
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.contract import Contract, load
from thoughtforge.contracts.validate import check
from thoughtforge.definitions.drivers import driver, given_options
from thoughtforge.definitions.override import DataSource, located, read, refusal
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Digest, Pipeline, Problem, Value
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
    """The pipeline in force under that name. Raises a UserError that lists everything wrong with its file."""
    file = catalog.find("pipelines", name)
    source = read(file.text, path=file.path, digest=file.digest, layer=file.layer)
    problems = _problems(source, catalog=catalog, known=known, name=name)
    if problems:
        raise refusal(f"the pipeline {name} is refused", problems, do="Correct the lines named.")
    return LoadedPipeline(Pipeline.model_validate(source.data), file.digest, file.path)


def load_pipelines(catalog: Catalog, *, known: Names) -> tuple[LoadedPipeline, ...]:
    """Every pipeline, by name. Raises one UserError for the problems of all files."""
    loaded: list[LoadedPipeline] = []
    details: list[str] = []
    for name in catalog.names("pipelines"):
        try:
            loaded.append(load_pipeline(catalog, name, known=known))
        except UserError as mistake:
            details += mistake.details or (mistake.what,)
    if details:
        raise UserError("the pipelines are refused", do="Correct the lines named.", details=tuple(details))
    return tuple(loaded)


def check_file(text: str, source: str, *, catalog: Catalog, known: Names) -> tuple[Problem, ...]:
    """Everything wrong with a pipeline file, each with file and line; raises a UserError when it is not YAML."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return _problems(read(text, path=source, digest=digest, layer="file"), catalog=catalog, known=known, name=None)


def with_exit(pipeline: Pipeline, stage_name: str) -> str:
    """The stage to end at, when a pipeline may end there."""
    exits = [stage.name for stage in pipeline.stages if stage.exit_point]
    if stage_name in exits:
        return stage_name
    do = f"choose one of {', '.join(exits)}"
    if stage_name in [stage.name for stage in pipeline.stages]:
        raise UserError(f"the pipeline {pipeline.name} cannot end at {stage_name}", do=do)
    raise UserError(f'the pipeline {pipeline.name} has no stage "{stage_name}"', do=do)


def pipeline_contract(catalog: Catalog) -> Contract:
    """What a pipeline file must look like: the engine's own contract, so that no project can loosen it."""
    file = catalog.all("contracts", "pipeline_template")[-1]
    return load(file.text, source=file.path, ours=file.layer == "built-in")


def _problems(source: DataSource, *, catalog: Catalog, known: Names, name: str | None) -> tuple[Problem, ...]:
    given = ValidationContext(contracts=known.contracts, roles=known.roles)
    found = check(source.parsed.data, pipeline_contract(catalog), given)
    return located((*found, *_engine_problems(source, known=known, name=name)), [source])


def _engine_problems(source: DataSource, *, known: Names, name: str | None) -> Iterator[Problem]:
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
    yield from _option_problems(stage, f"{where}.options")
    conditions = stage.get("skip_if")
    for number, condition in enumerate(conditions if isinstance(conditions, list) else []):
        yield from _unknown(condition, frozenset(SKIPS), f"{where}.skip_if[{number}]", "skip condition")


def _option_problems(stage: dict[str, object], where: str) -> Iterator[Problem]:
    """What the driver says to the options of its stage; a driver that is not here is not asked."""
    name, given = stage.get("driver"), stage.get("options", {})
    if not isinstance(name, str) or name not in extension_names("drivers") or not isinstance(given, dict):
        return
    kind = driver(name).options
    try:
        kind.model_validate(given_options(name, str(stage.get("output_contract")), given))
    except ValidationError as error:
        for one in error.errors():
            option = str(one["loc"][0]) if one["loc"] else ""
            if one["type"] == "extra_forbidden":
                yield Problem(where=f"{where}.{option}", what=_no_option(name, option, kind), rule="options")
            elif one["type"] == "missing":
                yield Problem(where=where, what=f"the driver {name} needs the option {option}", rule="options")
            else:
                yield Problem(where=f"{where}.{option}", what=one["msg"], rule="options")


def _no_option(name: str, option: str, kind: type[Value]) -> str:
    known = list(kind.model_fields)
    near = get_close_matches(option, known, n=1)
    if near:
        return f'the driver {name} has no option "{option}"; did you mean {near[0]}?'
    return f'the driver {name} has no option "{option}"; it has {", ".join(known) or "none"}'


def _unknown(value: object, known: frozenset[str], where: str, kind: str) -> Iterator[Problem]:
    # a value of the wrong type is the contract's to report
    if known and isinstance(value, str) and value not in known:
        what = f'there is no {kind} "{value}"; use one of {", ".join(sorted(known))}'
        yield Problem(where=where, what=what, rule=kind.replace(" ", "_"))
