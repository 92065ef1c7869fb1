"""A new thought: a task and a repository of its own, made whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.agent.run import Agent
from thoughtforge.definitions.drivers import is_thought, roles
from thoughtforge.definitions.goal import Goal
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import Event, WarningGiven
from thoughtforge.kernel.model import Caps, Pauses, Pipeline
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import ActionAsked, CopyWanted
from thoughtforge.service.agents import ALL, binder, roles_of, waiting
from thoughtforge.service.agents import choose as choose_agents
from thoughtforge.service.app import App
from thoughtforge.service.create import Origin, TaskSpec, create, new_id
from thoughtforge.service.library import Definitions, definitions
from thoughtforge.service.open_task import readable
from thoughtforge.service.unpriced import require_price
from thoughtforge.views.phases import DRAFT
from thoughtforge.workspaces.project import make_project

THINK = "think"
BUILTIN = "builtin"
TRIES = 5


class Thought(NamedTuple):
    """What a person poured out, with the flags they gave."""

    text: str = ""
    draft: bool = False
    """Nobody is there to confirm anything."""
    distill: bool = True
    """Everything is said; begin at once."""
    provider: str | None = None
    resources: Sequence[Path] = ()
    caps: dict[str, float] = {}
    copy_to: Path | None = None
    """Where they want a copy of the plan."""


async def begin(app: App, thought: Thought) -> str:
    """Create the task; its id."""
    app.require_trust()
    app.home.prepare()
    settled = _settle(app, thought, known := definitions(app, {}))
    others = under_way(app)
    if _takes_slot(settled.labels, settled.exit_stage, settled.pipeline):
        _check_room(app, others)
    for _ in range(TRIES):
        created = app.clock()
        task_id = new_id(app, created, thought.text or THINK)
        aside = app.home.projects / f".{task_id}"
        try:
            base = await make_project(aside, path=app.search_path, when=created)
        except FileExistsError:
            continue  # another process drew the same word
        try:
            _copy(thought.resources, aside / "resources")
            aside.rename(app.home.project(task_id))
            first = [*_first(app, thought), *_about_damage(others)]
            _create(app, thought, settled._replace(base_commit=base), task_id=task_id, known=known, first=first)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            shutil.rmtree(app.home.project(task_id), ignore_errors=True)
            raise
        return task_id
    raise UserError("every random name for the task is taken", do="Try again.")


def _create(
    app: App, thought: Thought, settled: TaskSpec, *, task_id: str, known: Definitions, first: Sequence[Event]
) -> None:
    pauses = Pauses() if thought.draft else Pauses(stages=("distill", "spec"))
    origin = Origin(str(app.home.project(task_id)), known.sources(), tuple(first))
    create(app, thought.text, settled, pauses=pauses, origin=origin, task_id=task_id)


def _first(app: App, thought: Thought) -> list[Event]:
    """What is on record from the beginning."""
    found: list[Event] = []
    if thought.draft:
        text = "nobody confirmed the intent or the proposal: the result is a draft"
        found.append(WarningGiven(text=text, code="taken_as_given"))
    if thought.copy_to is not None:
        found.append(CopyWanted(path=str(Path(app.cwd, thought.copy_to)), by=app.who))
    if thought.distill and thought.text.strip():
        found.append(ActionAsked(action="distill", by=app.who))
    return found


def _about_damage(others: UnderWay) -> list[Event]:
    what = "its record is damaged, so it does not count as under way; see the damage: thoughtforge verify"
    return [WarningGiven(text=f"{one}: {what} {one}", code="not_counted") for one in others.damaged]


def _settle(app: App, thought: Thought, known: Definitions) -> TaskSpec:
    agents = choose_agents(app.loaded.config, thought.provider) or {ALL: BUILTIN}
    pipeline = known.pipelines[THINK].pipeline
    agent = binder(app, agents, known.roles)
    used = [agent(role) for role in roles(pipeline.stages)]
    caps = Caps.model_validate({**app.loaded.config.limits.model_dump(), **thought.caps})
    require_price(used, caps, command="thoughtforge think FILE")
    labels = {one.model.label for one in used if one.model.label} | ({DRAFT} if thought.draft else set())
    return TaskSpec(
        goal=Goal(THINK, "the command think"),
        pipeline=pipeline,
        exit_stage=_end(pipeline, agent),
        agents=agents,
        offsite=tuple(sorted({one.provider for one in used if one.model.offsite})),
        labels=tuple(sorted(labels)),
        caps=caps,
        inputs=(),
        base_commit="",
        notes=waiting(used),
    )


def _end(pipeline: Pipeline, agent: Callable[[str], Agent]) -> str:
    """Where it ends: rules fill only some roles, so where they do everything, before the first role they cannot."""
    if not all(agent(role).model.capabilities.jobs for role in roles(pipeline.stages)):
        return pipeline.exit.stage
    exits = [stage.name for stage in pipeline.stages if stage.exit_point]
    reached = [name for name in exits if all(_fills(agent(role)) for role in roles_of(pipeline, name))]
    return reached[-1] if reached else pipeline.exit.stage


def _fills(agent: Agent) -> bool:
    able = agent.model.capabilities.roles
    return able is None or agent.role.name in able


def _copy(resources: Sequence[Path], folder: Path) -> None:
    for path in resources:
        try:
            shutil.copy2(path, folder / path.name)
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror}", do="Name a file that exists.") from error


class UnderWay(NamedTuple):
    """The thoughts there are besides a new one."""

    busy: tuple[str, ...]
    """Those that take a slot: neither done nor terminated."""
    damaged: tuple[str, ...]
    """Those whose record cannot be read: nobody knows whether they take one, and they hold nobody up."""


def under_way(app: App) -> UnderWay:
    """Who takes a slot."""
    thoughts = [task_id for task_id in app.store.ids() if app.home.project(task_id).is_dir()]
    found = {task_id: readable(app.store, task_id) for task_id in thoughts}
    busy = [task_id for task_id, state in found.items() if state and _busy(state)]
    return UnderWay(tuple(busy), tuple(task_id for task_id, state in found.items() if state is None))


def _busy(state: State) -> bool:
    task = state.the_task()
    over = state.exited is not None or state.stop is StopReason.aborted
    return is_thought(task) and not over and _takes_slot(task.labels, task.exit_stage, task.pipeline)


def _takes_slot(labels: Sequence[str], exit_stage: str, pipeline: Pipeline) -> bool:
    """A draft by rules alone, which ends after its build, is over in a moment and waits for nobody."""
    return DRAFT not in labels or exit_stage == pipeline.exit.stage


def _check_room(app: App, others: UnderWay) -> None:
    most, busy = app.loaded.config.concurrency.max_parallel_runs, others.busy
    if len(busy) >= most:
        raise UserError(
            f"too many thoughts are under way: {len(busy)}/{most}",
            do=f"Finish or terminate one ({', '.join(busy)}), or raise concurrency.max_parallel_runs.",
        )
