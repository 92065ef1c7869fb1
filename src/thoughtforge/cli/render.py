"""Print the values of the views for a person: a task, a stage, a step, the end of a run, a thought."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from thoughtforge.cli.exit_codes import Leave, print_value
from thoughtforge.kernel.errors import UserError
from thoughtforge.views.values import HaltView, LiveTask, RunEnd, StageView, StepText, TaskSummary, ThoughtReport

if TYPE_CHECKING:
    from thoughtforge.service.app import App

MARKS = {"pass": "✔", "fail": "✘", "broken": "✘ broken", "not_run": "–"}
SHOWN_LINES = 80
"""Lines of a plan that a terminal shows; the file has all."""
ADVICE = 3
"""Pieces of advice that the end of a run names."""
ADVICE_LENGTH = 160
SIGNS = {"passed": "✔", "skipped": "–", "working": "◐", "made": "◐", "pending": "○"}


def _label(task: TaskSummary) -> str:
    return f" [{', '.join(task.labels)}]" if task.labels else ""


def _refs(refs: Mapping[str, str], indent: str = "") -> None:
    for ref, commit in refs.items():
        click.echo(f"{indent}{ref.removeprefix('refs/heads/')} at {commit[:12]}")


def print_question(question: Mapping[str, Any], indent: str = "    ") -> None:
    """One question with what the agent proposes."""
    text = str(question["text"]).replace("\n", f"\n{indent}  ")
    click.echo(f"{indent}{question['id']} ({question['impact']}) {text}")
    if question["proposal"]:
        click.echo(f"{indent}  the agent proposes: {question['proposal']}")


def leave_with_end(end: RunEnd, *, as_json: bool) -> NoReturn:
    """Print the end of a run and leave with its exit code."""
    if as_json:
        print_value(end, code=end.exit_code)
    else:
        _print_end(end)
    raise Leave(end.exit_code)


def _print_end(end: RunEnd) -> None:
    task = end.overview
    detail = f": {task.detail}" if task.detail else ""
    click.echo(f"\n{task.task}{_label(task)}: {task.state} ({task.reason}){detail}")
    if end.deliverable:
        click.echo(f"  {end.deliverable.contract}: {end.deliverable.path}")
    _refs(end.refs, "  ")
    for escalation in end.escalations:
        click.echo(f"\n  {escalation['id']} ({escalation['stage']}, {escalation['reason']}): {escalation['summary']}")
        for question in escalation["questions"]:
            print_question(question)
    if end.awaiting:
        click.echo(f"  waits for you: {end.awaiting[0]}, version {end.awaiting[1]}")
    if task.reason == "done":
        _print_advice(end)
    if task.cost:
        click.echo(f"  {task.cost.told(' · ')}")
    click.echo(f"  → {task.next_action}")
    if task.reason == "done" and end.refs:
        click.echo(f"  → Take it: thoughtforge apply {task.task}; or look first: thoughtforge diff {task.task}")
    if end.pull_request:
        click.echo(f"  pull request: {end.pull_request}")


def _print_advice(end: RunEnd) -> None:
    """What the reviews advised: the first lines, and where the rest is."""
    for line in end.advice[:ADVICE]:
        told = " ".join(line.split())
        click.echo(f"  advice: {told if len(told) <= ADVICE_LENGTH else f'{told[: ADVICE_LENGTH - 1]}…'}")
    if end.advice:
        left = len(end.advice) - ADVICE
        click.echo(f"    {f'{left} more; ' if left > 0 else ''}see {Path(end.folder) / 'report.md'}")


def leave_with_thought(
    app: App, task_id: str, *, as_json: bool, copies: bool = True, runner: str | None = None, **more: Any
) -> NoReturn:
    """Print where a thought stands and leave with its exit code; a plan is copied to where the person wants it."""
    from thoughtforge.service.forms import hand_in, leave_form
    from thoughtforge.service.show import thought_report

    report = thought_report(app, task_id)
    copied = _copy(report) if copies else None
    form = leave_form(app, task_id, report.questions if _takes_answers(report) else ())
    if as_json:
        print_value(report, code=report.exit_code, copied_to=copied, runner=runner, form=form and str(form), **more)
    else:
        print_thought(report, copied=copied, runner=runner)
        if form:
            click.echo(f"  → Or answer in the form {form}, then: {hand_in(task_id, form)}")
    raise Leave(report.exit_code)


def _takes_answers(report: ThoughtReport) -> bool:
    """Whether the thought waits for a person who may say something."""
    return "thoughtforge say" in (report.overview.overview.next_action or "")


def _copy(report: ThoughtReport) -> str | None:
    if not report.copy_to or report.plan is None:
        return None
    output = Path(report.copy_to)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(report.plan, output)
    except OSError as error:
        raise UserError(f"cannot copy the plan to {output}: {error.strerror}", do=f"It is in {report.plan}.") from error
    return str(output)


def print_thought(
    report: ThoughtReport, *, copied: str | None = None, runner: str | None = None, hint: str | None = None
) -> None:
    """A thought: its newest message, its phase, its documents, what is open, what to do (`hint`, where given)."""
    task = report.overview.overview
    if report.halted:
        _print_deliverable(report.halted)
    if report.message and task.reason != "done":
        click.echo(f"\n{report.message}")
    halted = f" in {task.halted_in} ({task.halt_reason})" if task.halted_in else ""
    detail = f": {task.detail}" if task.detail else ""
    click.echo(f"\n{task.task}{_label(task)}: {task.phase}{halted}{detail}")
    if report.summary:
        _print_ending(report)
    for path in report.documents:
        if path != report.deliverable:
            click.echo(f"  {path}")
    _print_open(report)
    if copied:
        click.echo(f"  copied to {copied}")
    if runner:
        click.echo(f"  {runner} runs it and takes this up")
    if hint or task.next_action:
        click.echo(f"  → {hint or task.next_action}")


def print_accepted(app: App, task_id: str) -> None:
    """What a person accepts with an override, before they are asked."""
    from thoughtforge.service.show import is_thought, thought_report

    halted = thought_report(app, task_id).halted if is_thought(app, task_id) else None
    if halted and halted.failed:
        click.echo("you accept, as it is:", err=True)
        for row in halted.failed:
            click.echo(f"  - {row}", err=True)


def _print_deliverable(halted: HaltView) -> None:
    """The plan or the files as they are, what is there, and what failed."""
    lines = halted.shown.splitlines()
    more = [f"… {len(lines) - SHOWN_LINES} more lines"] if len(lines) > SHOWN_LINES else []
    click.echo("\n".join(["", *lines[:SHOWN_LINES], *more]))
    for heading, rows in (("there is", halted.there), ("what failed", halted.failed)):
        if rows:
            click.echo(f"\n{heading}:")
        for row in rows:
            click.echo(f"  - {row}")


def _print_open(report: ThoughtReport) -> None:
    """What nobody has settled or said."""
    if report.questions:
        click.echo("  still open:")
    for question in report.questions:
        click.echo(f"    {question['id']}: {question['text']}")
    if report.unsaid:
        click.echo(f"  not said yet: {', '.join(report.unsaid)}")


def _print_ending(report: ThoughtReport) -> None:
    """What it came to, where it is, and what the last review found that nobody fixed."""
    click.echo(f"  {report.summary}")
    click.echo(f"  {report.overview.deliverable_type}: {report.deliverable}")
    left = report.polished["open"] if report.polished else []
    if left:
        click.echo("  found and not fixed:")
    for line in left:
        click.echo(f"    {line}")


def print_task(live: LiveTask, *, detail: bool) -> None:
    """One task in full."""
    full, task = live.overview, live.summary
    reason = f" ({task.reason})" if task.reason else ""
    click.echo(f"{task.task}{_label(task)}: {task.state}{reason}")
    click.echo(f"“{task.request}”")
    click.echo(f"goal {task.goal} ({full.goal_cause}), base commit {full.base_commit[:12]}")
    click.echo(f"depth {full.depth['depth']}, because {full.depth['reason']}")
    for name, stage in full.stages.items():
        print_stage(name, stage, detail=detail)
    if task.cost:
        click.echo(f"{task.cost.told()}, {task.wall_seconds:.0f} s of work")
    for what, measured in full.measured.items():
        click.echo(f"{what}: {measured['summary']}")
    _refs(full.refs)
    for warning in full.warnings:
        click.echo(f"! {warning}")
    if live.runner:
        click.echo(f"run by {live.runner}")
    if task.waiting:
        click.echo(f"waits for you: {task.waiting}")
    if task.next_action:
        click.echo(f"→ {task.next_action}")


def print_stage(name: str, stage: StageView, *, detail: bool) -> None:
    """One stage in a line, or with its measurements and problems."""
    facts = [stage.status]
    if stage.skipped:
        facts.append(stage.skipped)
    if stage.versions:
        facts.append(f"version {stage.versions}")
    if stage.verdict:
        facts.append(f"gate {stage.verdict}")
    click.echo(f"  {SIGNS.get(stage.status, '?')} {name:<9} {', '.join(facts)}")
    if not detail:
        return
    for criterion in stage.exit:
        found = f": {criterion['detail']}" if criterion["detail"] else ""
        click.echo(f"      {MARKS[criterion['outcome']]} {criterion['name']}{found}")
    for key, value in stage.measured.items():
        click.echo(f"      measured {key}: {value}")
    for line in (*stage.problems, *stage.blocking, *stage.advisory):
        click.echo(f"      - {line}")


def print_step(app: App, task_id: str, number: int, *, as_json: bool, show: str = "all") -> None:
    """One step with the exact text that was sent and what came back."""
    from thoughtforge.service.show import step

    found: StepText = step(app, task_id, number)
    if as_json:
        print_value(found, task=task_id)
        return
    row = found.overview
    click.echo(f"step {row.step} of {task_id}: {row.stage}, round {row.round}, {row.role} ({row.mode})")
    click.echo(f"{row.time}  {row.provider}/{row.model}  {row.result}")
    click.echo(f"context about {row.context_tokens} tokens: {dict(row.parts)}")
    for name, text in found.text.items():
        if show in ("all", name):
            click.echo(f"\n── {name} ──\n{text}")
