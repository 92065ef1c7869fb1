"""The parts of a step's context: the frame of the task, what the engine measured, inputs, feedback and hints."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.asking import context_room
from thoughtforge.agent.context import (
    MEASURED,
    NOTES,
    OLDER,
    SPECIFICATION,
    WHOLE,
    Block,
    Context,
    compose,
    least,
    recent_actions,
)
from thoughtforge.agent.prompt import SystemPrompt, shorten, system_prompt
from thoughtforge.agent.room import RESULT_SHARE, TAIL, THOUGHT, TOTAL, Room
from thoughtforge.agent.run import Agent, Run
from thoughtforge.agent.tokens import fit
from thoughtforge.calls.events import ActionTaken
from thoughtforge.calls.spending import SCALE
from thoughtforge.definitions.drivers import TESTS, writes
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Feedback, JsonObject, Stage
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.rulings import hidden


def status(run: Run, stage: Stage) -> dict[str, Any]:
    """The few figures every step sees."""
    mine = run.record.stage(stage.name)
    failing = sum(len(f.items) for f in mine.feedback if f.kind in ("contract", "review"))
    exit, edit = measured_now(run, stage, "exit"), measured_now(run, stage, "edit")
    told: dict[str, Any] = {"round": mine.round, "open_points": failing, "judged_by": "the engine"}
    if exit is not None:
        told["last_exit"] = exit.summary
    if edit is not None:
        told["last_edit"] = edit.summary
        if edit.facts.get("next_action"):
            told["next_action"] = edit.facts["next_action"]
    return {**told, "ready": False}


def measured_now(run: Run, stage: Stage, what: str) -> Measured | None:
    """The last measurement of that name, as long as the work it was made of goes on."""
    return run.record.stage(stage.name).measured.get(what) if run.record.memory(stage.name).counts(what) else None


def measured_blocks(run: Run, stage: Stage) -> list[Block]:
    """The last measurement of the exit in full, and a warning when the agent repeats itself."""
    mine = run.record.stage(stage.name)
    blocks = []
    if circles := run.record.memory(stage.name).circles:
        blocks.append(Block("you repeat yourself", circles.summary, 120, floor=80, need=MEASURED))
    turn = mine.measured.get("turn")
    if turn is not None and turn.outcome != "pass":
        blocks.append(Block("files change only through the tools", turn.summary, 200, floor=120, need=MEASURED))
    exit = measured_now(run, stage, "exit")
    if exit is not None and exit.outcome != "pass":
        title = exit_title(exit, run.record.memory(stage.name).recent)
        blocks.append(Block(title, exit_text(exit), 1_500, floor=900, need=MEASURED))
        if told := _failures(run, exit):
            blocks.append(Block("how tests fail", told, 1_500, floor=0, untrusted=True, need=MEASURED))
    if refused := _refused_before(run, stage):
        blocks.append(
            Block("refused before in this round; do not bring it back", refused, 600, floor=400, need=MEASURED)
        )
    return blocks


def _failures(run: Run, exit: Measured) -> str:
    """What failing tests say in full, where one line does not say it."""
    failures = (run.record.artifact(exit.report) or {}).get("failures", {}) if exit.report else {}
    return "\n".join(f"- {id} at {text}" for id, text in failures.items() if "\n" in text)


def exit_title(exit: Measured, recent: Sequence[ActionTaken]) -> str:
    """What the verdict is called: one of files that were edited since is old."""
    stale = bool(recent and exit.tree and recent[-1].tree not in ("", exit.tree))
    when = " before your last edit; complete measures it again" if stale else ""
    return f"why the stage is not finished, as measured by the engine{when}"


def _refused_before(run: Run, stage: Stage) -> str:
    """What earlier measurements of this round refused, the last one does not name, and nothing has answered since."""
    exit = measured_now(run, stage, "exit")
    now = {(c.name, c.detail) for c in exit.criteria if c.outcome != "pass"} if exit else set()
    held = {c.name for c in exit.criteria if c.outcome == "pass"} if exit else set()
    before = (one for one in run.record.memory(stage.name).refusals if one not in now and one.name not in held)
    return _lines(f"{one.name}: {one.detail}" for one in before)


def exit_text(exit: Measured) -> str:
    """The conditions that do not hold, then the number of those that do."""
    bad = [c for c in exit.criteria if c.outcome in ("fail", "broken")]
    good = sum(c.outcome == "pass" for c in exit.criteria)
    told = f"- {good} other condition{'s hold' if good != 1 else ' holds'}" if good else ""
    return "\n".join([*(f"- {c.name}: {c.outcome}: {c.detail}" for c in bad), *([told] if told else [])])


_WORDS = {
    "contract": "The last version broke its contract; fix every point",
    "review": "A reviewer blocks the last version; answer every point by its id",
    "person": "The person asks for a revision",
    "answer": "The person answered",
}


def system_for(run: Run, agent: Agent, stage: Stage, tools: Collection[str], *, contract: str = "") -> SystemPrompt:
    """The system prompt of an agent at a stage."""
    return system_prompt(agent.role, stage=stage, tools=tools, catalog=run.library.catalog, contract=contract)


def context_for(
    run: Run,
    agent: Agent,
    stage: Stage,
    *,
    system: SystemPrompt,
    blocks: Iterable[Block],
    actions: str,
    stable: Iterable[Block] = (),
    contract: str = "",
) -> Context:
    """A whole context; `stable` blocks come first and are the same in every call of a stage."""
    given, brief = tuple(blocks), tuple(stable)
    told = any(block.title == REQUEST for block in (*given, *brief))
    fixed = {
        "task_frame": _frame(run, stage, contract or stage.output_contract, told=told),
        "recent_actions": recent_actions(
            run.record.memory(stage.name).recent, made=run.record.stage(stage.name).status == "made"
        ),
        "verification_status": as_yaml(status(run, stage)),
        "available_actions": actions,
    }
    scale = run.record.journal.of(SCALE)
    name, most = agent.model.model, step_room(run, agent)
    if window := agent.model.capabilities.context_window:
        size = compose(system.text, fixed, blocks=(), room=Room.of(scale.of(name))).tokens + 2 * len(fixed)
        needed = size + least((*brief, *given))
        if most / scale.of(name) < min(needed, TOTAL / scale.of(name)):
            raise _too_small(run, agent, window, needed=int(needed * scale.of(name)))
    room = Room.of(scale.of(name), scale.settled(name), most=most)
    return compose(system.text, fixed, blocks=given, stable=brief, room=room)


def step_room(run: Run, agent: Agent) -> int:
    """Tokens a step may have: more in a thought, where everything it goes by is in its own project."""
    window = agent.model.capabilities.context_window
    usual = min(TOTAL, window - run.answer_tokens(agent)) if window else TOTAL
    return usual if run.project is None else max(usual, min(THOUGHT, context_room(run, agent)))


def result_room(run: Run, agent: Agent) -> int:
    """Tokens the result of one action is promised."""
    return TAIL + max(0, step_room(run, agent) - TOTAL) // RESULT_SHARE


def _too_small(run: Run, agent: Agent, window: int, *, needed: int) -> Stop:
    answer = run.answer_tokens(agent)
    what = f"{agent.provider} takes {window:,} tokens in total (context_window), {answer:,} of them for the answer"
    do = "Raise context_window if the model takes more, lower call_output_tokens, or use another model."
    return Stop(StopReason.configuration, f"{what}, and this step needs {needed:,}. {do}")


def _frame(run: Run, stage: Stage, contract: str, *, told: bool) -> str:
    """What every call is told of the task; the goal only where the request itself is not shown."""
    frame = {
        "id": run.record.task.id,
        **({} if told else {"goal": shorten(run.record.task.request)}),
        "stage": stage.name,
        "success": f"an artifact that keeps the contract {contract}",
    }
    if baseline := run.record.journal.state.measured.get("baseline"):
        frame["before_the_task"] = baseline.summary
    text = as_yaml(frame)
    if run.library.project_rules:
        text += "repository_rules: |\n" + _indent(fit(run.library.project_rules, 220))
    return text


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def listed_notes(notes: Sequence[str]) -> str:
    """Notes one below the other, each with its lines."""
    return "\n".join("- " + note.replace("\n", "\n  ") for note in notes)


LAST_NOTES = 2
"""Notes of an earlier stage that are passed on: what was noted before is mostly done by then."""


def notes_before(run: Run, stage: Stage) -> list[Block]:
    """What the last stage that took notes wrote down; who writes tests knows what is held back and tells nobody."""
    stages = run.record.task.pipeline.stages
    before = stages[: [one.name for one in stages].index(stage.name)]
    for one in reversed([one for one in before if writes(one) != TESTS]):
        if notes := run.record.memory(one.name).notes[-LAST_NOTES:]:
            title = f"notes of an earlier stage ({one.name})"
            return [Block(title, listed_notes(notes), 500, floor=200, untrusted=True, need=NOTES)]
    return []


REQUEST = "request"
LONGEST_REQUEST = 3_000
"""Tokens of a request an agent is shown; of a longer one it sees the beginning and the end."""


def input_blocks(run: Run) -> list[Block]:
    """The request and the accepted artifacts that say something of their own, as material; the specification whole."""
    accepted = run.record.accepted()
    cap = 700 if accepted else LONGEST_REQUEST
    blocks = [Block(REQUEST, run.record.request(), cap, floor=200, untrusted=True, need=SPECIFICATION)]
    for contract, artifact in accepted.items():
        text = as_yaml(as_told(contract, artifact, specified="specification" in accepted))
        if contract == "specification":
            blocks.append(Block(contract, text, WHOLE, floor=WHOLE, untrusted=True, need=SPECIFICATION))
        elif not any(later in accepted for later in _SAID_BY.get(contract, ())) and contract != "test_suite":
            blocks.append(Block(contract, text, 1_300, floor=250, untrusted=True, need=OLDER))
    return blocks


_SAID_BY = {
    "intake_record": ("specification",),
    "clarification": ("specification",),
    "analysis": ("implementation",),
}
"""What a later artifact has taken in. The list of tests leaves too: whoever needs the tests is shown them."""


_ELSEWHERE = {
    "intake_record": {"original_request", "metadata", "request_id"},
    "specification": {"spec_id", "trace_to_request", "estimated_complexity"},
}
_QUOTED = {"evidence", "dependencies"}
"""What the code at hand shows as it is now; the line numbers of an analysis are old once somebody edits."""


def as_told(contract: str, artifact: dict[str, Any], *, specified: bool) -> dict[str, Any]:
    """An input without what the context says elsewhere; each criterion stands once, under its id."""
    hidden = _ELSEWHERE.get(contract, set()) | (_QUOTED if specified and contract == "analysis" else set())
    told = {key: value for key, value in artifact.items() if key not in hidden and value != []}
    if contract == "specification" and isinstance(told.get("requirements"), list):
        told["requirements"] = [_requirement(one) for one in told["requirements"]]
    return told


def _requirement(one: dict[str, Any]) -> dict[str, Any]:
    criteria = {f"{one['id']}.{number}": text for number, text in enumerate(one["acceptance_criteria"], start=1)}
    return {key: value for key, value in one.items() if key != "trace"} | {"acceptance_criteria": criteria}


def feedback_blocks(run: Run, stage: Stage) -> list[Block]:
    """What gates, reviewers and people said, the version they said it of, and the person's hints."""
    mine = run.record.stage(stage.name)
    blocks = [
        Block(_title(item), _lines(map(hidden, item.items)), 1_500, floor=900, need=MEASURED) for item in mine.feedback
    ]
    if mine.feedback and mine.artifact:
        last = last_version(run, stage)
        text = as_yaml(last) if last is not None else run.record.blobs.get(mine.artifact).decode("utf-8", "replace")
        cap, floor = (WHOLE, WHOLE) if stage.output_contract == "specification" else (2_600, 900)
        blocks.append(
            Block(
                "your last version; give only the top-level fields that change, the rest is kept",
                text,
                cap,
                floor=floor,
                untrusted=True,
                need=SPECIFICATION,
            )
        )
    return [*hint_blocks(run), *blocks]


def last_version(run: Run, stage: Stage) -> JsonObject | None:
    """What was handed in before and sent back; None when nothing was, or nothing that can be read."""
    mine = run.record.stage(stage.name)
    return run.record.artifact(mine.artifact) if mine.feedback and mine.artifact else None


def hint_blocks(run: Run) -> list[Block]:
    """What the person said on the way; nothing when they said nothing."""
    return [Block("hints of the person", _lines(run.record.journal.state.hints), 300, floor=150, need=MEASURED)]


def _lines(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _title(item: Feedback) -> str:
    number = f" (iteration {item.iteration})" if item.iteration else ""
    return _WORDS[item.kind] + number
