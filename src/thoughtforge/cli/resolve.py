"""thoughtforge resolve: the answer comes as an argument, a file, stdin or at a prompt."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from thoughtforge.cli.flags import json_flag
from thoughtforge.kernel.errors import Mistake

if TYPE_CHECKING:
    from thoughtforge.kernel.model import Escalation


@click.command("resolve")
@click.argument("escalation")
@click.argument("answer", required=False)
@click.option("--task", help="The task, when several have a question of that number.")
@click.option("--file", "-f", type=click.Path(path_type=Path), help="Read the answer from a file; - is stdin.")
@click.option("--answer", "answers", multiple=True, metavar="Q-NNN=TEXT", help="Answer one question; repeatable.")
@click.option("--accept", is_flag=True, help="Accept the artifact with its open issues, on record as yours.")
@click.option("--abort", is_flag=True, help="End the task instead of answering.")
@json_flag
def command(
    escalation: str,
    answer: str | None,
    task: str | None,
    file: Path | None,
    answers: tuple[str, ...],
    accept: bool,
    abort: bool,
    as_json: bool,
) -> None:
    """Answer ESCALATION (E-1, or TASK:E-1) with ANSWER, or each question with --answer."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.saying import tell
    from thoughtforge.service.messages import find_escalation

    app = make_app()
    task_id, word = find_escalation(app, escalation, app.store.find(task) if task else None)
    choice = "accept" if accept else "abort" if abort else "answer"
    given = _given(answer, file, answers)
    if choice == "answer" and not given:
        given = _prompt(app.store.peek(task_id).state.escalations[word], as_json)
    data = {"id": word, "choice": choice, "answers": given}
    tell(app, task_id, "resolve", data, done=f"{word} settled ({choice})", as_json=as_json)


def _given(answer: str | None, file: Path | None, answers: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in answers:
        key, sign, text = pair.partition("=")
        if not sign:
            raise Mistake(f"--answer {pair!r} has no “=”", do="Write --answer Q-001=TEXT")
        found[key.strip()] = text.strip()
    if answer == "-" or str(file) == "-":
        found["*"] = sys.stdin.read().strip()
    elif file is not None:
        try:
            found["*"] = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise Mistake(f"{file} cannot be read: {error}", do="Name a text file.") from error
    elif answer:
        found["*"] = answer.strip()
    return found


def _prompt(escalation: Escalation, as_json: bool) -> dict[str, str]:
    if as_json or not sys.stdin.isatty():
        raise Mistake("there is no answer", do=f'Give it: thoughtforge resolve {escalation.id} "…"')
    found: dict[str, str] = {}
    for question in escalation.questions:
        click.echo(f"\n{question.id} ({question.impact}) {question.text}", err=True)
        found[question.id] = click.prompt("Answer", default=question.proposal or None, err=True)
    return found
