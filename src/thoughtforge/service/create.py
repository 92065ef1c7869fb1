"""Write a new task: whole or not at all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from thoughtforge.agent.frame import LONGEST_REQUEST
from thoughtforge.agent.tokens import estimate
from thoughtforge.calls.events import DepthSet
from thoughtforge.definitions.depth import has_depths
from thoughtforge.definitions.goal import Goal
from thoughtforge.kernel.events import Event, ExternalImported, TaskCreated, WarningGiven
from thoughtforge.kernel.model import Caps, Input, JsonObject, Pauses, Pipeline, Task, Verdict
from thoughtforge.service.agents import check_ready
from thoughtforge.service.app import App
from thoughtforge.store.port import NewTask
from thoughtforge.views.yaml_text import to_yaml

SHOWN_REQUEST = 4_000
"""Characters of a request kept in the event; the blob has all of it."""


class TaskSpec(NamedTuple):
    """What would happen: nothing of it is written yet."""

    goal: Goal
    pipeline: Pipeline
    exit_stage: str
    agents: dict[str, str]
    offsite: tuple[str, ...]
    labels: tuple[str, ...]
    caps: Caps
    inputs: tuple[tuple[str, str, JsonObject], ...]
    base_commit: str
    notes: tuple[str, ...]
    depth: DepthSet | None = None
    """None for a thought. A pipeline that has one depth only keeps no record of it."""


class Origin(NamedTuple):
    """Where a task works and what applies there."""

    repository: str
    sources: dict[str, str]
    events: tuple[Event, ...] = ()
    """What is on record from the beginning."""
    texts: tuple[str, ...] = ()
    """What these events name by its digest."""


def create(
    app: App, request: str, settled: TaskSpec, *, pauses: Pauses, origin: Origin, task_id: str | None = None
) -> str:
    """The id of the new task, which the store keeps whole or not at all."""
    check_ready(app, settled.pipeline, exit_stage=settled.exit_stage, agents=settled.agents)
    created = app.clock()
    task_id = task_id or new_id(app, created, request)
    new = NewTask(app.masker)
    inputs = tuple(
        Input(contract=contract, source=source, digest=new.put(_json(data)))
        for contract, source, data in settled.inputs
    )
    task = _task(
        app,
        settled,
        origin,
        id=task_id,
        request=_shown(app, request),
        request_digest=new.put(request),
        inputs=inputs,
        created_at=created,
        pauses=pauses,
    )
    for kept in origin.texts:
        new.put(kept)
    text = app.masker.text(to_yaml(task.model_dump(mode="json"))).encode()
    new.files["task.yaml"] = text
    new.events += [TaskCreated(task=task, task_file=hashlib.sha256(text).hexdigest())]
    new.events += [_imported(item) for item in inputs]
    new.events += [settled.depth] if settled.depth and has_depths(settled.pipeline) else []
    new.events += [*_about_plan(settled), *_about_request(app, request), *origin.events]
    app.store.create(task_id, new, who=app.who)
    return task_id


def new_id(app: App, created: str, request: str) -> str:
    """A name nothing has yet."""
    words = re.findall(r"[a-z0-9]+", app.masker.text(request).lower())
    slug = "-".join(words[:5])[:40].strip("-") or "task"
    taken = app.store.ids()
    while True:
        task_id = f"{created[:10].replace('-', '')}-{app.new_word()}-{slug}"
        if task_id not in taken and not app.home.project(task_id).exists():
            return task_id


def _task(app: App, settled: TaskSpec, origin: Origin, **more: Any) -> Task:
    return Task(
        goal=settled.goal.name,
        goal_cause=settled.goal.cause,
        pipeline=settled.pipeline,
        exit_stage=settled.exit_stage,
        sources=origin.sources,
        repository=origin.repository,
        base_commit=settled.base_commit,
        caps=settled.caps,
        rules=app.loaded.config.rules,
        providers=settled.agents,
        labels=settled.labels,
        **more,
    )


def _shown(app: App, request: str) -> str:
    shown = app.masker.text(request)
    return shown if len(shown) <= SHOWN_REQUEST else f"{shown[:3000]} […] {shown[-900:]}"


def _imported(item: Input) -> ExternalImported:
    passed = Verdict(outcome="pass")
    return ExternalImported(contract=item.contract, source=item.source, artifact=item.digest, verdict=passed)


def _about_plan(settled: TaskSpec) -> Iterator[WarningGiven]:
    for note in settled.notes:
        yield WarningGiven(text=note, code="not_used")
    for name in settled.offsite:
        yield WarningGiven(text=f"provider {name} sends parts of the repository to another machine", code="offsite")


def _about_request(app: App, request: str) -> Iterator[WarningGiven]:
    hidden = app.masker.found(request)
    if hidden:
        text = f"the request contained what looks like a secret; it was masked: {', '.join(hidden)}"
        yield WarningGiven(text=text, code="request_masked")
    size = estimate(request)
    if size > LONGEST_REQUEST:
        long = f"the request is long (about {size:,} tokens)"
        yield WarningGiven(
            text=f"{long}: agents see its beginning and its end; the record has all of it", code="request_long"
        )


def _json(data: JsonObject) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1)
