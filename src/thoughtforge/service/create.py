"""Write a new task: whole or not at all."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from thoughtforge.agent.frame import LONGEST_REQUEST
from thoughtforge.agent.tokens import estimate
from thoughtforge.intake.goal import Goal
from thoughtforge.kernel.events import Event, ExternalImported, TaskCreated, WarningGiven
from thoughtforge.kernel.model import Caps, Input, JsonObject, Pauses, Pipeline, Task, Verdict
from thoughtforge.service.app import App
from thoughtforge.service.ready import check_ready
from thoughtforge.store.blobs import FileBlobs
from thoughtforge.store.lease import lease
from thoughtforge.store.log import FileLog
from thoughtforge.store.viewfiles import to_yaml

SHOWN_REQUEST = 4_000
"""Characters of a request kept in the event; the blob has all of it."""


class Plan(NamedTuple):
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


class Origin(NamedTuple):
    """Where a task works and what is in force there."""

    repository: str
    sources: dict[str, str]
    events: tuple[Event, ...] = ()
    """What is on record from the beginning."""


def create(app: App, request: str, settled: Plan, *, pauses: Pauses, origin: Origin, task_id: str | None = None) -> str:
    """The id of the new task. It is written aside and renamed into place, so a crash leaves no half-made one."""
    check_ready(app, settled.pipeline, exit_stage=settled.exit_stage, agents=settled.agents)
    app.home.prepare()
    created = app.clock()
    task_id = task_id or new_id(app, created, request)
    aside = app.home.folder(f".{task_id}")
    aside.mkdir(mode=0o700)
    try:
        with lease(aside, who=app.who):  # so that `prune` does not take it for a leftover
            _write(app, aside, request, task_id=task_id, settled=settled, pauses=pauses, origin=origin, created=created)
        aside.rename(app.home.folder(task_id))
    except BaseException:
        shutil.rmtree(aside)
        raise
    return task_id


def new_id(app: App, created: str, request: str) -> str:
    """A name nothing has yet."""
    words = re.findall(r"[a-z0-9]+", app.masker.text(request).lower())
    slug = "-".join(words[:5])[:40].strip("-") or "task"
    while True:
        task_id = f"{created[:10].replace('-', '')}-{app.new_word()}-{slug}"
        if not app.home.folder(task_id).exists() and not app.home.project(task_id).exists():
            return task_id


def _write(
    app: App,
    folder: Path,
    request: str,
    *,
    task_id: str,
    settled: Plan,
    pauses: Pauses,
    origin: Origin,
    created: str,
) -> None:
    blobs = FileBlobs(folder, masker=app.masker)
    inputs = tuple(
        Input(contract=contract, source=source, digest=blobs.put(_json(data)))
        for contract, source, data in settled.inputs
    )
    shown = app.masker.text(request)
    task = Task(
        id=task_id,
        request=shown if len(shown) <= SHOWN_REQUEST else f"{shown[:3000]} […] {shown[-900:]}",
        request_digest=blobs.put(request.encode("utf-8", "replace")),
        goal=settled.goal.name,
        goal_cause=settled.goal.cause,
        pipeline=settled.pipeline,
        exit_stage=settled.exit_stage,
        sources=origin.sources,
        inputs=inputs,
        repository=origin.repository,
        base_commit=settled.base_commit,
        created_at=created,
        caps=settled.caps,
        rules=app.loaded.config.rules,
        pauses=pauses,
        providers=settled.agents,
        labels=settled.labels,
    )
    text = app.masker.text(to_yaml(task.model_dump(mode="json"))).encode()
    (folder / "task.yaml").write_bytes(text)
    log = FileLog(folder, masker=app.masker, clock=app.clock)
    try:
        log.append(TaskCreated(task=task, task_file=hashlib.sha256(text).hexdigest()))
        for item in inputs:
            passed = Verdict(outcome="pass")
            log.append(
                ExternalImported(contract=item.contract, source=item.source, artifact=item.digest, verdict=passed)
            )
        for event in (*_about_plan(settled), *_about_request(app, request), *origin.events):
            log.append(event)
    finally:
        log.close()


def _about_plan(settled: Plan) -> Iterator[WarningGiven]:
    for note in settled.notes:
        yield WarningGiven(text=note, code="not_used")
    for name in settled.offsite:
        yield WarningGiven(text=f"provider {name} sends parts of the repository off this machine", code="offsite")


def _about_request(app: App, request: str) -> Iterator[WarningGiven]:
    hidden = app.masker.found(request)
    if hidden:
        text = f"the request held what looks like a secret; it was masked: {', '.join(hidden)}"
        yield WarningGiven(text=text, code="request_masked")
    size = estimate(request)
    if size > LONGEST_REQUEST:
        long = f"the request is long (about {size:,} tokens)"
        yield WarningGiven(
            text=f"{long}: it is stored whole, agents see its beginning and its end", code="request_long"
        )


def _json(data: JsonObject) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1).encode()
