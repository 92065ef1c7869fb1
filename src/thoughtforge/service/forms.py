"""The open questions of a thought as a form: a Markdown file with room for answers, and the answers in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from thoughtforge.kernel.errors import UserError
from thoughtforge.service.app import App

NAME = "questions.md"
MOST_ASKED = 8
"""Questions a person is asked at a time."""
HEADING = re.compile(r"^##\s+([UQC]-[1-9]\d*)\b")
QUOTE = re.compile(r"^\s*>?\s?")


def form_text(task_id: str, path: Path, questions: Sequence[Mapping[str, Any]]) -> str:
    """The form for these questions."""
    parts = [f"## {one['id']}: {' '.join(str(one['text']).split())}\n\n>\n" for one in questions[:MOST_ASKED]]
    how = "Write your answer behind the > of a question; leave the others as they are. Then run:"
    return "\n".join(["# Open questions\n", f"{how}\n\n    {hand_in(task_id, path)}\n", *parts])


def hand_in(task_id: str, path: Path) -> str:
    """The command that takes a form."""
    return f"thoughtforge say {task_id} --file {path}"


def leave_form(app: App, task_id: str, questions: Sequence[Mapping[str, Any]]) -> Path | None:
    """Put the form for what is open beside the record; one that is being filled in stays as it is."""
    path = app.store.local(task_id) / NAME
    if not questions:
        path.unlink(missing_ok=True)
        return None
    there = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    begun = bool(answers_in(there)) and _sections(there).keys() <= {one["id"] for one in questions}
    if not begun:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(app.masker.text(form_text(task_id, path, questions)), encoding="utf-8")
    return path


def _sections(text: str) -> dict[str, str]:
    """Id → what stands below its heading, without the marks of a quotation."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        heading = HEADING.match(line)
        if heading:
            name = heading.group(1)
            found[name] = []
        elif name:
            found[name].append(QUOTE.sub("", line))
    return {key: " ".join(" ".join(lines).split()) for key, lines in found.items()}


def answers_in(text: str) -> dict[str, str]:
    """The answers a form holds."""
    return {name: answer for name, answer in _sections(text).items() if answer}


def message_in(text: str) -> str:
    """What a file says to a thought: the answers of a form by id, any other text as it is."""
    if not _sections(text):
        return text
    answers = answers_in(text)
    if not answers:
        raise UserError("the form holds no answer", do="Write behind the > below a question, save it, and try again.")
    return answer_lines(answers)


def answer_lines(answers: Mapping[str, str]) -> str:
    """Answers as one message, a line each."""
    return "\n".join(f"{name}: {answer}" for name, answer in answers.items())
