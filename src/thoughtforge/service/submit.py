"""From a request to a task: goal, pipeline, inputs, agents and caps are settled and checked before it is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from thoughtforge.catalog import extension_names
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.contract import Contract
from thoughtforge.contracts.lines import parse
from thoughtforge.contracts.validate import check
from thoughtforge.definitions.depth import Asked, first_depth
from thoughtforge.definitions.drivers import has_plan, has_project
from thoughtforge.definitions.goal import choose
from thoughtforge.definitions.pipelines import with_exit
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Caps, JsonObject, Pauses, Pipeline
from thoughtforge.service.agents import binder, check_ready, roles_of, waiting
from thoughtforge.service.agents import choose as choose_agents
from thoughtforge.service.app import App
from thoughtforge.service.create import Origin, TaskSpec, create
from thoughtforge.service.library import HOME_IN_TREE, Definitions, Library, open_library


class StartRequest(NamedTuple):
    """What a person asked for, with the flags they gave."""

    request: str
    pipeline: str | None = None
    through: str | None = None
    from_spec: Path | None = None
    from_tests: Path | None = None
    from_task: str | None = None
    provider: str | None = None
    pauses: Pauses = Pauses()
    caps: Mapping[str, float] = {}
    depth: Asked = "auto"
    command: str = ""
    """The command that stands for the pipeline, when it does."""


class Submitted(NamedTuple):
    """A new task and what the person should know about it."""

    task_id: str
    plan: TaskSpec


async def plan(app: App, order: StartRequest) -> TaskSpec:
    """Settle everything and check it."""
    app.require_trust()
    _check_request(order.request, app.loaded.config.request_bytes)
    async with open_library(app) as library:
        settled = await _plan(app, order, library)
    check_ready(app, settled.pipeline, exit_stage=settled.exit_stage, agents=settled.agents)
    return settled


async def submit(app: App, order: StartRequest) -> Submitted:
    """Create the task. It reports every problem before it writes the first byte."""
    app.require_trust()
    _check_request(order.request, app.loaded.config.request_bytes)
    async with open_library(app) as library:
        settled = await _plan(app, order, library)
        origin = Origin(str(library.git.repository.root), library.definitions.sources())
        return Submitted(create(app, order.request, settled, pauses=order.pauses, origin=origin), settled)


def _check_request(request: str, most: int) -> None:
    if not request.strip():
        raise UserError(
            "the request is empty", do='Say what you want: thoughtforge design "Add a --json flag to export"'
        )
    size = len(request.encode("utf-8", "replace"))
    if size > most:
        raise UserError(
            f"the request has {size:,} bytes, the limit is {most:,}",
            do="Put the material into a file of the repository and name it in a short request, or raise request_bytes.",
        )


async def _plan(app: App, order: StartRequest, library: Library) -> TaskSpec:
    known = library.definitions
    externals = _external_files(app, order, known)
    goal = choose(
        order.request,
        pipeline=order.pipeline,
        from_spec="specification" in externals,
        from_tests="test_suite" in externals,
        pipelines=[one.pipeline for one in known.pipelines.values() if not _begins_otherwise(one.pipeline)],
    )
    if order.command:
        goal = goal._replace(cause=f"the command is {order.command}")
    pipeline = known.pipelines[goal.name].pipeline
    exit_stage = with_exit(pipeline, order.through) if order.through else pipeline.exit.stage
    _check_pauses(order.pauses, pipeline)
    inputs = _check_inputs(externals, pipeline, known, library)
    reviewers = [role for stage in pipeline.stages for role in stage.reviewers]
    agents = choose_agents(app.loaded.config, order.provider, reviewers=reviewers)
    agent = binder(app, agents, known.roles)
    used = [agent(role) for role in roles_of(pipeline, exit_stage)]
    return TaskSpec(
        goal=goal,
        pipeline=pipeline,
        exit_stage=exit_stage,
        agents=agents,
        offsite=tuple(sorted({one.provider for one in used if one.model.offsite})),
        labels=tuple(sorted({one.model.label for one in used if one.model.label})),
        caps=_caps(app, order),
        inputs=inputs,
        base_commit=library.commit,
        notes=(*await _notes(library), *waiting(used), *_missing_driver(pipeline, exit_stage)),
        depth=first_depth(
            order.depth, pipeline, order.pauses, externals.get("specification", ("", None))[1], request=order.request
        ),
    )


def _begins_otherwise(pipeline: Pipeline) -> bool:
    """Whether another command begins such a task: think or forge."""
    return has_project(pipeline) or has_plan(pipeline)


def _missing_driver(pipeline: Pipeline, exit_stage: str) -> tuple[str, ...]:
    """The first stage this version cannot run, said before the task begins."""
    known = extension_names("drivers")
    for stage in pipeline.stages:
        if stage.driver not in known:
            return (f"this version cannot run the stage {stage.name}; the task will end before it",)
        if stage.name == exit_stage:
            break
    return ()


def _check_pauses(pauses: Pauses, pipeline: Pipeline) -> None:
    names = [stage.name for stage in pipeline.stages]
    unknown = [name for name in pauses.stages if name not in names]
    if unknown:
        raise UserError(f"there is no stage {', '.join(unknown)} in {pipeline.name}", do=f"Stages: {', '.join(names)}")


def _caps(app: App, order: StartRequest) -> Caps:
    given = {key: value for key, value in order.caps.items() if value is not None}
    return Caps.model_validate({**app.loaded.config.limits.model_dump(), **given})


async def _notes(library: Library) -> tuple[str, ...]:
    notes: list[str] = []
    dirty = [path for path in await library.git.dirty() if not path.startswith(HOME_IN_TREE)]
    if dirty:
        more = f" and {len(dirty) - 3} more" if len(dirty) > 3 else ""
        notes.append(f"the task ignores uncommitted changes and leaves them alone: {', '.join(dirty[:3])}{more}")
    submodules = await library.git.submodules(library.commit)
    if submodules:
        notes.append(f"the task does not read submodules: {', '.join(submodules)}")
    notes += [f"ignored, because the base commit does not have this version: {path}" for path in library.unused]
    return tuple(notes)


def _external_files(app: App, order: StartRequest, known: Definitions) -> dict[str, tuple[str, JsonObject]]:
    """Contract → where it came from and what it says; nothing here is trusted yet."""
    found: dict[str, tuple[str, JsonObject]] = {}
    for contract, path in (("specification", order.from_spec), ("test_suite", order.from_tests)):
        if path is not None:
            found[contract] = (str(path), read_artifact(path))
    if order.from_task is not None:
        task_id = app.store.find(order.from_task)
        task = app.store.peek(task_id)
        artifacts = task.state.artifacts()
        if "specification" not in artifacts:
            raise UserError(f"task {task_id} has no accepted specification", do=f"Look: thoughtforge status {task_id}")
        data = parse(task.blobs.get(artifacts["specification"]).decode(), source=task_id).data
        found["specification"] = (f"task {task_id}", data)
    return found


def read_artifact(path: Path) -> JsonObject:
    """A YAML or JSON file with one object in it."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", do="Name a file that exists.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text", do="Give a YAML or JSON file.") from error
    data = parse(text, source=str(path)).data
    if not isinstance(data, dict):
        raise UserError(f"{path}: expected one object with fields", do="See: thoughtforge contracts list")
    return data


def _check_inputs(
    externals: dict[str, tuple[str, JsonObject]], pipeline: Pipeline, known: Definitions, library: Library
) -> tuple[tuple[str, str, JsonObject], ...]:
    """What comes from outside must be wanted by the pipeline and keep its contract."""
    wanted = {**pipeline.accepts_external, **pipeline.requires_external}
    details = [f"{name}: the pipeline {pipeline.name} does not accept it" for name in externals if name not in wanted]
    details += [
        f"{name}: missing; pass it with --from-spec or --from-task"
        for name in pipeline.requires_external
        if name not in externals
    ]
    for name, rule in wanted.items():
        lacking = [need for need in rule.requires if name in externals and need not in externals]
        details += [f"{name}: needs {need} too" for need in lacking]
    for name, (source, data) in externals.items():
        contract: Contract = known.contracts[name]
        given = ValidationContext(
            artifacts={other: found for other, (_, found) in externals.items() if other != name},
            paths=frozenset(e.path for e in library.tree.paths()),
            contracts=frozenset(known.contracts),
        )
        details += [f"{source}: {p.where}: {p.what}" for p in check(data, contract, given)]
    if details:
        raise UserError(
            f"the given artifacts do not fit the pipeline {pipeline.name}",
            do="Fix these points; check a file with: thoughtforge contracts validate FILE",
            details=tuple(details),
        )
    return tuple((name, source, data) for name, (source, data) in externals.items())
