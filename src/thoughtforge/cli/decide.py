"""The commands that decide about a task. Words that mean the same do the same for every kind of task.

approve = confirm, abort = terminate, say = feedback = hint, resolve = provide. `confirm`, `say`, `provide`, `override`
and `distill` let the task go on at once; the others only put the decision on record.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from thoughtforge.cli.flags import json_flag, read_text, task_argument, text_of, yes_flag
from thoughtforge.kernel.errors import UserError


def _record(word: str, task: str, as_json: bool, **given: Any) -> None:
    """Put a decision on record."""
    from thoughtforge.cli.respond import record
    from thoughtforge.service.respond import Decision

    record(task, Decision(word, **given), as_json=as_json)


def _carry_out(word: str, task: str, as_json: bool, *, yes: bool = False, **given: Any) -> None:
    """Put a decision on record and let the task go on."""
    from thoughtforge.cli.respond import carry_out
    from thoughtforge.service.respond import Decision

    carry_out(task, Decision(word, **given), as_json=as_json, yes=yes)


leave_open_flag = click.option("--leave-open", is_flag=True, help="Leave open questions to you open on purpose.")


@click.command("approve")
@task_argument
@click.option("--exit", "leave", is_flag=True, help="End the task here with this version as its result.")
@leave_open_flag
@json_flag
def approve(task: str, leave: bool, leave_open: bool, as_json: bool) -> None:
    """Accept the version TASK shows you; it goes on with: thoughtforge continue TASK."""
    _record("approve", task, as_json, leave=leave, leave_open=leave_open)


@click.command("confirm")
@click.argument("task")
@leave_open_flag
@json_flag
def confirm(task: str, leave_open: bool, as_json: bool) -> None:
    """Accept the version TASK shows you and continue. TASK is an id, a unique beginning of one, or `last`."""
    _carry_out("confirm", task, as_json, leave_open=leave_open)


@click.command("feedback")
@click.argument("task")
@click.argument("text", required=False)
@click.option(
    "--file", "-f", type=click.Path(path_type=Path), help="Structured feedback as YAML; see docs/commands.md."
)
@json_flag
def feedback(task: str, text: str | None, file: Path | None, as_json: bool) -> None:
    """Request changes to the version TASK shows you, with TEXT or FILE; elsewhere it answers or hints, like `say`."""
    from thoughtforge.service.messages import items_of

    _record("feedback", task, as_json, items=tuple(items_of(text, file)))


@click.command("reject")
@click.argument("task")
@click.argument("reason")
@json_flag
def reject(task: str, reason: str, as_json: bool) -> None:
    """Send the version TASK shows you back to the stage before, with REASON. A thought gets REASON in its chat."""
    _record("reject", task, as_json, text=reason)


@click.command("say")
@click.argument("task")
@click.argument("text", required=False)
@click.option("--file", "-f", type=click.Path(path_type=Path), help="Read TEXT from a file, or a filled-in form.")
@json_flag
def say(task: str, text: str | None, file: Path | None, as_json: bool) -> None:
    """Say TEXT to TASK and continue: it requests changes to a version, answers an open question, or is a hint.

    It asks a finished thought for a change. It never confirms a version.
    TASK is an id or `last`; TEXT may be - for stdin.
    """
    from thoughtforge.service.forms import message_in

    if (text is None) == (file is None):
        raise UserError("say needs a text or a file", do="Give one: thoughtforge say TASK TEXT, or --file FILE")
    _carry_out(
        "say", task, as_json, text=text_of(text) if text is not None else message_in(read_text(Path(file or "")))
    )


@click.command("hint")
@click.argument("task")
@click.argument("text")
@json_flag
def hint(task: str, text: str, as_json: bool) -> None:
    """Give TASK a hint for its next step. At a version or an open question TEXT requests changes or answers it."""
    _record("hint", task, as_json, text=text_of(text))


@click.command("provide")
@click.argument("task")
@click.argument("text")
@json_flag
def provide(task: str, text: str, as_json: bool) -> None:
    """Answer the question of TASK, or give a stuck build what it needs, and continue.

    TASK is an id or `last`; TEXT may be - for stdin.
    """
    _carry_out("provide", task, as_json, text=text_of(text))


@click.command("override")
@click.argument("task")
@yes_flag
@json_flag
def override(task: str, yes: bool, as_json: bool) -> None:
    """Accept what is open and continue, or end. TASK is an id, a unique beginning of one, or `last`."""
    _carry_out("override", task, as_json, yes=yes)


@click.command("distill")
@click.argument("task")
@json_flag
def distill(task: str, as_json: bool) -> None:
    """End the brain dump of TASK and put it in order. TASK is an id, a unique beginning of one, or `last`."""
    _carry_out("distill", task, as_json)


@click.command("terminate")
@click.argument("task")
@yes_flag
@json_flag
def terminate(task: str, yes: bool, as_json: bool) -> None:
    """End TASK for good and keep what it made. TASK is an id, a unique beginning of one, or `last`."""
    _carry_out("terminate", task, as_json, yes=yes)


@click.command("abort")
@task_argument
@click.argument("why", required=False)
@json_flag
def abort(task: str, why: str | None, as_json: bool) -> None:
    """End TASK for good and keep what it made, without asking; a second time is harmless. WHY goes on record."""
    _record("abort", task, as_json, text=why or "")


@click.command("pause")
@task_argument
@json_flag
def pause(task: str, as_json: bool) -> None:
    """Ask TASK to stop after its current step; continue it with: thoughtforge continue TASK."""
    _record("pause", task, as_json)


@click.command("resolve")
@click.argument("escalation")
@click.argument("answer", required=False)
@click.option("--task", help="The task, when several have a question of that number.")
@click.option("--file", "-f", type=click.Path(path_type=Path), help="Read the answer from a file; - is stdin.")
@click.option("--answer", "answers", multiple=True, metavar="Q-NNN=TEXT", help="Answer one question; repeatable.")
@click.option("--accept", is_flag=True, help="Accept the artifact with its open issues; the record names you.")
@click.option("--abort", "end", is_flag=True, help="End the task instead of answering.")
@json_flag
def resolve(
    escalation: str,
    answer: str | None,
    task: str | None,
    file: Path | None,
    answers: tuple[str, ...],
    accept: bool,
    end: bool,
    as_json: bool,
) -> None:
    """Answer ESCALATION (E-1, TASK:E-1, or a TASK with one question) with ANSWER, or each question with --answer."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.respond import record_at
    from thoughtforge.service.messages import find_question
    from thoughtforge.service.respond import Decision

    app = make_app()
    found = find_question(app, escalation, app.store.find(task) if task else None)
    choice = "accept" if accept else "abort" if end else "answer"
    given = _given(answer, file, answers)
    if choice == "answer" and not given:
        given = _prompt(app.store.peek(found.task).state.escalations.get(found.id), escalation, as_json)
    decision = Decision("resolve", question=found.id, choice=choice, answers=given)
    record_at(app, found.task, decision, as_json=as_json)


def _given(answer: str | None, file: Path | None, answers: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in answers:
        key, sign, text = pair.partition("=")
        if not sign:
            raise UserError(f"--answer {pair!r} has no “=”", do="Write --answer Q-001=TEXT")
        found[key.strip()] = text.strip()
    if file is not None:
        found["*"] = read_text(file).strip()
    elif answer:
        found["*"] = text_of(answer).strip()
    return found


def _prompt(escalation: Any, word: str, as_json: bool) -> dict[str, str]:
    """Ask for each answer at the terminal."""
    if as_json or escalation is None or not sys.stdin.isatty():
        raise UserError("there is no answer", do=f'Give it: thoughtforge resolve {word} "…"')
    found: dict[str, str] = {}
    for question in escalation.questions:
        click.echo(f"\n{question.id} ({question.impact}) {question.text}", err=True)
        found[question.id] = click.prompt("Answer", default=question.proposal or None, err=True)
    return found
