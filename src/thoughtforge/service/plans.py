"""A new change plan: a number nobody had, a file from the template, and a task, made whole or not at all."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from thoughtforge.definitions.goal import Goal
from thoughtforge.forge.events import PlanMade
from thoughtforge.forge.meaning import meaning_hash
from thoughtforge.forge.numbering import file_name, next_number, plan_id
from thoughtforge.forge.place import PlanPlace, digest_of, settled, show
from thoughtforge.forge.template import PROJECT_TEMPLATE, built_in, new_plan
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import Caps, Pauses
from thoughtforge.service.agents import binder, roles_of, waiting
from thoughtforge.service.agents import choose as choose_agents
from thoughtforge.service.app import App
from thoughtforge.service.create import Origin, TaskSpec, create
from thoughtforge.service.library import HOME_IN_TREE, Library, open_library
from thoughtforge.service.open_task import open_task
from thoughtforge.store.home import IdInUse

FORGE = "forge"
NUMBERS = ".numbers"
"""The file in the folder of plans that has the highest number ever given."""
TRIES = 20
TITLE = 80


class PlanRequest(NamedTuple):
    """What a person wants a plan for, with the flags they gave."""

    text: str
    title: str = ""
    provider: str | None = None
    caps: dict[str, float] = {}


async def begin(app: App, order: PlanRequest) -> str:
    """Create the plan; its id. Nothing is asked of a model."""
    app.require_trust()
    if not order.text.strip():
        raise UserError("the plan has no description", do='Say what you want: thoughtforge forge "Retry failed calls"')
    if len(order.text.encode("utf-8", "replace")) > app.loaded.config.request_bytes:
        most = app.loaded.config.request_bytes
        raise UserError(
            f"the description has more than {most:,} bytes", do="Shorten it, or raise request_bytes in config.yaml."
        )
    app.home.prepare()
    async with open_library(app) as library:
        settled_plan = _settle(app, order, library)
        template, note = await _template(library)
        number = 0
        for _ in range(TRIES):
            number = max(next_number(_used(app)), number + 1)
            try:
                return _create(app, order, settled_plan, library, number=number, template=template, note=note)
            except IdInUse:
                continue  # another process took the number, or is just taking it
    raise UserError("other processes take every number", do="Try again.")


def _used(app: App) -> Iterable[str]:
    """Every id and file name that a number was given to."""
    numbers = app.home.plans / NUMBERS
    known = numbers.read_text(encoding="utf-8").split() if numbers.is_file() else []
    there = [path.name for path in app.home.plans.glob("plan-*")] if app.home.plans.is_dir() else []
    return (*known, *there, *app.store.ids())


def _create(
    app: App, order: PlanRequest, spec: TaskSpec, library: Library, *, number: int, template: str, note: str
) -> str:
    """Write the task, whole or not at all; the store refuses a number that another process took meanwhile."""
    id, title = plan_id(number), title_of(order)
    root = library.git.repository.root
    text = settled(new_plan(template, title=title, plan_id=id, task_id=id, date=app.clock()[:10], project=root.name))
    masked = app.masker.text(text)
    made = PlanMade(file=file_name(number, title), title=title, text=digest_of(masked), meaning=meaning_hash(masked))
    notes = [WarningGiven(text=note, code="plan_template")] if note else []
    origin = Origin(str(root), library.definitions.sources(), (made, *notes), (masked,))
    create(app, order.text, spec, pauses=Pauses(), origin=origin, task_id=id)
    app.home.plans.mkdir(exist_ok=True)
    _remember(app.home.plans / NUMBERS, id)
    with open_task(app.store, id, who=app.who) as opened:
        show(opened.journal, opened.blobs, place(app))
    return id


def _remember(path: Path, id: str) -> None:
    """A number stays taken, also when its plan and its file are gone."""
    known = path.read_text(encoding="utf-8").split() if path.is_file() else []
    if next_number(known) > next_number([id]):
        return
    fresh = path.with_name(f"{NUMBERS}.new")
    fresh.write_text(f"{id}\n", encoding="utf-8")
    fresh.replace(path)


def title_of(order: PlanRequest) -> str:
    """The title of a plan: given, or the first line of what is wanted."""
    first = next((line.strip("# ").strip() for line in order.text.splitlines() if line.strip("# ").strip()), "")
    sentence = re.match(rf".{{1,{TITLE}}}?[.!?](?= |$)", first)
    title = order.title.strip() or (sentence[0].rstrip(".") if sentence else first)
    return title if len(title) <= TITLE else f"{title[: TITLE - 1].rsplit(' ', 1)[0]}…"


async def _template(library: Library) -> tuple[str, str]:
    """The repository's own template, and in words why it is not used when it cannot be read."""
    path = f"{HOME_IN_TREE}{PROJECT_TEMPLATE}"
    here = library.git.repository.root / path
    ignored = f"ignored, because the base commit does not have this version: {path}"
    if path not in library.tree.entries:
        return built_in(), ignored if here.is_file() else ""
    found = await library.tree.read(path)
    if found.note:
        return built_in(), f"{path} cannot be read: {found.note}; the built-in template is used"
    return found.text, "" if _same(here, found.text) else ignored


def _same(path: Path, text: str) -> bool:
    """Whether the working copy has this text too; a file that is gone there is no version of it."""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return True


def _settle(app: App, order: PlanRequest, library: Library) -> TaskSpec:
    pipeline = library.definitions.pipelines[FORGE].pipeline
    agents = choose_agents(app.loaded.config, order.provider, reviewers=("auditor",))
    agent = binder(app, agents, library.definitions.roles)
    used = [agent(role) for role in roles_of(pipeline, pipeline.exit.stage)]
    return TaskSpec(
        goal=Goal(FORGE, "the command forge"),
        pipeline=pipeline,
        exit_stage=pipeline.exit.stage,
        agents=agents,
        offsite=tuple(sorted({one.provider for one in used if one.model.offsite})),
        labels=tuple(sorted({one.model.label for one in used if one.model.label})),
        caps=Caps.model_validate({**app.loaded.config.limits.model_dump(), **order.caps}),
        inputs=(),
        base_commit=library.commit,
        notes=waiting(used),
    )


def place(app: App) -> PlanPlace:
    """Where the files of plans lie."""
    return PlanPlace(app.home.plans, app.masker.text, app.home.shown)


def begins(app: App, text: str | None, file: Path | None, task: str | None) -> str:
    """What a plan begins from: a sentence, a file such as an issue's text, a specification, the plan of a thought."""
    given = [one for one in (text, file, task) if one is not None]
    if len(given) != 1:
        raise UserError(
            "give what you want once: as text, with --file or with --from-task",
            do='Example: thoughtforge forge "Retry failed calls"',
        )
    if text is not None:
        return sys.stdin.read() if text == "-" else text
    return _from_file(file) if file is not None else _from_task(app, app.store.find(str(task)))


def _from_file(path: Path) -> str:
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", do="Name a text file that exists.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text", do="Save it as UTF-8.") from error


def _from_task(app: App, task_id: str) -> str:
    from thoughtforge.service.show import finished_plan, result
    from thoughtforge.views.yaml_text import to_yaml

    if text := finished_plan(app, task_id):
        return text
    return f"Carry out this specification of {task_id}.\n\n{to_yaml(result(app, task_id, 'specification'))}"
