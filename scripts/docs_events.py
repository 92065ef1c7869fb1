"""Every event and what events are made of, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docs_fields import fields

from thoughtforge.contracts.published import Described
from thoughtforge.kernel.events import KINDS
from thoughtforge.kernel.stops import STOPS
from thoughtforge.store.log import newest, union

MEANINGS = {
    "task_created": "The first event of every task: what was asked and what was settled before it began.",
    "external_imported": "An artifact given from outside kept its contract and is used.",
    "runner_started": "A process took the lease and goes on with the task.",
    "runner_stopped": "The work rests, and why. The reasons are in states.md.",
    "stage_started": "A round of a stage begins.",
    "stage_skipped": "A stage is left out, and the condition the engine computed for it.",
    "stage_passed": "A stage is behind us with this artifact.",
    "call_started": "A model is about to be called: who asks, what is sent, and the most it can cost.",
    "call_ended": "The model answered.",
    "call_failed": "The model did not answer properly.",
    "workspace_dropped": "A change plan begins from another commit; its workspace is made anew.",
    "workspace_made": "The task has files of its own: a clone with a branch. The person's repository is untouched.",
    "edit_planned": "A file of the workspace is about to change: what it is and what it will be.",
    "action_taken": "An agent used a tool, or tried to.",
    "measured": "The engine found something out by itself: environment, baseline, edit, exit, delivery.",
    "commit_made": "A stage's files were committed in the workspace.",
    "draft_made": "A first form of an artifact that the engine will complete.",
    "depth_set": "How much of a run is handed in at once: quick or full, and why.",
    "handed_along": "What an answer held for a later stage; the stage takes it when it begins.",
    "artifact_made": "A round ended with this artifact; nothing is said about its worth.",
    "gate_decided": "The gate measured an artifact: its verdict.",
    "review_given": "A reviewer's issues with an artifact.",
    "iteration_presented": "A version waits for a person's decision.",
    "decision_made": "A person decided on a version.",
    "iteration_started": "A revision a person asked for begins.",
    "escalation_raised": "A question waits for a person.",
    "escalation_resolved": "A person answered it.",
    "hint_given": "A person told the task something; it enters the next context.",
    "copy_wanted": "Where a person wants a copy of the finished plan.",
    "pause_asked": "A person wants the task to rest after its current step.",
    "abort_asked": "A person ended the task for good.",
    "caps_changed": "A person changed the budget.",
    "task_extended": "The task goes on to a later stage than it was meant to.",
    "task_moved": "The task's repository is at another path now; a person said so with `attach`.",
    "warning_given": "Something a person should know; the work goes on.",
    "said": "One message between a person and a thought.",
    "action_asked": "What a person pressed: distill, provide or override.",
    "polish_reviewed": "One review of the polish loop: findings with identity, what the guards said, its commit.",
    "polish_tests": "The tests were brought in line with what a person asked for, before its fix.",
    "polish_fixed": "One fix of the polish loop, taken or refused.",
    "plan_made": "A change plan began: its file, with the text of the template.",
    "plan_researched": "The research before a draft is over.",
    "plan_written": "The text of a change plan is another one: by an agent, or by a person in its file.",
    "draft_refused": "A draft of a change plan was not taken.",
    "plan_audited": "An audit of a change plan: its findings with identity, and what follows from it.",
    "plan_moved": "The status of a change plan changed.",
    "plan_approved": "A person approved what a change plan means, for one commit.",
    "plan_asked": "What a person wants done with a change plan now.",
    "phases_made": "A change plan was taken apart into phases.",
    "files_touched": "Somebody changed files of a failed phase.",
    "phase_started": "Work on a phase begins, or begins again.",
    "phase_ended": "A phase is done, failed or skipped: its commit, its files, its evidence.",
    "phase_audited": "A closing audit of an implementation, with the commands of the plan.",
    "phase_fixed": "A round of fixes after a closing audit.",
    "file_needed": "A phase needs a file that is not among its own; a question asks a person.",
    "loss_accepted": "A person accepted that a damaged part of the record is gone.",
    "ref_written": "One ref of the person's repository was set: delivered, saved, applied or discarded.",
    "pipeline_exited": "The task is done: what it hands over.",
}
"""One sentence for every event; a new event without one is refused below."""


def events() -> Iterator[str]:
    """Every event with its fields, in the order the code has them."""
    objects = [one for one in union().json_schema(schema_generator=Described)["$defs"].values() if "properties" in one]
    kinds = {one["properties"]["type"]["const"]: one for one in objects if "type" in one["properties"]}
    unsaid = sorted(set(KINDS) ^ set(MEANINGS))
    if unsaid:
        raise SystemExit(f"scripts/write-docs.py: MEANINGS and the events differ: {', '.join(unsaid)}")
    for name in MEANINGS:
        yield f"### {name}{f' (version {newest(name)})' if newest(name) > 1 else ''}\n"
        yield f"{MEANINGS[name]}\n"
        if len(kinds[name]["properties"]) > len(SHARED):
            yield from fields(_without_reasons(kinds[name]), leave_out=SHARED)
            yield ""


def _without_reasons(event: dict[str, Any]) -> dict[str, Any]:
    """The reasons to rest are listed in states.md, once."""
    shown = {
        key: {"type": "reason"} if one.get("enum") == [*STOPS] else one for key, one in event["properties"].items()
    }
    return {**event, "properties": shown}


SHARED = ("type", "version", "message")


def values() -> Iterator[str]:
    """What events are made of."""
    schema = union().json_schema(schema_generator=Described)
    for name, one in sorted(schema["$defs"].items()):
        if "type" not in one.get("properties", {"type": ""}):
            yield f"### {name}\n"
            yield f"{one.get('description', '')}\n"
            yield from fields(one)
            yield ""
