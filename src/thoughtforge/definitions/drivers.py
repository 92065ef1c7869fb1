"""What the driver of a stage declares: its options, what it needs, which roles it asks and what it writes.

Whoever decides something about a stage asks here. A driver's facts are at the top of its module and cheap to load; what
its work needs is loaded when it works.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from thoughtforge.catalog import extension, extension_names
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Pipeline, Stage, Task, Value

CODE, PROJECT, PLAN = "code", "project", "plan"
"""What a driver can need: files of the task's own with tests and gate; the repository of a thought; a change plan."""
NOTHING, DOCUMENTS, TESTS, PRODUCT = "nothing", "documents", "tests", "product"
"""What a driver can write."""

BEFORE_OPTIONS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("chat", "intent"): {"agree_on": "intent"},
    ("chat", "proposal"): {"agree_on": "proposal"},
    ("code", "deliverable"): {"exit": "refactor"},
    ("code", "implementation"): {"exit": "green"},
    ("code", "test_suite"): {"exit": "red"},
    ("document", "intake_record"): {"fill": "intake"},
    ("document", "specification"): {"fill": "specification"},
}
"""Driver and output contract of a stage → its options. Records and pipeline files from before there were options have
only the former; this is the one place that reads them as what they meant."""

T = TypeVar("T", bound=Value)


class NoOptions(Value):
    """The options of a driver that declares none."""


class Driver(NamedTuple):
    """The facts of one driver."""

    options: type[Value] = NoOptions
    needs: frozenset[str] = frozenset()
    roles: tuple[str, ...] = ()
    """Roles it asks besides the one of its stage."""
    writes: str | Callable[[Any], str] = NOTHING
    """What its stages write; a function of the options where they decide it."""
    passed: Callable[[Any, Stage], Awaitable[None]] | None = None
    """Makes what follows when a stage of it has passed; it is called again after a crash and then does nothing."""


@cache
def driver(name: str) -> Driver:
    """What a driver declares; one that this version does not have declares nothing."""
    if name not in extension_names("drivers"):
        return Driver()
    facts = vars(extension("drivers", name))
    return Driver(
        facts.get("Options", NoOptions),
        frozenset(facts.get("NEEDS", ())),
        tuple(facts.get("ROLES", ())),
        facts.get("WRITES", NOTHING),
        facts.get("passed"),
    )


def given_options(name: str, contract: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a stage as its file gives them, with those a file from before there were any means."""
    return {**BEFORE_OPTIONS.get((name, contract), {}), **options}


def options_of(stage: Stage, kind: type[T]) -> T:
    """The options of a stage, of the kind that its driver declares."""
    try:
        return kind.model_validate(given_options(stage.driver, stage.output_contract, stage.options))
    except ValidationError as error:
        details = tuple(f"options.{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        do = "Use the version that made the task, or start it again with this one."
        raise UserError(
            f"the options of the stage {stage.name} do not fit its driver", do=do, details=details
        ) from error


def writes(stage: Stage) -> str:
    """What a stage writes: nothing, documents, tests or product."""
    facts = driver(stage.driver)
    if isinstance(facts.writes, str):
        return facts.writes
    return facts.writes(options_of(stage, facts.options))


def prompt_name(stage: Stage) -> str:
    """The prompt a stage is given: the one its options name, or the one named like the stage."""
    return str(stage.options.get("prompt") or stage.name)


def needs(stages: Iterable[Stage]) -> frozenset[str]:
    """What these stages need."""
    return frozenset[str]().union(*(driver(stage.driver).needs for stage in stages))


def roles(stages: Iterable[Stage]) -> tuple[str, ...]:
    """Every role that these stages ask, in the order in which they are asked first."""
    asked = [role for stage in stages for role in (stage.role, *stage.reviewers, *driver(stage.driver).roles)]
    return tuple(dict.fromkeys(asked))


def until(pipeline: Pipeline, exit_stage: str) -> tuple[Stage, ...]:
    """The stages of a pipeline up to the one where a task ends."""
    names = [stage.name for stage in pipeline.stages]
    return pipeline.stages[: names.index(exit_stage) + 1]


def first_that_writes(pipeline: Pipeline, what: str) -> Stage | None:
    """The first stage of a pipeline that writes this."""
    return next((stage for stage in pipeline.stages if writes(stage) == what), None)


def builds(task: Task) -> bool:
    """Whether any stage up to the exit works on files of the task's own."""
    return CODE in needs(until(task.pipeline, task.exit_stage))


def runs_tests(task: Task) -> bool:
    """Whether any stage up to the exit writes tests or code, so that tests are run."""
    return any(writes(stage) in (TESTS, PRODUCT) for stage in until(task.pipeline, task.exit_stage))


def has_project(pipeline: Pipeline) -> bool:
    """Whether a task of this pipeline is a thought: it gets a project of its own."""
    return PROJECT in needs(pipeline.stages)


def is_thought(task: Task) -> bool:
    """Whether the task is a thought."""
    return has_project(task.pipeline)


def has_plan(pipeline: Pipeline) -> bool:
    """Whether a task of this pipeline is a change plan: it gets a number and a file."""
    return PLAN in needs(pipeline.stages)


def is_plan(task: Task) -> bool:
    """Whether the task is a change plan."""
    return has_plan(task.pipeline)


def may_be_thought(task: Task) -> bool:
    """Whether the task is a thought, or has a driver this version does not know."""
    known = extension_names("drivers")
    return is_thought(task) or any(stage.driver not in known for stage in task.pipeline.stages)
